#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""sql.py ENGINE [QUESTION FILE...]: what a database answers about a file of lines.

ENGINE is duckdb or clickhouse, exactly, or with -approx behind it, by what the
database has for that; ENGINE alone: is it here? "-version" as the QUESTION prints
which. The questions, and what is printed:

    distinct   how many lines are different
    field      how many first fields
    keys       the hundred seventh fields with most first fields, "number TAB field"
    topfield   the ten most frequent first fields, "number TAB field"
    topline    the ten most frequent lines, "number TAB line"
    dedup      each line once, in any order
    member     FILE SET: how many lines of FILE are in SET
    quantile   two numbers, the median and the 99th percentile
    lookup     FILE ITEMS: "number TAB line" for each line of ITEMS

An engine that names the ten without counts prints 0 before each.
"""

import sys


def duck_lines(name):
    return (f"read_csv('{name}', delim='\x01', header=false, quote='', escape='',"
            " auto_detect=false, columns={'line': 'VARCHAR'})")


def duck_fields(name):
    # A user agent has up to 20 words or so.
    columns = ", ".join(f"'column{i:02}': 'VARCHAR'" for i in range(40))
    return (f"read_csv('{name}', delim=' ', header=false, quote='', escape='', all_varchar=true,"
            f" null_padding=true, strict_mode=false, auto_detect=false, columns={{{columns}}})")


def duck_numbers(name):
    return f"read_csv('{name}', header=false, auto_detect=false, columns={{'x': 'BIGINT'}})"


def duck_top(approx, column, source):
    if approx:
        return f"SELECT 0, unnest(approx_top_k({column}, 10)) FROM {source}"
    return f"SELECT count(*), {column} FROM {source} GROUP BY 2 ORDER BY 1 DESC LIMIT 10"


def duck_query(question, approx, names):
    first = names[0]
    count = "approx_count_distinct({})" if approx else "count(DISTINCT {})"
    if question == "distinct":
        return f"SELECT {count.format('line')} FROM {duck_lines(first)}"
    if question == "field":
        return f"SELECT {count.format('column00')} FROM {duck_fields(first)}"
    if question == "keys":
        return (f"SELECT {count.format('column00')}, column06 FROM {duck_fields(first)} GROUP BY 2"
                " ORDER BY 1 DESC LIMIT 100")
    if question == "topfield":
        return duck_top(approx, "column00", duck_fields(first))
    if question == "topline":
        return duck_top(approx, "line", duck_lines(first))
    if question == "dedup":
        return f"SELECT DISTINCT line FROM {duck_lines(first)}"
    if question == "member":
        return (f"SELECT count(*) FROM {duck_lines(first)} WHERE line IN"
                f" (SELECT line FROM {duck_lines(names[1])})")
    if question == "quantile":
        how = "approx_quantile" if approx else "quantile_disc"
        return f"SELECT unnest({how}(x, [0.5, 0.99])) FROM {duck_numbers(first)}"
    return (f"SELECT n, line FROM (SELECT count(*) AS n, line FROM {duck_lines(first)} GROUP BY 2)"
            f" SEMI JOIN {duck_lines(names[1])} USING (line)")


def house_lines(name):
    return f"file('{name}', 'LineAsString', 'line String')"


def house_field(n):
    return f"splitByChar(' ', line, {n + 1})[{n}]"


def house_top(approx, item, source):
    if approx:
        return (f"SELECT t.2, t.1 FROM (SELECT arrayJoin(topK(10, 3, 'counts')({item})) AS t"
                f" FROM {source})")
    return f"SELECT count() AS n, {item} AS k FROM {source} GROUP BY k ORDER BY n DESC LIMIT 10"


def house_query(question, approx, names):
    source = house_lines(names[0])
    count = "uniqHLL12" if approx else "uniqExact"
    if question == "distinct":
        return f"SELECT {count}(line) FROM {source}"
    if question == "field":
        return f"SELECT {count}({house_field(1)}) FROM {source}"
    if question == "keys":
        return (f"SELECT {count}({house_field(1)}) AS n, {house_field(7)} AS k FROM {source}"
                " GROUP BY k ORDER BY n DESC LIMIT 100")
    if question == "topfield":
        return house_top(approx, house_field(1), source)
    if question == "topline":
        return house_top(approx, "line", source)
    if question == "dedup":
        return f"SELECT DISTINCT line FROM {source}"
    if question == "member":
        return (f"SELECT count() FROM {source} WHERE line IN"
                f" (SELECT line FROM {house_lines(names[1])})")
    if question == "quantile":
        how = "quantilesTDigest" if approx else "quantilesExact"
        return (f"SELECT arrayJoin({how}(0.5, 0.99)(x)) FROM"
                f" file('{names[0]}', 'TSV', 'x UInt64')")
    return (f"SELECT n, line FROM (SELECT count() AS n, line FROM {source} GROUP BY line)"
            f" WHERE line IN (SELECT line FROM {house_lines(names[1])})")


def duckdb(question, approx, names):
    import duckdb as engine
    if question == "-version":
        print(engine.__version__)
    elif question:
        engine.sql(f"COPY ({duck_query(question, approx, names)}) TO '/dev/stdout'"
                   " (FORMAT csv, HEADER false, DELIMITER '\t', QUOTE '', ESCAPE '')")


def clickhouse(question, approx, names):
    import chdb as engine
    if question == "-version":
        print(f"{engine.__version__}, ClickHouse {engine.engine_version}"
              if hasattr(engine, "engine_version") else engine.__version__)
    elif question:
        # Without "Raw" a backslash would be two.
        query = house_query(question, approx, names)
        sys.stdout.buffer.write(engine.query(query, "TSVRaw").bytes())


def main():
    name, _, how = sys.argv[1].partition("-")
    question, *names = sys.argv[2:] or [None]
    {"duckdb": duckdb, "clickhouse": clickhouse}[name](question, how == "approx", names)


main()
