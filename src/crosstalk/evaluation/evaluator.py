"""Scores parts on a corpus: the rows of the papers' tables, as `crosstalk evaluate` prints them.

    evaluator = Evaluator(Path("val.json.zip"))
    evaluator.nlu("trees").score.overall.f1
    evaluator.dst("search").record["overall"]

`crosstalk evaluate` calls a method of `Evaluator`; it reads the corpus (corpus_world.py), builds
the part (evaluated_parts.py) and calls the scoring function of <part>_scores.py.
`crosstalk.evaluate` calls `score_part` with a live part.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any, Final, Generic, TypeVar

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.errors import InputError, WorldError
from crosstalk.evaluation.corpus_world import FittingCorpus, read_fitting, refuse_without_acts
from crosstalk.evaluation.dst_scores import (
    TrackingScore,
    WordsScore,
    form_reader,
    score_tracking,
    score_words,
)
from crosstalk.evaluation.evaluated_parts import EvaluationWorld, judged_part, standing_for
from crosstalk.evaluation.nlg_scores import GenerationScore, score_generation
from crosstalk.evaluation.nlu_scores import (
    UnderstandingScore,
    reader_of,
    score_understanding,
)
from crosstalk.evaluation.policy_scores import (
    PolicyScores,
    SLSwitches,
    answers_of,
    score_answers,
    score_policy,
)
from crosstalk.evaluation.user_scores import UserScores, figures_of_seeds, score_user
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.parts import CORRECTED, PAPER, PROTOCOLS, BuiltPart, refuse_unknown
from crosstalk.training.reporter import SILENT, Reporter
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import load_schema, with_tables_option

S = TypeVar("S")
Score = UnderstandingScore | TrackingScore | PolicyScores | GenerationScore | UserScores
NLU_INPUTS: Final = (
    "the words of the dialogue up to the utterance, who said them, the world's tables; "
    "acts of earlier turns as understood by the model itself"
)
"""The inputs of every NLU; `NLU_READS` lists those that read less."""
NLU_READS: Final = {
    "bert": "the words of the utterance and of the three before it",
    "bert-no-context": "the words of the utterance",
}
WORDPIECES: Final = tuple(NLU_READS)
"""The NLUs whose values are spelled as wordpieces."""
SPELLINGS: Final = ("raw", "wordpiece")
DST_INPUTS: Final = (
    "gold form before, gold acts, texts, forms and selections of all earlier turns, "
    "the world's tables"
)
DST_READS: Final = {
    "rule": "gold form before, gold user acts",
    "search": "gold form before, gold acts of all earlier turns, the world's tables",
    "trees-words": "gold form before, gold acts and texts of all earlier turns, the world's tables",
    "trade": "texts of all earlier turns",
}
TRACKING_INPUTS: Final = (
    "the words of the dialogue up to the user's turn, who said them, the world's tables; "
    "acts and forms as the models themselves understood and believed them"
)
TRACKING_READS: Final = {
    "trade": "the words of the dialogue up to the user's turn, and who said them",
}
POLICY_INPUTS: Final = "gold last form without its ticks, gold acts of all turns before"
USER_INPUTS: Final = "goal, gold state and acts of the user's last turn, gold system acts"
SL: Final = "sl"
"""The published policy, which depends on the protocol."""
RANDOM_TEMPLATE: Final = "template-random"
"""The published generator, quirks included, under any protocol."""
PUBLISHED_BLEU: Final = {
    Speaker.USER: {"template-random": 0.5780, "SC-LSTM": 0.7858},
    Speaker.SYSTEM: {"template-random": 0.6828, "SC-LSTM": 0.8595},
}
"""The paper's figures, on the whole CrossWOZ test."""


@dataclass(frozen=True, slots=True)
class Evaluated(Generic[S]):
    """A part's score on a corpus."""

    score: S
    part: str
    """The resolved name of the part."""
    record: dict[str, Any]
    """The figures with model, inputs and data digest, as JSON."""


@dataclass(frozen=True)
class Evaluator:
    """A corpus, and the world in which the scored parts are built."""

    data: Path
    """A corpus in any format we know, or a run folder; read when the first part is scored."""
    world: str | None = None
    """None: the one that the corpus names."""
    language: str | None = None
    tables: Path | None = None
    """Folder of fetched corpora, for worlds whose tables are fetched."""
    models: Path | None = None
    protocol: str = CORRECTED
    reporter: Reporter = SILENT

    @cached_property
    def corpus(self) -> FittingCorpus:
        """The corpus; raises InputError if it does not fit the world."""
        return read_fitting(
            self.data,
            world=self.world,
            language=self.language,
            models=self.models,
            reporter=self.reporter,
        )

    @property
    def where(self) -> EvaluationWorld:
        """Where the parts are built."""
        world, language = self.corpus.world, self.corpus.language
        return EvaluationWorld(world, language, self.tables, self.models, protocol=self.protocol)

    def nlu(
        self, model: str = "best", *, values: str | None = None
    ) -> Evaluated[UnderstandingScore]:
        """Micro F1 over exact acts of both sides (the NLU rows of Tables 8 and 9)."""
        spelling = value_spelling(model, values)
        built = self._part("nlu", model)
        dialogues = self._dialogues_with_acts("understanding")
        if built.name in WORDPIECES:
            bert = built.part.with_values(spelling)
            score = score_understanding(bert.understand_all, map(bert.as_judged, dialogues))
        else:
            score = score_understanding(reader_of(built.part), dialogues)
        if not score.utterances:
            raise InputError(
                f"{self.data}: holds no utterance",
                remedy="Give a corpus with texts and acts.",
            )
        inputs = NLU_READS.get(built.name, NLU_INPUTS)
        facts = {"model": model, "part": built.name, "inputs": inputs, "values": spelling}
        return Evaluated(score, built.name, {**score.figures(), **facts, **self._source})

    def dst(self, model: str = "best") -> Evaluated[TrackingScore]:
        """Joint accuracy over the 26 fields of the form (RuleDST's row in Table 8).

        The protocol `paper` withholds the system's acts from the rules, as published.
        """
        schema, pack = load_schema(self.corpus.world, language=self.corpus.language)
        built = self._part("dst", model)
        hidden = built.name == "rule" and self.protocol == PAPER
        dialogues = self._dialogues_with_acts("tracking")
        score = score_tracking(built.part, dialogues, schema, hide_system_acts=hidden)
        record = {
            **score.figures(),
            "model": model,
            "part": built.name,
            "protocol": self.protocol,
            "inputs": DST_READS.get(built.name, DST_INPUTS),
            "world": self.corpus.world_name,
            "language": pack.code,
            "sha256": self.corpus.digest,
        }
        return Evaluated(score, built.name, record)

    def tracking(self, model: str = "best", *, nlu: str = "best") -> Evaluated[WordsScore]:
        """Joint accuracy against the wizard's first form, from texts alone (TRADE's row)."""
        built = self._part("tracking", model)
        schema, _ = load_schema(self.corpus.world, language=self.corpus.language)
        read = form_reader(built.part, lambda: self._part("nlu", nlu).part, schema)
        score = score_words(read, self._dialogues("tracking"))
        if not score.joint.total:
            raise InputError(
                f"{self.data}: no system turn has a query form",
                remedy="Give a corpus with states, such as CrossWOZ val.",
            )
        inputs = TRACKING_READS.get(built.name, TRACKING_INPUTS)
        facts = {"model": model, "part": built.name, "inputs": inputs}
        return Evaluated(score, built.name, {**score.figures(), **facts, **self._source})

    def policy(
        self, model: str = "best", *, lingering: bool | None = None, mended: bool = False
    ) -> Evaluated[PolicyScores]:
        """Micro F1 of a policy's acts, with their values and without them.

        `lingering` and `mended` concern `sl` alone: whether bounds of earlier queries linger (None:
        in the protocol `paper`), and whether our lexicaliser replaces the published one.
        """
        switches = SLSwitches.of(self.protocol, lingering, mended)
        built = self._part("policy", model)
        answer = switches.answers(built.part) if built.name == SL else answers_of(built.part)
        scores = score_answers(answer, self._dialogues_with_acts("judging"))
        if not scores.overall.turns:
            raise InputError(
                f"{self.data}: no system turn has a query form, which policies start from",
                remedy="Give a corpus with system states, such as CrossWOZ.",
            )
        record = {
            **scores.figures(),
            "model": model,
            "part": built.name,
            "protocol": switches.protocol,
            **(switches.record() if built.name == SL else {}),
            "inputs": POLICY_INPUTS + (switches.told if built.name == SL else ""),
            **self._source,
        }
        return Evaluated(scores, built.name, record)

    def nlg(
        self,
        side: str,
        model: str = "best",
        *,
        templates: Path | None = None,
        seed: int = 0,
    ) -> Evaluated[GenerationScore]:
        """BLEU-4 with grouped references: each turn of a side generated again from its acts."""
        speaker = speaker_of(side)
        published = model == RANDOM_TEMPLATE
        protocol = PAPER if published else self.protocol
        where = replace(self.where, protocol=protocol, templates=templates, speaker=speaker)
        built = self._part("nlg", "template" if published else model, where)
        score = self._say_anew(built, speaker, seed)
        facts: dict[str, Any] = {"model": model, "part": built.name, "side": side, "seed": seed}
        facts |= self._source
        if built.name == "sclstm":
            as_published = self.protocol == PAPER
            facts["services"] = "dropped, as published" if as_published else "mended"
        record = {**score.figures(), **facts, "published": PUBLISHED_BLEU[speaker]}
        return Evaluated(score, model if published else built.name, record)

    def _say_anew(self, built: BuiltPart, speaker: Speaker, seed: int) -> GenerationScore:
        schema, language = load_schema(self.corpus.world, language=self.corpus.language)
        keys, rng = ActKeys.of(schema, language, speaker), Random(seed)
        dialogues = self._dialogues_with_acts("generating")
        score = score_generation(
            lambda acts: built.part.say(acts, rng), dialogues, keys, language=language.code
        )
        if not score.bleu.sentences:
            raise InputError(
                f"{self.data}: no turn of the {speaker} to compare with",
                remedy="Give a corpus that holds the texts and acts of both sides.",
            )
        return score

    def user(
        self, model: str = "best", *, seeds: int = 5, seed: int = 1, any_order: bool = False
    ) -> Evaluated[list[UserScores]]:
        """Joint state accuracy and act F1 of a simulated user, means over seeds.

        The learned user draws nothing at random and is judged once. `any_order`: lists are equal in
        any order, unlike in the published figures.
        """
        protocol = self.protocol
        if protocol not in PROTOCOLS:
            refuse_unknown("protocol", protocol, PROTOCOLS)
        built = self._part("user", model)
        draws = range(seed, seed + (1 if built.name == "trees" else seeds))
        scores = [
            score_user(
                built.part,
                self.corpus.dialogues,
                Random(number),
                keep_changes=built.name == "rule" and protocol == PAPER,
                ordered=not any_order,
            )
            for number in self.reporter.track(draws, doing="judging")
        ]
        if not scores[0].overall.states.total:
            raise InputError(
                f"{self.data}: no dialogue with a goal and user states to judge against",
                remedy="Give a corpus with goals, such as CrossWOZ.",
            )
        record = {
            **figures_of_seeds(scores),
            "model": model,
            "part": built.name,
            "protocol": protocol,
            "seeds": list(draws),
            "list_order": "any" if any_order else "as stored",
            "inputs": USER_INPUTS,
            **self._source,
        }
        return Evaluated(scores, built.name, record)

    def _part(self, evaluation: str, asked: str, where: EvaluationWorld | None = None) -> BuiltPart:
        """The part of a name; an alias is reported as a notice."""
        try:
            built = judged_part(evaluation, asked, where or self.where)
        except WorldError as error:
            raise with_tables_option(error) from error
        if words := standing_for(built):
            self.reporter.notice(words)
        return built

    def _dialogues_with_acts(self, doing: str) -> Iterator[Dialogue]:
        """All dialogues of a corpus that has acts; raises InputError for one that has none."""
        refuse_without_acts(self.corpus.dialogues, str(self.data))
        return self._dialogues(doing)

    def _dialogues(self, doing: str) -> Iterator[Dialogue]:
        return self.reporter.track(self.corpus.dialogues, doing=doing)

    @property
    def _source(self) -> dict[str, str]:
        return {"world": self.corpus.world_name, "sha256": self.corpus.digest}


def score_part(
    kind: str,
    part: Any,
    dialogues: Iterable[Dialogue],
    world: World,
    *,
    side: Speaker = Speaker.SYSTEM,
    seed: int = 0,
) -> Score:
    """Score a live part under the corrected protocol; `side`: whose turns an nlg generates."""
    rng = Random(seed)
    match kind:
        case "nlu":
            return score_understanding(reader_of(part), dialogues)
        case "dst":
            return score_tracking(part, dialogues, world.schema, hide_system_acts=False)
        case "policy":
            return score_policy(part, dialogues)
        case "nlg":
            keys = ActKeys.of(world.schema, world.language, side)
            code = world.language.code
            return score_generation(
                lambda acts: part.say(acts, rng), dialogues, keys, language=code
            )
        case _:
            return score_user(part, list(dialogues), rng)


def value_spelling(model: str, values: str | None) -> str:
    """The spelling of values: the one given, else that of the published figures."""
    if values not in (None, *SPELLINGS):
        raise InputError(f"--values {values}: unknown", remedy=f"Known: {', '.join(SPELLINGS)}.")
    if model not in WORDPIECES and values == "wordpiece":
        raise InputError(
            "--values wordpiece: only models with wordpieces can spell like that",
            remedy="Leave --values away, or choose --model bert.",
        )
    return values or ("wordpiece" if model in WORDPIECES else "raw")


def speaker_of(side: str) -> Speaker:
    """The speaker of `usr` or `sys`, the names in published corpora."""
    match side:
        case "usr" | "user":
            return Speaker.USER
        case "sys" | "system":
            return Speaker.SYSTEM
        case _:
            raise InputError(f"--side {side}: there is no such side", remedy="Give usr or sys.")
