"""Reading gradient-boosted trees from files that somebody else may have made.

    booster = read_booster(read_text(folder / "model.txt"))

LightGBM trusts its own text format: a child that is no node, or a size that does not fit, ends the
process. So every tree is checked here first, and LightGBM gets a text that is put together from
what was checked; what predictions do not need (parameters, importances, sizes) is left out.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

import lightgbm

MOST_LEAVES: Final = 4096
MOST_TREES: Final = 20_000
MOST_COLUMNS: Final = 100_000
DEEPEST: Final = 512
"""LightGBM walks down recursively; ours are at most 30 deep."""
OBJECTIVES: Final = re.compile(r"(binary sigmoid:[0-9.]+|lambdarank|regression|cross_entropy)")
HEADER: Final = (
    "version", "num_class", "num_tree_per_iteration", "label_index", "max_feature_idx",
    "objective", "feature_names", "feature_infos",
)  # fmt: skip
INFO: Final = re.compile(r"none|\[[-+0-9.einf]+:[-+0-9.einf]+\]")
WHOLE: Final = re.compile(r"-?[0-9]{1,9}( -?[0-9]{1,9})*")
_PLAIN = r"-?(?:[0-9]{1,60}(?:\.[0-9]{1,60})?|\.[0-9]{1,60})"
_FINITE = rf"{_PLAIN}(e(-[0-9]{{1,3}}|\+?[012]?[0-9]{{1,2}}|\+300))?"
FINITE: Final = re.compile(f"{_FINITE}( {_FINITE})*")
"""Numbers of at most 1e+300, which is where LightGBM cuts off. A digit fits one place of the
pattern only, so that a line of a million of them is refused at once."""
DECISIONS: Final = frozenset(range(0, 16, 2))
"""Bits: 2 missing goes left, 4 and 8 what counts as missing; 1, categories, we do not train."""


def read_booster(text: str) -> lightgbm.Booster:
    """The trees of a model in LightGBM's text format; raises ValueError for any damage."""
    head, *trees = re.split(r"^Tree=", text.partition("\nend of trees")[0], flags=re.MULTILINE)
    if not head.startswith("tree\n") or "\nend of trees" not in text:
        raise ValueError("these are no trees of LightGBM, or they are cut off")
    if not 0 < len(trees) <= MOST_TREES:
        raise ValueError(f"{len(trees):,} trees; 1 to {MOST_TREES:,} are possible")
    header, columns = _header(_fields(head.removeprefix("tree\n")))
    sound = [_tree(number, each, columns) for number, each in enumerate(trees)]
    try:
        return lightgbm.Booster(model_str="\n".join([*header, "", *sound, "end of trees", "", ""]))
    except lightgbm.basic.LightGBMError as error:
        raise ValueError(str(error)) from error


def _fields(text: str) -> dict[str, str]:
    """The lines `key=value`; each key may be given once."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        key, equals, value = line.strip().partition("=")
        if key and (not equals or key in found):
            raise ValueError(f"a line that is not understood: {line[:40]!r}")
        if key:
            found[key] = value
    return found


def _header(fields: dict[str, str]) -> tuple[list[str], int]:
    """The lines of the header that predictions need, and the number of columns."""
    if missing := [key for key in HEADER if key not in fields]:
        raise ValueError(f"{missing[0]} is missing")
    columns = _whole(fields["max_feature_idx"], "max_feature_idx") + 1
    if not 0 < columns <= MOST_COLUMNS:
        raise ValueError(f"{columns:,} columns; 1 to {MOST_COLUMNS:,} are possible")
    if (fields["num_class"], fields["num_tree_per_iteration"]) != ("1", "1"):
        raise ValueError("it has several classes; ours tell right from wrong")
    if not OBJECTIVES.fullmatch(fields["objective"]):
        raise ValueError(f"the objective is {fields['objective'][:40]!r}")
    infos = fields["feature_infos"].split()
    if len(infos) != columns or not all(map(INFO.fullmatch, infos)):
        raise ValueError(f"feature_infos does not tell the range of each of {columns} columns")
    kept = {
        "version": "v4", "num_class": "1", "num_tree_per_iteration": "1", "label_index": "0",
        "max_feature_idx": str(columns - 1), "objective": fields["objective"],
        "feature_names": " ".join(f"Column_{number}" for number in range(columns)),
        "feature_infos": " ".join(infos),
    }  # fmt: skip
    return ["tree", *(f"{key}={value}" for key, value in kept.items())], columns


def _tree(number: int, text: str, columns: int) -> str:
    """One tree as LightGBM writes it, from fields that fit each other."""
    try:
        first, _, rest = text.partition("\n")
        if first.strip() != str(number):
            raise ValueError(f"it is numbered {first[:20]!r}")
        return "\n".join([f"Tree={number}", *_sound(_fields(rest), columns), "", ""])
    except KeyError as error:
        raise ValueError(f"tree {number}: {error.args[0]} is missing") from error
    except ValueError as error:
        raise ValueError(f"tree {number}: {error}") from error


def _sound(fields: dict[str, str], columns: int) -> Iterator[str]:
    leaves = _whole(fields["num_leaves"], "num_leaves")
    if not 0 < leaves <= MOST_LEAVES:
        raise ValueError(f"{leaves:,} leaves; 1 to {MOST_LEAVES:,} are possible")
    if fields.get("num_cat", "0") != "0" or fields.get("is_linear", "0") != "0":
        raise ValueError("it has categories or linear leaves, which ours have not")
    yield from (f"num_leaves={leaves}", "num_cat=0")
    if leaves > 1:
        inner = leaves - 1
        splits = _whole_numbers(fields, "split_feature", inner)
        if not all(0 <= each < columns for each in splits):
            raise ValueError(f"split_feature names a column that is not one of {columns}")
        if not set(_whole_numbers(fields, "decision_type", inner)) <= DECISIONS:
            raise ValueError("decision_type has a value that ours have not")
        _words(fields, "threshold", inner, FINITE)
        left, right = (_whole_numbers(fields, f"{side}_child", inner) for side in ("left", "right"))
        _refuse_no_tree(left, right)
        kept = ("split_feature", "threshold", "decision_type", "left_child", "right_child")
        yield from (f"{name}={fields[name]}" for name in kept)
        _words(fields, "split_gain", inner, FINITE)
        yield f"split_gain={fields['split_gain']}"
    _words(fields, "leaf_value", leaves, FINITE)
    yield from (f"leaf_value={fields['leaf_value']}", "is_linear=0")
    [shrinkage] = _words({"shrinkage": "1", **fields}, "shrinkage", 1, FINITE)
    yield f"shrinkage={shrinkage}"


def _refuse_no_tree(left: Sequence[int], right: Sequence[int]) -> None:
    """Raise unless every node but the first, and every leaf, is the child of one node before it."""
    depths = {0: 0}
    leaves: set[int] = set()
    for node, children in enumerate(zip(left, right, strict=True)):
        for child in children:
            if child < 0:
                leaves.add(~child)
            elif node < child <= len(left) - 1 and child not in depths and node in depths:
                depths[child] = depths[node] + 1
            else:
                raise ValueError(f"node {child} is no child that node {node} can have")
    if leaves != set(range(len(left) + 1)) or len(depths) != len(left):
        raise ValueError("its nodes are no tree")
    if max(depths.values()) > DEEPEST:
        raise ValueError(f"it is deeper than {DEEPEST} nodes")


def _whole_numbers(fields: dict[str, str], name: str, count: int) -> list[int]:
    return [int(word) for word in _words(fields, name, count, WHOLE)]


def _words(fields: dict[str, str], name: str, count: int, form: re.Pattern[str]) -> list[str]:
    """The numbers of a line, as words; raises unless it has just as many, all of this form."""
    line = fields[name].strip()
    words = line.split(" ")
    if len(words) != count:
        raise ValueError(f"{name} has {len(words):,} numbers, {count:,} were expected")
    if not form.fullmatch(line):
        raise ValueError(f"{name} has something that is no number")
    return words


def _whole(word: str, name: str) -> int:
    [found] = _whole_numbers({name: word}, name, 1)
    return found
