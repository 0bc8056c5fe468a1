#!/usr/bin/env python3
# sketchutils: BSD-2-Clause, see LICENSE
"""HdrHistogram for Python, for hdr.bats.

usage: hdr.py build DIGITS <NUMBERS              a histogram, as base64
       hdr.py slots <STRINGS                     least number and count of each slot
       hdr.py log <LINES                         of TAG START SECONDS NUMBER, a log
       hdr.py read LOG                           tag, start, seconds, total of each
"""
import sys

from hdrh.histogram import HdrHistogram
from hdrh.log import HistogramLogReader, HistogramLogWriter

HOUR = 3600000000


def build(digits):
    histogram = HdrHistogram(1, HOUR, int(digits))
    for line in sys.stdin:
        histogram.record_value(int(line))
    print(histogram.encode().decode())


def slots():
    for line in sys.stdin:
        histogram = HdrHistogram.decode(line.strip())
        for i in range(histogram.counts_len):
            count = histogram.get_count_at_index(i)
            if count:
                print(histogram.get_value_from_index(i), count)


def log():
    writer = HistogramLogWriter(sys.stdout)
    writer.output_comment("[Logged by hdr.py]")
    writer.output_log_format_version()
    writer.output_legend()
    groups = {}
    for line in sys.stdin:
        *when, number = line.split()
        groups.setdefault(tuple(when), HdrHistogram(1, HOUR, 3)).record_value(int(number))
    for (tag, start, seconds), histogram in groups.items():
        # It reads tags and does not write them.
        sys.stdout.write("" if tag == "-" else f"Tag={tag},")
        start, seconds = float(start), float(seconds)
        histogram.set_start_time_stamp(start * 1000)
        histogram.set_end_time_stamp((start + seconds) * 1000)
        writer.output_interval_histogram(histogram)


def read(name):
    reader = HistogramLogReader(name, HdrHistogram(1, HOUR, 3))
    while True:
        histogram = reader.get_next_interval_histogram(absolute=True)
        if not histogram:
            break
        start, end = histogram.get_start_time_stamp(), histogram.get_end_time_stamp()
        print(histogram.get_tag() or "-", f"{start / 1000:.3f} {(end - start) / 1000:.3f}",
              histogram.get_total_count())


if __name__ == "__main__":
    {"build": build, "slots": slots, "log": log, "read": read}[sys.argv[1]](*sys.argv[2:])
