"""Imports go down the layers of design/LAYERS.md, never up, never sideways."""

import ast
from collections.abc import Iterator
from pathlib import Path

import crosstalk

SOURCE = Path(crosstalk.__file__).parent
LAYERS = [
    {"dialogue", "errors", "files", "archives", "model_folders", "training"}
    | {"problems", "scaffolds", "toml_files", "external_objects"},
    {"language"},
    {"worlds", "corpora"},
    {"goals", "statistics", "labels"},
    {"system", "users"},
    {"agents", "reading"},
    {"simulation", "collection", "annotation", "chatlogs", "retrieval", "transfer", "translation"},
    {"evaluation"},
    {"reports"},
    {"trainers", "reproduction"},
    {"web"},
    {"serve"},
    {"cli"},
]
LEVEL = {package: level for level, packages in enumerate(LAYERS) for package in packages}


def imports() -> Iterator[tuple[Path, str, str]]:
    """Every (file, importing package, imported package) inside the source tree."""
    for file in sorted(SOURCE.rglob("*.py")):
        here = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
                if node.module == "crosstalk":
                    names = [f"crosstalk.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                parts = name.split(".")
                if parts[0] == "crosstalk" and len(parts) > 1 and parts[1] in LEVEL:
                    yield file, here, parts[1]


def test_imports_go_down() -> None:
    wrong = [
        f"{file.relative_to(SOURCE)} imports crosstalk.{there}: move what it needs below `{here}`"
        for file, here, there in imports()
        if here in LEVEL
        and here != there
        and not (LEVEL[there] < LEVEL[here] or {here, there} <= LAYERS[0])
    ]
    assert not wrong, "\n".join(wrong)


def test_dialogue_needs_only_the_standard_library() -> None:
    import sys

    allowed = sys.stdlib_module_names | {"crosstalk"}
    for file in (SOURCE / "dialogue").glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                assert node.module.split(".")[0] in allowed, f"{file.name} imports {node.module}"
                assert not node.module.startswith("crosstalk.") or node.module.startswith(
                    ("crosstalk.dialogue", "crosstalk.errors")
                ), f"{file.name} imports {node.module}"


def test_every_package_has_a_place() -> None:
    packages = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert packages <= set(LEVEL), f"add to LAYERS and design/LAYERS.md: {packages - set(LEVEL)}"
