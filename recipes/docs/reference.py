"""Write docs/reference.md from the docstrings of what `import crosstalk` offers: `make reference`.

Functions explain their parameters in Google style (`Args:`), classes explain a field in the string
under it. `tests/test_reference.py` compares the page with what is generated here.
"""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import crosstalk
from crosstalk import errors
from crosstalk.dialogue.acts import Act
from crosstalk.dialogue.dialogues import Dialogue, Turn
from crosstalk.dialogue.goals import Goal, SemanticTuple
from crosstalk.dialogue.participants import Participant, Reply
from crosstalk.library import RunJudgement as RunJudgement
from crosstalk.simulation.run_folders import Run
from crosstalk.trainers.job import Job
from crosstalk.worlds.tables import World

PAGE = Path(__file__).parents[2] / "docs" / "reference.md"
VALUES = (RunJudgement, Run, Job, World, Dialogue, Turn, Act, Goal, SemanticTuple)
"""Classes that the functions take and return."""
PROTOCOLS = (Participant, Reply)
HEAD = """# Reference of the library

Made by `make reference` from the docstrings; do not edit it. How these functions work together:
[library.md](library.md).
"""


def page() -> str:
    offered = [getattr(crosstalk, name) for name in crosstalk.__all__]
    functions = [each for each in offered if inspect.isroutine(each)]
    classes = [each for each in offered if inspect.isclass(each)]
    return "\n".join(
        [
            HEAD,
            "## Functions of `crosstalk`\n",
            *map(function_text, functions),
            "## Options and values\n",
            *map(class_text, (*classes, *VALUES)),
            "## A system or an agent of your own\n",
            *map(class_text, PROTOCOLS),
            "## Errors\n",
            f"```\n{inspect.getdoc(errors)}\n```",
            "",
        ]
    )


def sections(function: Any) -> tuple[str, dict[str, str]]:
    """The text of a docstring, and its sections (Args, Returns, Raises) by title."""
    text = inspect.getdoc(function) or ""
    first, *others = re.split(r"^(Args|Returns|Raises):\n", text, flags=re.MULTILINE)
    return first.strip(), dict(zip(others[::2], map(inspect.cleandoc, others[1::2]), strict=True))


def parameters(function: Any) -> dict[str, str]:
    """Name of a parameter -> its explanation, from the section Args."""
    told = sections(function)[1].get("Args", "")
    entries = re.findall(r"^(\**\w+): (.*(?:\n[ ]+.*)*)", told, flags=re.MULTILINE)
    return {name: " ".join(text.split()) for name, text in entries}


def signature(function: Any) -> str:
    """The call with its defaults, without types."""
    given = inspect.signature(function)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in given.parameters.values()]
    text = str(inspect.Signature(bare))
    text = re.sub(r"<\w+\.\w+: ('\w+')>", r"\1", text)  # enums by their value
    return f"crosstalk.{function.__name__}{re.sub(r'<[^>]*>', '...', text)}"


def function_text(function: Any) -> str:
    text, others = sections(function)
    types = inspect.signature(function).parameters
    rows = [
        row(f"`{name}`", type_text(types[name.lstrip("*")].annotation), told)
        for name, told in parameters(function).items()
    ]
    table = ["| parameter | type | |", "| --- | --- | --- |", *rows]
    ends = [
        f"**{title}:** {' '.join(others[title].split())}\n"
        for title in ("Returns", "Raises")
        if title in others
    ]
    return "\n".join(
        [
            f"### {function.__name__}\n",
            f"```\n{signature(function)}\n```\n",
            f"{text}\n",
            *table,
            "",
            *ends,
        ]
    )


def class_text(cls: type) -> str:
    rows = [row(f"`{name}`", kind, told) for name, kind, told in members(cls)]
    return "\n".join(
        [
            f"### {cls.__name__}\n",
            f"`{cls.__module__}.{cls.__name__}`: {inspect.getdoc(cls)}\n",
            "| | type | |",
            "| --- | --- | --- |",
            *rows,
            "",
        ]
    )


def members(cls: type) -> Iterator[tuple[str, str, str]]:
    """Fields with the string under them, then public methods and properties with a docstring."""
    (body,) = ast.parse(inspect.getsource(cls).strip()).body
    assert isinstance(body, ast.ClassDef)
    for this, below in zip(body.body, [*body.body[1:], None], strict=True):
        if isinstance(this, ast.AnnAssign):
            default = "" if this.value is None else f" = {ast.unparse(this.value)}"
            kind = ast.unparse(this.annotation) + re.sub(r" = field\(.*", "", default)
            yield ast.unparse(this.target), kind, string_of(below)
        elif isinstance(this, ast.FunctionDef) and cls is not Job:
            yield from _method(this)


def _method(method: ast.FunctionDef) -> Iterator[tuple[str, str, str]]:
    told = ast.get_docstring(method)
    if told and not method.name.startswith("_"):
        is_property = any(ast.unparse(each) == "property" for each in method.decorator_list)
        given = ast.unparse(method.args).removeprefix("self").lstrip(", ")
        returns = ast.unparse(method.returns) if method.returns else ""
        name = method.name if is_property else f"{method.name}({given})"
        yield name, returns, " ".join(told.split())


def string_of(node: ast.stmt | None) -> str:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return " ".join(str(node.value.value).split())
    return ""


def type_text(annotation: Any) -> str:
    """An annotation without the modules of its names; keywords have that of their dictionary."""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text).replace("'", "")
    text = re.sub(r"^Optional\[(.*)\]$", r"\1 | None", text)
    return re.sub(r"^(?:\*<class (\w+)>|Unpack\[(\w+)\])$", r"\1\2", text)


def row(*cells: str) -> str:
    name, kind, told = (cell.replace("|", "\\|") for cell in cells)
    return f"| {name} | `{kind}` | {told} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE}: {len(crosstalk.__all__)} names")
