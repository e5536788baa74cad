"""Retrievers by name, as `crosstalk transfer retrieve` asks for them."""

from crosstalk.errors import InputError
from crosstalk.transfer.build_published_retriever import PublishedMaker
from crosstalk.transfer.build_retriever import BestMaker
from crosstalk.transfer.retrieve_order import RetrieveOrder

MODELS = ("best", "published")
Maker = BestMaker | PublishedMaker


def maker(model: str, order: RetrieveOrder) -> Maker:
    if model == "best":
        return BestMaker(order)
    if model == "published":
        return PublishedMaker(order)
    raise InputError(
        f"there is no retriever called {model!r}", remedy=f"Known: {', '.join(MODELS)}."
    )
