"""`crosstalk world stats`: a world's tables in numbers."""

from typing import Annotated

import typer

from crosstalk.cli.data_stats import AsMarkdown, refuse_both, show_tables
from crosstalk.cli.options import AsJson, Data, Language
from crosstalk.cli.output import print_json


def stats(
    world: Annotated[str, typer.Argument(help="harbour, crosswoz, or a world folder.")] = "harbour",
    language: Language = None,
    data: Data = None,
    as_json: AsJson = False,
    as_markdown: AsMarkdown = False,
) -> None:
    """Count a world's entities, slots and nearby relations: Table 3 of the CrossWOZ paper."""
    from crosstalk.database.worlds import load_world
    from crosstalk.statistics.databases import count_world

    refuse_both(as_json, as_markdown)
    loaded = load_world(world, language=language, data=data)
    places = count_world(loaded)
    if as_json:
        from crosstalk.statistics.summary import world_summary

        print_json({"world": loaded.name, "domains": world_summary(places)})
    else:
        from crosstalk.statistics.tables import world_table

        show_tables([world_table(places, loaded.language.domain_name)], as_markdown)
