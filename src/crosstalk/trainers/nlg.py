"""Train generators from what people said: templates, and the ranks of template files.

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
from crosstalk.trainers.job import Job, TrainedModel, write_job_card
from crosstalk.worlds.world import find_world, load_schema, load_world

TEMPLATES = "nlg"


def train_templates(job: Job) -> Path:
    """Take a template from each turn: its text, with holes where the values of its acts stood."""
    source = job.source()
    schema, pack = load_schema(source.world, language=source.language)
    material, folder = job.material(source), job.out / TEMPLATES
    with job.reporter.training(folder) as watch:
        for speaker in Speaker:
            texts = extract(material.dialogues, ActKeys.of(schema, pack, speaker))
            with writing(template_file(folder, "auto", speaker)) as file:
                json.dump(texts, file, ensure_ascii=False, indent=1)
    what = "templates by act keys, user and system"
    card = TrainedModel(what, "nlg", material, source.world, pack.code, watch.minutes)
    write_job_card(folder, job, card)
    return folder


def rank_template_files(job: Job, templates: Path | None = None) -> Path:
    """Rank the templates of each group of acts by how central they are; speaking need not wait."""
    world, language = training_world(job.world, job.language, job.data)
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
