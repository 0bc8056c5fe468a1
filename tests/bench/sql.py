#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""sql.py ENGINE [LOG]: different addresses of each page in a log, by a database.

ENGINE is duckdb or clickhouse, exactly, or duckdb-approx or clickhouse-approx, by
its own HyperLogLog. Rows "number TAB page" as hll-count --by prints them, but in
any order. Without LOG: is that engine here?
"""

import sys

DUCKDB = """COPY (
    SELECT {count}, column06 FROM read_csv('{log}', delim=' ', header=false, quote='',
        escape='', all_varchar=true, null_padding=true, strict_mode=false, auto_detect=false,
        columns={{{columns}}})
    GROUP BY 2) TO '/dev/stdout' (HEADER false, DELIMITER '\t', QUOTE '')"""

# A user agent has up to 20 words or so.
COLUMNS = ", ".join(f"'column{i:02}': 'VARCHAR'" for i in range(40))

CLICKHOUSE = """SELECT {count}(field[1]), field[7] AS page FROM
    (SELECT splitByChar(' ', line) AS field FROM file('{log}', 'LineAsString', 'line String'))
    GROUP BY page"""


def duckdb(how, log):
    import duckdb as engine
    if log:
        count = "approx_count_distinct(column00)" if how == "approx" else "count(DISTINCT column00)"
        engine.sql(DUCKDB.format(count=count, log=log, columns=COLUMNS))


def clickhouse(how, log):
    import chdb as engine
    if log:
        count = "uniqHLL12" if how == "approx" else "uniqExact"
        sys.stdout.write(str(engine.query(CLICKHOUSE.format(count=count, log=log), "TSV")))


name, _, how = sys.argv[1].partition("-")
{"duckdb": duckdb, "clickhouse": clickhouse}[name](how, sys.argv[2] if len(sys.argv) > 2 else None)
