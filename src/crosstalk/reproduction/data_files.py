"""The files of a plan in a data folder: which are there, and where missing ones come from.

Files that lie elsewhere than `crosstalk fetch` puts them, such as all in one folder, are linked to
their places in a folder of the run, so that every command finds them.
"""

import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from crosstalk.errors import InputError
from crosstalk.files import making_folder
from crosstalk.reproduction.plans import NeededFile, PaperPlan
from crosstalk.reproduction.stage_runs import digest_of_file


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of a plan that a data folder has, and those that it lacks."""

    data: Path
    found: Mapping[str, Path]
    missing: tuple[NeededFile, ...]

    def digests(self) -> dict[str, str]:
        return {name: digest_of_file(file) for name, file in self.found.items()}

    def record(self) -> dict[str, Any]:
        return {
            name: {"file": str(file), "sha256": digest_of_file(file)}
            for name, file in self.found.items()
        }


def find_files(plan: PaperPlan, data: Path) -> FoundFiles:
    """Look for the files of a plan; raises `InputError` if there is no such folder."""
    if not data.is_dir():
        raise InputError(
            f"--data {data}: there is no such folder",
            remedy="Its files come from: "
            + ", ".join(dict.fromkeys(each.source for each in plan.files)),
        )
    places = {each.name: _find(each, data) for each in plan.files}
    found = {name: file for name, file in places.items() if file is not None}
    return FoundFiles(data, found, tuple(each for each in plan.files if each.name not in found))


def _find(wanted: NeededFile, data: Path) -> Path | None:
    for pattern in (wanted.place, *_packed(wanted.place), Path(wanted.place).name, *wanted.also):
        if found := sorted(data.glob(pattern)):
            return found[0]
    return None


def _packed(place: str) -> Iterable[str]:
    """The same file packed, or unpacked."""
    return (place.removesuffix(".zip"),) if place.endswith(".zip") else (f"{place}.zip",)


def refuse_missing(plan: PaperPlan, files: FoundFiles) -> None:
    """Raise `InputError` with the missing files and where they come from."""
    missing = needed_and_missing(plan, files)
    if missing:
        raise InputError(
            f"{files.data}: these files are missing for {plan.name}:\n"
            + "\n".join(map(described, missing)),
            remedy="Fetch them, or name the folder that has them with --data.",
        )


def needed_and_missing(plan: PaperPlan, files: FoundFiles) -> list[NeededFile]:
    """The files without which nothing can be run."""
    missing = [each for each in files.missing if each.required]
    if plan.one_of and not set(plan.one_of) & set(files.found):
        missing += [each for each in files.missing if each.name in plan.one_of]
    return missing


def described(file: NeededFile) -> str:
    """The place of a file, what it is, and where it comes from."""
    about = f" ({file.about})" if file.about else ""
    return f"  {file.place}{about}: {file.source}"


def arranged(plan: PaperPlan, files: FoundFiles, out: Path) -> FoundFiles:
    """The files in their places: as they lie, or linked into a folder `data` of the run."""
    if all(_is_placed(each, files) for each in plan.files if each.name in files.found):
        return files
    folder = out / "data"
    places: dict[str, Path] = {}
    for each in plan.files:
        if each.name in files.found:
            source = files.found[each.name].absolute()
            target = folder / _place_of(each, source)
            with making_folder(target.parent):
                _link(source, target)
            places[each.name] = target
    return FoundFiles(folder, places, files.missing)


def _is_placed(file: NeededFile, files: FoundFiles) -> bool:
    found = files.found[file.name].relative_to(files.data)
    return any(fnmatch(str(found), place) for place in (file.place, *_packed(file.place)))


def _place_of(file: NeededFile, source: Path) -> str:
    """The place with the ending that the file has: packed or not."""
    place = file.place.removesuffix(".zip")
    if "*" in place or source.is_dir():
        return str(Path(file.place).parent / source.name)
    return f"{place}.zip" if source.suffix == ".zip" else place


def _link(source: Path, target: Path) -> None:
    if target.exists() or target.is_symlink():
        return
    try:
        target.symlink_to(source, target_is_directory=source.is_dir())
    except OSError:  # a disk, or a user, without links
        (shutil.copytree if source.is_dir() else shutil.copyfile)(source, target)
