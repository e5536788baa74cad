"""What tokens cost: a price given by the user, or the offline table of `genai-prices`."""

from collections.abc import Callable
from importlib.util import find_spec

from crosstalk.agents.chat_client import Usage

MILLION = 1_000_000


def price_of(
    model: str, price_in: float | None = None, price_out: float | None = None
) -> Callable[[Usage], float | None]:
    """Dollars for some usage; None where the price or the usage is unknown, never 0."""
    if price_in is not None or price_out is not None:
        return lambda usage: _given(usage, price_in or 0.0, price_out or 0.0)
    if find_spec("genai_prices") is None:
        return lambda usage: None
    return lambda usage: _looked_up(model, usage)


def _given(usage: Usage, price_in: float, price_out: float) -> float | None:
    if usage.prompt is None and usage.completion is None:
        return None
    return ((usage.prompt or 0) * price_in + (usage.completion or 0) * price_out) / MILLION


def _looked_up(model: str, usage: Usage) -> float | None:
    import genai_prices

    used = genai_prices.Usage(input_tokens=usage.prompt or 0, output_tokens=usage.completion or 0)
    try:
        return float(genai_prices.calc_price(used, model_ref=model).total_price)
    except LookupError:
        return None
