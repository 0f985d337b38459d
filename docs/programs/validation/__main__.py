"""Write the tables of docs/validation.md and the figure of the hysteresis from stored values.

`--store` first runs the cases whose scenarios have changed since, and their plain loops; `--all` runs every case.
"""

import json
from argparse import ArgumentParser
from functools import partial

from cogapp import Cog

from docs.programs.validation.cases import CASES, FILE, stored
from docs.programs.validation.page import PAGE, draw

dumped = partial(json.dumps, ensure_ascii=False)
parser = ArgumentParser(prog="python -m docs.programs.validation", description=__doc__)
parser.add_argument("--store", action="store_true", help="run cases that have changed")
parser.add_argument("--all", action="store_true", help="run all cases")
asked = parser.parse_args()
values = stored()
for name, case in CASES.items():
    if asked.all or (asked.store and values.get(name, {}).get("digest") != case.digest()):
        values[name] = case.measured()
        lines = [f" {dumped(one)}: {dumped(values[one])}" for one in CASES if one in values]
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
Cog().main(["cog", "-r", str(PAGE)])
draw(values)
