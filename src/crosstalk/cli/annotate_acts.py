"""`crosstalk annotate acts` and `annotate evaluate`: acts from states."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crosstalk.cli.data_convert import Format
from crosstalk.cli.options import AsJson, Corpus, Language
from crosstalk.cli.output import percent, print_json, print_table, track, warn
from crosstalk.errors import InputError, WorldError

if TYPE_CHECKING:
    from crosstalk.annotation.annotator import Annotator
    from crosstalk.dialogue.dialogues import Dialogue
    from crosstalk.evaluation.annotation import AnnotationScore
    from crosstalk.evaluation.counts import Hits

INPUTS = (
    "words, user states of all turns, first and last queries with their selections, goal, tables, "
    "keywords; no act"
)

World = Annotated[
    str | None,
    typer.Option("--world", help="A world, or its folder; default: the one each dialogue names."),
]
Tables = Annotated[
    Path | None,
    typer.Option("--tables", envvar="CROSSTALK_DATA", help="Data folder with fetched tables."),
]
To = Annotated[
    Format | None, typer.Option("--to", help="The format to write; default: that of FILE.")
]
ShowRules = Annotated[bool, typer.Option("--rules", help="Show what each rule found, too.")]


def acts(
    file: Corpus,
    out: Annotated[Path, typer.Argument(help="The file to write; `.json.zip` is packed.")],
    to: To = None,
    world: World = None,
    language: Language = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Derive the acts of both sides from states, selections, tables and keywords.

    Acts that FILE has are not looked at; OUT has the derived ones in their place.
    """
    from crosstalk.formats.card import Counted
    from crosstalk.formats.corpus import read_corpus, recognise, write_corpus

    annotators = Annotators(world, language, tables)
    dialogues = track(read_corpus(file), doing="annotating")
    counted = Counted(annotators.of(each).annotate(each) for each in dialogues)
    write_corpus(counted, out, to=to.value if to else recognise(file))
    counts = counted.counts
    if annotators.stateless:
        warn(f"{annotators.stateless:,} dialogues lack user states; they get few acts")
    if as_json:
        print_json({"file": str(out), "dialogues": counts.dialogues, "turns": counts.turns})
    else:
        print(f"{out}: {counts.dialogues:,} dialogues, {counts.turns:,} turns")


def evaluate(
    file: Corpus,
    rules: ShowRules = False,
    world: World = None,
    language: Language = None,
    tables: Tables = None,
    as_json: AsJson = False,
) -> None:
    """Derive the acts of FILE anew and compare them with those it has: F1 over exact acts."""
    from crosstalk.files import sha256_of
    from crosstalk.formats.corpus import corpus_file, read_corpus

    annotators = Annotators(world, language, tables)
    score = _score(annotators, track(read_corpus(file), doing="annotating"))
    if score.acts.overall.recall is None:
        raise InputError(
            f"{file}: no turn has an act to compare with",
            remedy="`crosstalk annotate acts` derives acts; this command judges them.",
        )
    if as_json:
        told = {**_figures(score), **({"rules": list(_rules(score))} if rules else {})}
        print_json({**told, "inputs": INPUTS, "sha256": sha256_of(corpus_file(file))})
        return
    print_table("Acts from states", ["", "F1 %", "precision", "recall"], _rows(score))
    if rules:
        table = [
            [each["rule"], each["why"], f"{each['found']:,}", percent(each["precision"])]
            for each in _rules(score)
        ]
        print_table("Rules", ["", "why", "acts", "precision"], table)


class Annotators:
    """The annotator of each dialogue's world and language, made when first needed."""

    def __init__(self, world: str | None, language: str | None, tables: Path | None) -> None:
        self._world = world
        self._language = language
        self._tables = tables
        self._made: dict[tuple[str, str | None], Annotator] = {}
        self.stateless = 0
        """Dialogues in which no user ticked anything: most acts of theirs cannot be derived."""

    def of(self, dialogue: "Dialogue") -> "Annotator":
        self.stateless += all(turn.user_state is None for turn in dialogue.turns)
        name = self._world or dialogue.world
        language = self._language or (dialogue.language or None)
        if not name:
            raise InputError(
                f"dialogue {dialogue.id} does not say in which world it takes place",
                remedy="Name it: --world harbour, or the folder of your own.",
            )
        if (name, language) not in self._made:
            try:
                self._made[name, language] = self._make(name, language)
            except WorldError as error:
                if self._world:
                    raise
                remedy = f"{error.remedy} --world overrides what the dialogues say."
                raise WorldError(error.message, remedy=remedy) from error
        return self._made[name, language]

    def _make(self, name: str, language: str | None) -> "Annotator":
        from crosstalk.annotation.annotator import Annotator
        from crosstalk.database.worlds import find_world
        from crosstalk.trainers.job import world_with_tables

        return Annotator.of(world_with_tables(name, language, self._tables), find_world(name))


def _score(annotators: Annotators, dialogues: "Iterable[Dialogue]") -> "AnnotationScore":
    from crosstalk.evaluation.annotation import AnnotationScore, score_dialogue

    score = AnnotationScore()
    for dialogue in dialogues:
        score += score_dialogue(annotators.of(dialogue), dialogue)
    return score


def _figures(score: "AnnotationScore") -> dict[str, Any]:
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.evaluation.counts import Hits
    from crosstalk.evaluation.rates import rounded

    sides = {side: score.acts.by_side.get(side, Hits()) for side in Speaker}
    return {
        "f1": rounded(score.acts.overall.f1),
        "usr_f1": rounded(sides[Speaker.USER].f1),
        "sys_f1": rounded(sides[Speaker.SYSTEM].f1),
        "precision": rounded(score.acts.overall.precision),
        "recall": rounded(score.acts.overall.recall),
        "by_intent": {
            intent: rounded(hits.f1) for intent, hits in sorted(score.acts.by_intent.items())
        },
        "turns": score.acts.utterances,
    }


def _rows(score: "AnnotationScore") -> list[list[str]]:
    parts: list[tuple[str, Hits]] = [("overall", score.acts.overall)]
    parts += sorted((str(side), hits) for side, hits in score.acts.by_side.items())
    parts += sorted(score.acts.by_intent.items())
    return [
        [name, percent(hits.f1), percent(hits.precision), percent(hits.recall)]
        for name, hits in parts
    ]


def _rules(score: "AnnotationScore") -> Iterator[dict[str, Any]]:
    """Every rule, also those that found nothing."""
    from crosstalk.annotation.system_rules import SYSTEM_RULES
    from crosstalk.annotation.user_rules import USER_RULES
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.evaluation.counts import Share
    from crosstalk.evaluation.rates import rounded

    of_user = [(Speaker.USER, rule.name, rule.why) for rule in USER_RULES]
    of_system = [(Speaker.SYSTEM, rule.name, rule.why) for rule in SYSTEM_RULES]
    for side, name, why in of_user + of_system:
        share = score.rules.get((side, name), Share())
        yield {
            "rule": f"{side}: {name}",
            "why": why,
            "found": share.total,
            "precision": rounded(share.percent),
        }
