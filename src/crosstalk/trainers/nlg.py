"""Template generators: extract templates from dialogues, rank the templates of files.

train_templates(Job(out=Path("models"), data=Path("crosswoz/val.json.zip")))
"""

import json
from pathlib import Path

from crosstalk.dialogue.dialogues import Speaker
from crosstalk.files import writing
from crosstalk.model_folders import Card, Provenance, write_card
from crosstalk.system.nlg.act_keys import ActKeys
from crosstalk.system.nlg.corpus_templates import (
    TemplateFiles,
    extract,
    rank_templates,
    template_file,
)
from crosstalk.system.nlg.parts import OWN, fetched_templates
from crosstalk.system.nlg.template_ranks import save_ranks
from crosstalk.system.part_models import ranks_model
from crosstalk.trainers.data import training_world
from crosstalk.trainers.job import Job
from crosstalk.worlds.world import find_world, load_world

TEMPLATES = "nlg"


def train_templates(job: Job) -> Path:
    """Extract a template from each turn: its text, with slots in place of the act values."""
    run, folder = job.start(), job.out / TEMPLATES
    schema, pack = run.schema_and_pack
    with job.reporter.training(folder) as watch:
        for speaker in Speaker:
            texts = extract(run.dialogues, ActKeys.of(schema, pack, speaker))
            with writing(template_file(folder, "auto", speaker)) as file:
                json.dump(texts, file, ensure_ascii=False, indent=1)
    run.write_card(
        folder,
        "templates by act keys, user and system",
        run.command("nlg"),
        language=pack.code,
        minutes=watch.minutes,
    )
    return folder


def rank_template_files(job: Job, templates: Path | None = None) -> Path:
    """Rank the templates of each group of acts by centrality, so that generation need not do it."""
    world, language = training_world(job.world, job.language, job.data, out=job.out)
    files = templates or fetched_templates(job.data)
    sayings = TemplateFiles(files, None if templates else find_world(world) / OWN)
    live = load_world(world, language=language, data=job.data)
    folder = job.out / ranks_model(live)
    for speaker in job.reporter.track(list(Speaker), doing="ranking"):
        save_ranks(folder, speaker, rank_templates(sayings, live, speaker))
    option = f" --templates {templates.name}" if templates else ""
    write_card(
        folder,
        Card(
            what="which templates of each group of acts are the most central, by number",
            command=f"crosstalk train nlg --model best --world {live.name}{option}",
            data=Provenance.of_file(template_file(files, "auto", Speaker.SYSTEM)),
            world=live.name,
            language=live.language.code,
        ),
    )
    return folder
