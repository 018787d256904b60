"""Where the files are that tests read."""

import json
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
PROJECT = PACKAGE.parents[1]


def json_of(path):
    return json.loads((PROJECT / path).read_text("utf-8"))
