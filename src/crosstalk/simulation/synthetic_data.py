"""Synthetic dialogues: training data for worlds and languages without a corpus.

    dialogues = list(practice_dialogues("harbour", "en", 300, seed=1))

A simulated user and a system exchange acts; the world's own templates put both sides into words.
Every turn therefore has gold acts and states, and every dialogue its goal. A dialogue depends only
on the seed and its number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from crosstalk.dialogue.dialogues import Dialogue, Speaker
from crosstalk.dialogue.goals import Goal
from crosstalk.goals.sampler import goal_rng, goal_sampler
from crosstalk.simulation.build import GIVEN, Setup, Simulation, build
from crosstalk.simulation.sessions import simulated_dialogue
from crosstalk.system.build import WORDS
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.answer_nlg import AnswerNLG
from crosstalk.system.nlg.corpus_templates import extract, generator_of, read_world_corrections
from crosstalk.system.nlg.generator import Generator
from crosstalk.system.nlg.parts import OWN
from crosstalk.system.parts import CORRECTED, phrases_of
from crosstalk.worlds.tables import World
from crosstalk.worlds.world import find_world


def practice_dialogues(
    world_name: str,
    language: str | None,
    count: int,
    seed: int,
    *,
    user: str = "best",
    nlg: str = "best",
    data: Path | None = None,
    start: int = 0,
) -> Iterator[Dialogue]:
    """`count` dialogues in words, from number `start` on.

    The default user is learned from people: it greets, thanks, names places and repeats itself;
    `user="rule"` is the published one. `nlg="template"` draws any template, not the usual ones.
    """
    simulation = build(
        Setup(world_name, language, data, user=user, words=True, nlg=nlg, user_nlg=nlg)
    )
    sampler = replace(goal_sampler(simulation.world), describer=None)  # descriptions are not needed
    for number in range(start, start + count):
        yield _numbered(simulation, sampler.sample(goal_rng(seed, number)), seed, number)


def dialogues_in_words_of(
    corpus: Sequence[Dialogue],
    world_name: str,
    language: str | None,
    count: int,
    seed: int,
    *,
    data: Path | None = None,
) -> Iterator[Dialogue]:
    """Simulated dialogues in the words of a corpus: templates are extracted from its turns.

    Templates of the world's own, where it has some, replace those of the corpus for the system, and
    sentences for acts that no corpus has are the ones our systems use. The rule user holds the
    first half of the dialogues, the learned user the second.
    """
    generators: dict[Speaker, Generator] = {}
    for number in range(count):
        if number in (0, count // 2):
            user = "trees" if number else "rule"
            simulation = build(Setup(world_name, language, data, user=user))
            sampler = replace(goal_sampler(simulation.world), describer=None)
            generators = generators or dict(_voices_of(corpus, simulation.world))
        talked = replace(simulation, generators=generators)
        yield _numbered(talked, sampler.sample(goal_rng(seed, number)), seed, number)


def _voices_of(corpus: Sequence[Dialogue], world: World) -> Iterator[tuple[Speaker, Generator]]:
    folder = world.folder or find_world(world.name)
    book = phrases_of(folder, world)
    for speaker in Speaker:
        texts = extract(corpus, ActKeys.of(world.schema, world.language, speaker))
        own = read_world_corrections(folder / OWN, speaker) if speaker is Speaker.SYSTEM else {}
        generator = generator_of({**texts, **own}, world, speaker)
        if book is not None and speaker is Speaker.SYSTEM:
            yield speaker, AnswerNLG(generator, world, book)
        else:
            yield speaker, generator


def misheard_dialogues(
    world_name: str,
    language: str | None,
    count: int,
    seed: int,
    *,
    nlu: str,
    protocol: str = CORRECTED,
    data: Path | None = None,
    models: Path | None = None,
    start: int = 0,
) -> Iterator[Dialogue]:
    """`count` dialogues with a system that understands words with `nlu`, errors included.

    The rule user draws any template, under the protocol `paper` as published; it is handed the
    system's acts. Every turn has the acts that were meant, whatever was understood.
    """
    setup = Setup(world_name, language, data, models, user="rule", level=WORDS, nlu=nlu)
    simulation = build(replace(setup, user_nlu=GIVEN, user_nlg="template", user_protocol=protocol))
    sampler = replace(goal_sampler(simulation.world), describer=None)
    for number in range(start, start + count):
        yield _numbered(simulation, sampler.sample(goal_rng(seed, number)), seed, number)


def _numbered(simulation: Simulation, goal: Goal, seed: int, number: int) -> Dialogue:
    return simulated_dialogue(
        simulation,
        goal,
        seed=f"practice {seed}:{number}",
        id=f"{simulation.world.name}-practice-{seed}-{number}",
        patience=0,
    )
