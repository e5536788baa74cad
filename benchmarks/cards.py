"""The cards of trained models, by name: `python -m benchmarks.cards [MODELS]`.

Those of the folder MODELS where it has them, else those that ship: what each learnt from, and the
figures of its cross-validation.
"""

import json
import sys
from pathlib import Path
from typing import Any

from crosstalk.model_folders import all_model_folders, read_card


def cards(own: Path | None) -> dict[str, dict[str, Any]]:
    return {each.name: read_card(each) for each in reversed(all_model_folders(own))}


if __name__ == "__main__":
    given = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    print(json.dumps(cards(given), ensure_ascii=False, indent=1))
