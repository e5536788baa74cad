"""A disk that forgets what was not synced: SQLite's file layer, with a copy kept at every sync.

The copies are what a power cut leaves when the disk loses everything since the last sync of each
file. SQLite lets programs add such a layer (a "VFS"); this one calls the usual layer for everything
and looks on when a file is synced.
"""

import ctypes
import ctypes.util
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_void_p, cast, pointer
from pathlib import Path
from typing import Any

import pytest

Sync = CFUNCTYPE(c_int, c_void_p, c_int)
Open = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, c_void_p)


class Methods(Structure):
    """What can be done with an open file (`sqlite3_io_methods`)."""

    _fields_ = [
        ("version", c_int),
        ("close", c_void_p),
        ("read", c_void_p),
        ("write", c_void_p),
        ("truncate", c_void_p),
        ("sync", c_void_p),
        ("others", c_void_p * 13),
    ]


class File(Structure):
    _fields_ = [("methods", POINTER(Methods))]


class Layer(Structure):
    """How files are opened (`sqlite3_vfs`)."""

    _fields_ = [
        ("version", c_int),
        ("file_size", c_int),
        ("longest_path", c_int),
        ("next", c_void_p),
        ("name", c_char_p),
        ("data", c_void_p),
        ("open", c_void_p),
        ("others", c_void_p * 15),
    ]


class ForgetfulDisk:
    """Remembers each file of a folder as it was when it was last synced."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._synced: dict[Path, bytes] = {}
        self._paths: dict[int, Path] = {}
        self._kept: list[Any] = []  # C structures must not be collected while SQLite has them
        self.forgets_syncs = False
        """As if the program had never asked for them."""

    def after_power_cut(self, folder: Path) -> None:
        """Write what is left to an empty folder; deleting a file is synced by SQLite itself."""
        with self._lock:
            for path, content in self._synced.items():
                if path.exists():
                    (folder / path.name).write_bytes(content)

    def layer(self, usual: Layer) -> Layer:
        own = Layer.from_buffer_copy(usual)
        own.name, own.next = b"forgetful", None
        usual_open = cast(usual.open, Open)

        def opened(_: int, name: int, file: int, flags: int, out: int) -> int:
            result: int = usual_open(ctypes.addressof(usual), name, file, flags, out)
            path = Path(os.fsdecode(ctypes.string_at(name))) if name else None
            if result == 0 and path and path.parent == self._folder:
                self._paths[file] = path
                self._watch(file)
            return result

        callback = Open(opened)
        own.open = cast(callback, c_void_p)
        self._kept += [own, callback]
        return own

    def _watch(self, file: int) -> None:
        methods = cast(file, POINTER(File)).contents
        own = Methods.from_buffer_copy(methods.methods.contents)
        usual_sync = cast(own.sync, Sync)

        def synced(this: int, flags: int) -> int:
            result: int = usual_sync(this, flags)
            if result == 0 and not self.forgets_syncs:
                with self._lock:
                    path = self._paths[this]
                    self._synced[path] = path.read_bytes()
            return result

        callback = Sync(synced)
        own.sync = cast(callback, c_void_p)
        methods.methods = pointer(own)
        self._kept += [own, callback]


@contextmanager
def forgetful_disk(folder: Path) -> Iterator[ForgetfulDisk]:
    """SQLite files opened there meanwhile lie on such a disk; close them before it ends."""
    found = ctypes.util.find_library("sqlite3")
    if found is None:
        pytest.skip("SQLite is not a library of its own here, so no layer can be put below it")
    library = ctypes.CDLL(found)
    library.sqlite3_vfs_find.restype = POINTER(Layer)
    usual, disk = library.sqlite3_vfs_find(None), ForgetfulDisk(folder.resolve())
    own = disk.layer(usual.contents)
    library.sqlite3_vfs_register(ctypes.byref(own), 1)
    try:
        yield disk
    finally:
        library.sqlite3_vfs_unregister(ctypes.byref(own))
        library.sqlite3_vfs_register(usual, 1)
