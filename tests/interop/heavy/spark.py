#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""spark.py PIPE SQL: a Spark of two threads does the recipes in these files, and more.

Here are access.log, odd.log (which is not UTF-8) and pages.csv, sketches of ours. What
comes out, for spark.bats to compare:

    access.hll      what PIPE, Python, has written
    pages, total    rows of the two statements of SQL
    theirs.csv      sketches of Spark's own, for each page
    theirs          what Spark says that they count
    both            the same after a union with ours, and with themselves
    noticed         what was said about a killed builder
    silent          how many records came where nobody asked for its status
    odd             lines of odd.log, as Spark has them
"""

import base64
import os
import pathlib
import sys

from pyspark.sql import SparkSession

KILLED = """sh -c 'read -r line; case $line in 107.153.*) kill -9 $$ ;; esac; hll-build -a'"""


def save(name, rows):
    with open(name, "w", encoding="utf-8") as out:
        for row in rows:
            print(*row, sep="\t", file=out)


def pipes(spark, recipe):
    exec(recipe, {"spark": spark, "os": os})
    environment = dict(os.environ)
    lines = spark.sparkContext.parallelize(["1", "2", "3", "107.153.1.1"], 4)
    silent = lines.pipe(KILLED, environment).collect()
    save("silent", [[len(silent)]])
    try:
        lines.pipe(KILLED, environment, checkCode=True).collect()
    except Exception as error:
        save("noticed", [[line] for line in str(error).splitlines()])
    odd = spark.sparkContext.textFile("odd.log")
    pathlib.Path("odd").write_bytes(b"".join(line.encode() + b"\n" for line in odd.collect()))


def queries(spark, recipe):
    pages, total = (part for part in recipe.split(";") if part.strip())
    save("pages", sorted((row.users, row.page) for row in spark.sql(pages).collect()))
    save("total", [[row.users] for row in spark.sql(total).collect()])
    log = spark.read.text("access.log").selectExpr(
        "split(value, ' ')[0] AS visitor", "split(value, ' ')[6] AS page")
    log.createOrReplaceTempView("log")
    spark.sql("SELECT page, hll_sketch_agg(visitor) AS sketch FROM log GROUP BY page"
              ).createOrReplaceTempView("theirs")
    with open("theirs.csv", "w", encoding="utf-8") as out:
        for row in spark.sql("SELECT * FROM theirs").collect():
            print(f'"{row.page}",{base64.b64encode(row.sketch).decode()}', file=out)
    save("theirs", sorted((row.users, row.page) for row in spark.sql(
        "SELECT page, hll_sketch_estimate(sketch) AS users FROM theirs").collect()))
    save("both", sorted((row.united, row.alone, row.page) for row in spark.sql("""
        SELECT page, hll_sketch_estimate(hll_union(sketch, unbase64(_c1))) AS united,
            hll_sketch_estimate(hll_union(sketch, sketch)) AS alone
        FROM theirs JOIN csv.`pages.csv` ON page = _c0""").collect()))


def main():
    recipes = [pathlib.Path(name).read_text() for name in sys.argv[1:]]
    spark = (SparkSession.builder.master("local[2]")
             .config("spark.ui.enabled", "false")
             .config("spark.driver.host", "127.0.0.1")
             .config("spark.driver.bindAddress", "127.0.0.1")
             .config("spark.sql.shuffle.partitions", "2")
             .config("spark.default.parallelism", "2")
             .getOrCreate())
    pipes(spark, recipes[0])
    queries(spark, recipes[1])
    spark.stop()


main()
