#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""column.py NAME: the numbers in a column of the CSV that qsv prints, a line each."""

import csv
import re
import sys

for row in csv.DictReader(sys.stdin):
    for name, cell in row.items():
        if name == sys.argv[1]:
            # Percentiles are "50: 12|99: 34".
            print(*(re.sub(r".*: *", "", part) for part in cell.split("|")), sep="\n")
