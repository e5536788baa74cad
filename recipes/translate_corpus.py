"""A corpus from one language into another: machine, editor, two annotators, finished corpus.

    python recipes/translate_corpus.py [LANGUAGE]

The corpus is simulated in `harbour`, which speaks five languages; the editor knows what it should
say, one annotator is a little stricter than the other. With people, the pages of `crosstalk
translate edit` and `crosstalk translate judge` take their places.
"""

import sys
from pathlib import Path

from crosstalk.corpora.corpus import read_corpus, write_corpus
from crosstalk.evaluation.quality_control import Pair, judge_agreement
from crosstalk.simulation.build import Setup
from crosstalk.simulation.sessions import Plan, simulated_dialogues
from crosstalk.translation.appendix_files import read_segments
from crosstalk.translation.checks import check_translation
from crosstalk.translation.control import draw_sample
from crosstalk.translation.finished_corpus import finisher
from crosstalk.translation.glossary import read_glossary
from crosstalk.translation.machine_translation import StartOptions, start_translation
from crosstalk.translation.parallel_corpora import write_parallel
from crosstalk.translation.post_editing import EditingQueue, EditRequest


def main(language: str = "de") -> None:
    simulate(Path("memory"), count=12, seed=1)
    simulate(Path("town"), count=3, seed=2)
    work = Path("work.json")
    start(work, language)
    edit(work, language)

    segments = read_segments(work)
    glossary = read_glossary(Path(f"memory/en-{language}.glossary.json"))
    found = check_translation(segments, "en", language, glossary)
    print(f"{found.finished} utterances edited, {found.problems} problems")
    judge(work)
    finished = finisher(segments, glossary, "en", language).finish(
        read_corpus(Path("town/en.jsonl"))
    )
    write_corpus(finished, Path(f"{language}.jsonl"), to="native")
    print(f"finished: {next(read_corpus(Path(f'{language}.jsonl'))).turns[0].text}")


def simulate(folder: Path, count: int, seed: int) -> None:
    """Dialogues of the town in all of its languages."""
    held = simulated_dialogues(Plan(seed, count=count), Setup("harbour", words=True))
    write_parallel(list(held), "harbour", folder)


def start(work: Path, language: str) -> None:
    """Stage 1: what was translated before, and the glossary."""
    options = StartOptions(
        language,
        glossary=Path(f"memory/en-{language}.glossary.json"),
        memory=(Path(f"memory/en-{language}.json"),),
    )
    start_translation(Path("town/en.jsonl"), work, options)


def edit(work: Path, language: str) -> None:
    """Stage 2: an editor who knows what the town says in this language."""
    wanted = {each.key: each for each in read_segments(Path(f"town/en-{language}.json"))}
    queue = EditingQueue(work, languages=("en", language), editors=["Ana"])
    for segment in queue.all_segments():
        better = wanted[segment.key]
        queue.save(EditRequest(*segment.key, better.text, better.text_values, revision=0), "Ana")
    changed = sum(each.changed_utterance for each in queue.all_segments())
    queue.close()
    print(f"{changed} of {len(wanted)} utterances of the machine were changed")


def judge(work: Path) -> None:
    """Stage 3: the second annotator does not like the seventh turn of anything."""
    sample = draw_sample(read_segments(work), 0.7, seed=0)
    pairs = [Pair(each.dialogue, "", "", (True, each.turn != 7), (True, True)) for each in sample]
    found = judge_agreement(pairs).acceptable
    print(f"agreement {found.agreement.value:.1f} %, kappa {found.kappa.value:.2f}, ", end="")
    print(f"AC1 {found.ac1.value:.2f}: kappa cannot see agreement where everybody says yes")


if __name__ == "__main__":
    main(*sys.argv[1:])
