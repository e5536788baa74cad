"""Print the software bill of materials of a lock file, as CycloneDX JSON: `make sbom`.

    python -m recipes.supply.sbom requirements/base.txt > sbom.json

Every locked package with its version, its licence as the installed package states it, and the
digests of its published files.
"""

import json
import sys
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

from recipes.supply.hashes import hashes_of

from crosstalk import __version__


def bill_of_materials(lock: str) -> dict[str, Any]:
    """The bill for the text of a lock file."""
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "name": "crosstalk-dialogue",
                "version": __version__,
                "licenses": [{"expression": "Apache-2.0 AND Unicode-3.0"}],
            }
        },
        "components": [_component(pin, found) for pin, found in hashes_of(lock).items()],
    }


def _component(pin: str, digests: list[str]) -> dict[str, Any]:
    name, version = pin.split("==")
    address = f"pkg:pypi/{name}@{version}"
    files = [
        {"type": "distribution", "url": address, "hashes": [{"alg": "SHA-256", "content": each}]}
        for each in digests
    ]
    found = {"type": "library", "name": name, "version": version, "purl": address}
    licence = _licence(name)
    stated = {"licenses": [{"license": {"name": licence}}]} if licence else {}
    return {**found, "bom-ref": address, **stated, "externalReferences": files}


def _licence(name: str) -> str:
    """What the installed package states; empty where it is not installed or states nothing."""
    try:
        stated = metadata(name)
    except PackageNotFoundError:
        return ""
    for field in ("License-Expression", "License"):
        if field in stated:
            return str(stated[field]).split("\n")[0]
    classes = [each for each in stated.get_all("Classifier") or [] if each.startswith("License")]
    return next(iter(classes), "").rpartition(":: ")[2]


if __name__ == "__main__":
    lock = Path(sys.argv[1]).read_text(encoding="utf-8")
    json.dump(bill_of_materials(lock), sys.stdout, indent=1, ensure_ascii=True)
    print()
