"""`crosstalk train nlg`: templates from an annotated corpus."""

import json
from pathlib import Path
from typing import Annotated

import typer

from crosstalk.cli.options import CorpusOption, Language, World
from crosstalk.cli.output import track


def train_nlg(
    data: CorpusOption,
    out: Annotated[
        Path, typer.Option("--out", help="The models folder; the templates go to OUT/nlg.")
    ],
    world: World = "crosswoz",
    language: Language = None,
) -> None:
    """Take from each turn a template: its text, with holes where the values of its acts stood."""
    from crosstalk.database.worlds import load_schema
    from crosstalk.dialogue.dialogues import Speaker
    from crosstalk.files import writing
    from crosstalk.formats.corpus import corpus_file, read_corpus
    from crosstalk.model_folders import write_card
    from crosstalk.modules.nlg.crosswoz import template_file
    from crosstalk.modules.nlg.extraction import extract
    from crosstalk.modules.nlg.keys import ActKeys

    schema, pack = load_schema(world, language=language)
    dialogues = list(track(read_corpus(data), doing="reading"))
    for speaker in Speaker:
        texts = extract(dialogues, ActKeys.of(schema, pack, speaker))
        with writing(template_file(out / "nlg", "auto", speaker)) as file:
            json.dump(texts, file, ensure_ascii=False, indent=1)
    write_card(
        out / "nlg",
        what="templates by act keys, user and system",
        command=f"crosstalk train nlg --data {data.name}",
        corpus=corpus_file(data),
        dialogues=len(dialogues),
        seed=0,
    )
    print(out / "nlg")
