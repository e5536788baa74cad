"""What sets a language apart is data: no `if` asks for one."""

import ast
from collections.abc import Iterator
from pathlib import Path

import crosstalk

SOURCE = Path(crosstalk.__file__).parent
CODES = frozenset(
    {"ar", "cn", "de", "en", "es", "fr", "hi", "it", "ja", "ko"}
    | {"nl", "pl", "pt", "ru", "th", "tr", "vi", "zh", "zh-cn", "zh_cn"}
)


def decisions(tree: ast.AST) -> Iterator[ast.expr]:
    """Expressions that decide: conditions, comparisons, cases, `startswith`."""
    for node in ast.walk(tree):
        match node:
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield test
            case ast.Compare():
                yield node
            case ast.MatchValue(value=value):
                yield value
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith")):
                yield node


def codes_in(text: str) -> set[tuple[int, str]]:
    """Lines where a decision names a language, and the language."""
    return {
        (part.lineno, part.value)
        for decision in decisions(ast.parse(text))
        for part in ast.walk(decision)
        if isinstance(part, ast.Constant)
        and isinstance(part.value, str)
        and part.value.lower() in CODES
    }


def test_no_decision_names_a_language() -> None:
    wrong = [
        f"{file.relative_to(SOURCE)}, line {line}: decides by the language code {code!r}. "
        "Put what differs into the language's data (language/data/<code>/, [grammar]) and ask that."
        for file in sorted(SOURCE.rglob("*.py"))
        for line, code in sorted(codes_in(file.read_text(encoding="utf-8")))
    ]
    assert not wrong, "\n".join(wrong)


def test_decisions_by_language_are_found_however_they_are_written() -> None:
    assert codes_in('if primary(code) == "zh":\n    pass') == {(1, "zh")}
    assert codes_in('stop = "。" if code in ("zh", "ja") else "."') == {(1, "zh"), (1, "ja")}
    assert codes_in('match code:\n    case "de":\n        pass') == {(2, "de")}
    assert codes_in('chinese = code.startswith("zh")') == {(1, "zh")}
    assert codes_in('load_world("harbour", language="de")') == set()
