# sketchutils: BSD-2-Clause, see LICENSE
"""The questions, and who answers each by which command.

A command is a line for bash. In it {in} is the input, {set} and {items} are files that
go with it, {n} how many lines the input has, {scratch} a file to write; {sql},
{libraries}, {leaders} and {redis} are the scripts beside this folder. Commands of other
programs are those that their manuals recommend, or the fastest that we know of.

The claim is how wrong an answer may be, in the measure of its question (answers.py):
0 for who says exact, what the documentation states for a sketch, at three standard
errors where it states one, and None where it states nothing.
"""

import collections

# kind is ours, exact, sketch, wc (the least anybody does who reads the lines), small
# (ours, with so little memory that it is a sketch: what other sketches are beside), or
# other: an answer to another question, that a reader might think of.
Peer = collections.namedtuple("Peer", "name kind command claim who", defaults=(0, None))

# name, what is asked, of which input, sizes of it: for all, only for --full, and the
# size that the table is about; how the answer is judged, and what its error is.
Question = collections.namedtuple(
    "Question", "name title ask input sizes more main answer error peers note", defaults=("",))

AWK_TOP, AWK_100 = "sort -rn | sed -n 1,10p", "sort -rn | sed -n 1,100p"


def awks(script):
    """The two awks; the faster one is mawk."""
    return [Peer(awk, "exact", f"{awk} {script}") for awk in ("mawk", "gawk")]


def databases(question, more="", claims=(None, None)):
    """Two databases, exactly and by what they have for it."""
    out = []
    for engine, name, claim in zip(("duckdb", "clickhouse"), ("DuckDB", "ClickHouse"), claims):
        ask = f"{question} {{in}}{more}"
        out.append(Peer(name, "exact", f"{{sql}} {engine} {ask}", 0, engine))
        if question not in ("dedup", "member", "lookup"):
            out.append(Peer(f"{name}, approximate", "sketch", f"{{sql}} {engine}-approx {ask}",
                            claim, engine))
    return out


def library(engine, name, question, claim=None, more=""):
    return Peer(name, "sketch", f"{{libraries}} {engine} {question} {{in}}{more}", claim, engine)


def ours(command, claim, name=None, kind="ours"):
    """With one thread and with two."""
    name = name or command.split()[0]
    return [Peer(f"{name} -j{j}", kind, command.replace("{j}", str(j)), claim) for j in (1, 2)]


# Three standard errors of a HyperLogLog.
HLL_2_14, HLL_2_12 = 3 * 1.04 / 2 ** 7, 3 * 1.04 / 2 ** 6

WC = Peer("wc -l", "wc", "wc -l <{in}", None)

TINY, SMALL = (10_000, 100_000, 1_000_000), (10_000, 100_000)

QUESTIONS = [
    Question(
        "distinct", "How many distinct lines?", "numbers of 8 digits, a line each; 63 % are distinct",
        "ids", (*TINY, 10_000_000, 100_000_000), (1_000_000_000,), 10_000_000,
        "number", "of the number", [
            *ours("hll-count -j{j} {in}", HLL_2_14),
            WC,
            Peer("sort -u | wc -l", "exact", "sort -u {in} | wc -l"),
            *awks("'!s[$0]++ { n++ } END { print n }' {in}"),
            Peer("datamash", "exact", "datamash countunique 1 <{in}"),
            Peer("runiq | wc -l", "exact", "runiq {in} | wc -l"),
            Peer("huniq | wc -l", "exact", "huniq <{in} | wc -l"),
            *databases("distinct", claims=(None, HLL_2_12)),
            Peer("qsv", "exact", "qsvlite stats --cardinality --no-headers {in} | {column} cardinality"),
            Peer("dsrs", "sketch", "dsrs <{in}", HLL_2_12),
            Peer("Redis PFADD", "sketch", "{redis} distinct {in}", HLL_2_14, "redis-server"),
            library("datasketches", "DataSketches, Python", "distinct", HLL_2_14),
            library("datasketch", "datasketch, Python", "distinct", HLL_2_14)]),
    Question(
        "field", "How many distinct values of a field?", "lines of an Apache log of 203 bytes;"
        " the address is the first field", "log", (*TINY, 3_000_000), (10_000_000, 100_000_000),
        3_000_000, "number", "of the number", [
            *ours("hll-count -j{j} -f 1 {in}", HLL_2_14),
            WC,
            Peer("cut | sort -u | wc -l", "exact", "cut -d ' ' -f 1 {in} | sort -u | wc -l"),
            *awks("'!s[$1]++ { n++ } END { print n }' {in}"),
            Peer("datamash", "exact", "datamash -W countunique 1 <{in}"),
            Peer("cut | runiq | wc -l", "exact", "cut -d ' ' -f 1 {in} | runiq - | wc -l", 0, "runiq"),
            Peer("cut | huniq | wc -l", "exact", "cut -d ' ' -f 1 {in} | huniq | wc -l", 0, "huniq"),
            *databases("field", claims=(None, HLL_2_12)),
            Peer("cut | dsrs", "sketch", "cut -d ' ' -f 1 {in} | dsrs", HLL_2_12, "dsrs"),
            library("datasketches", "DataSketches, Python", "field", HLL_2_14)]),
    Question(
        "keys", "Which hundred pages have most distinct addresses?", "the same log; pages are the"
        " seventh field, most of them seen a few times", "log", (*TINY, 3_000_000),
        (10_000_000,), 3_000_000, "keys", "mean, of the hundred numbers", [
            *ours("hll-count -j{j} --by 7 -f 1 -k 100 {in}", 0.0262, "hll-count --by -k 100"),
            Peer("hll-count --by, all pages", "other", "hll-count -j1 --by 7 -f 1 {in}", None),
            WC,
            Peer("cut | sort -u | uniq -c | sort", "exact",
                 "cut -d ' ' -f 1,7 {in} | sort -u | cut -d ' ' -f 2 | sort | uniq -c |"
                 f" {AWK_100}"),
            *(Peer(f"{awk} | sort", "exact", f"{awk} '!s[$7, $1]++ {{ n[$7]++ }}"
                   f" END {{ for (k in n) print n[k], k }}' {{in}} | {AWK_100}")
              for awk in ("mawk", "gawk")),
            Peer("datamash | sort", "exact", "datamash -W -s -g 7 countunique 1 <{in} |"
                 f" mawk '{{ print $2, $1 }}' | {AWK_100}"),
            *databases("keys", claims=(None, HLL_2_12)),
            Peer("mawk | dsrs --key | sort", "sketch", "mawk '{ print $7, $1 }' {in} |"
                 f" dsrs --key | mawk '{{ print $2, $1 }}' | {AWK_100}", HLL_2_12, "dsrs"),
            library("datasketches", "DataSketches, Python", "keys", HLL_2_14)]),
    Question(
        "topfield", "Which ten values of a field are most frequent?", "the same log, by address",
        "log", (*TINY, 3_000_000), (10_000_000, 100_000_000), 3_000_000,
        "top", "the worst of the ten counts, or of ranks that another item has", [
            *ours("cms-topk -j{j} -f 1 {in}", 0),
            *ours("cms-topk -j{j} -M 1M -f 1 {in}", None, "cms-topk -M 1M", "small"),
            WC,
            Peer("cut | sort | uniq -c | sort", "exact",
                 f"cut -d ' ' -f 1 {{in}} | sort | uniq -c | {AWK_TOP}"),
            Peer("mawk | sort", "exact",
                 f"mawk '{{ n[$1]++ }} END {{ for (k in n) print n[k], k }}' {{in}} | {AWK_TOP}"),
            Peer("gawk | sort", "exact",
                 f"gawk '{{ n[$1]++ }} END {{ for (k in n) print n[k], k }}' {{in}} | {AWK_TOP}"),
            Peer("datamash | sort", "exact", "datamash -W -s -g 1 count 1 <{in} |"
                 f" mawk '{{ print $2, $1 }}' | {AWK_TOP}"),
            Peer("topfew, Go", "exact", "topfew -f 1 -n 10 {in}"),
            Peer("topfew, Rust", "exact", "tf -f 1 -n 10 {in}"),
            Peer("cut | huniq -c | sort", "exact",
                 f"cut -d ' ' -f 1 {{in}} | huniq -c | {AWK_TOP}", 0, "huniq"),
            *databases("topfield"),
            Peer("cut | dsrs --hh | sort", "sketch", f"cut -d ' ' -f 1 {{in}} | dsrs --hh 1000 | {AWK_TOP}", None, "dsrs"),
            library("datasketches", "DataSketches, Python", "topfield")],
        "Ours counts exactly while all items fit 64 MiB, which is more than caches hold: it waits"
        " for memory a fifth of the time, and reads the file for a third. With `-M 1M` it is a"
        " sketch."),
    Question(
        "topline", "Which ten lines are most frequent?", "the addresses of that log alone",
        "visits", (*TINY, 10_000_000), (100_000_000,), 10_000_000,
        "top", "the worst of the ten counts, or of ranks that another item has", [
            *ours("cms-topk -j{j} {in}", 0),
            *ours("cms-topk -j{j} -M 1M {in}", None, "cms-topk -M 1M", "small"),
            WC,
            Peer("sort | uniq -c | sort", "exact", f"sort {{in}} | uniq -c | {AWK_TOP}"),
            Peer("mawk | sort", "exact",
                 f"mawk '{{ n[$0]++ }} END {{ for (k in n) print n[k], k }}' {{in}} | {AWK_TOP}"),
            Peer("gawk | sort", "exact",
                 f"gawk '{{ n[$0]++ }} END {{ for (k in n) print n[k], k }}' {{in}} | {AWK_TOP}"),
            Peer("topfew, Go", "exact", "topfew -n 10 {in}"),
            Peer("topfew, Rust", "exact", "tf -f 1 -n 10 {in}"),
            Peer("huniq -c | sort", "exact", f"huniq -c <{{in}} | {AWK_TOP}"),
            Peer("qsv frequency", "exact", "qsvlite frequency --no-headers -l 10 {in} |"
                 " mawk -F , '$2 !~ /^Other/ && NR > 1 { print $3, $2 }'"),
            *databases("topline"),
            Peer("Redis ZINCRBY", "exact", "{redis} topline {in}", 0, "redis-server"),
            Peer("dsrs --hh | sort", "sketch", f"dsrs --hh 1000 <{{in}} | {AWK_TOP}", None),
            library("datasketches", "DataSketches, Python", "topline")],
        "Two fifths of the time of ours is waiting for the memory of its exact counters."),
    Question(
        "dedup", "Each line once, in order?", "URLs of 67 bytes, 63 % of them distinct",
        "urls", (*TINY, 10_000_000), (100_000_000,), 10_000_000,
        "dedup", "lines lost or repeated", [
            *ours("bloom-uniq -j{j} {in}", 0),
            *ours("bloom-uniq -j{j} -M 16M {in}", 0.15, "bloom-uniq -M 16M", "small"),
            WC,
            Peer("sort -u", "exact", "sort -u {in}"),
            *awks("'!s[$0]++' {in}"),
            Peer("runiq", "exact", "runiq {in}"),
            Peer("huniq", "exact", "huniq <{in}"),
            *databases("dedup"),
            Peer("runiq -f compact", "sketch", "runiq -f compact {in}", None)],
        "Output goes to /dev/null. `sort -u` and the databases do not keep the order; that is"
        " not held against them."),
    Question(
        "member", "How many lines of A are in B?", "A are those URLs, B is one half of the"
        " distinct ones", "urls", (*TINY, 10_000_000), (), 10_000_000,
        "member", "of the lines that are not in B", [
            *ours("bloom-build -j{j} -n {set_n} -o {scratch} {set} && bloom-query -j{j} -c {scratch} {in}",
                  0.013, "bloom-build, -query"),
            WC,
            Peer("grep -Fxf", "exact", "grep -Fxc -f {set} {in}"),
            Peer("sort, join", "exact", "sort -o {scratch} {set} && sort {in} | join {scratch} - | wc -l"),
            *awks("'NR == FNR { s[$0]; next } $0 in s { n++ } END { print n + 0 }' {set} {in}"),
            *databases("member", " {set}"),
            Peer("bloom, DCSO", "sketch", "rm -f {scratch}; bloom create -n {set_n} -p 0.01 {scratch} <{set}"
                 " && bloom check {scratch} <{in} | wc -l", 0.013, "bloom")],
        "Building what is asked and asking it, together; filters are made for as many lines as B has,"
        " at 1 %."),
    Question(
        "quantile", "The median and the 99th percentile?", "whole numbers of 3 to 6 digits",
        "nums", (*TINY, 10_000_000, 100_000_000), (1_000_000_000,), 10_000_000,
        "quantile", "of the value, the worse of the two", [
            *ours("hdr-quantile -j{j} -Q p50,p99 {in}", ("value", 0.001)),
            *ours("tdigest-quantile -j{j} -Q p50,p99 {in}", ("rank", 0.001)),
            WC,
            Peer("sort -n | mawk", "exact", "sort -n {in} | mawk '{ v[NR] = $1 } END {"
                 " print v[int(NR * 0.5 + 0.999999)]; print v[int(NR * 0.99 + 0.999999)] }'",
                 ("value", 0.001)),
            Peer("datamash", "exact", "datamash perc:50 1 perc:99 1 <{in}", ("value", 0.001)),
            *(peer._replace(claim=("value", 0.001)) if peer.kind == "exact" else peer
              for peer in databases("quantile")),
            Peer("qsv", "exact", "qsvlite stats --percentiles --percentile-list 50,99 --no-headers"
                 " {in} | {column} percentiles", ("value", 0.001)),
            library("datasketches", "DataSketches KLL, Python", "quantile", ("rank", 0.0133)),
            library("datasketches-tdigest", "DataSketches t-digest, Python", "quantile")],
        "Who interpolates between two samples may be off by what lies between them; a KLL and a"
        " t-digest promise the rank, not the value. The Python libraries are given one array of"
        " numpy, which reads the file."),
    Question(
        "near", "Which documents are near-duplicates of one before?", "texts of 20 to 200 words;"
        " half are alone, half in families with 1 to 5 % of the words substituted", "families",
        (1_000, 10_000), (100_000,), 10_000, "near", "of the pairs that belong together, missed", [
            *ours("minhash-dedup -j{j} --similarity 0.6 --show map {in} | cut -f 3", None,
                  "minhash-dedup"),
            *ours("simhash-dedup -j{j} --edits 10% --show map {in} | cut -f 3", None,
                  "simhash-dedup"),
            Peer("wc -w", "wc", "wc -w <{in}", None),
            Peer("simhash, Debian", "sketch", "{leaders} simhash 2 0.6 {in}", None, "simhash"),
            Peer("datasketch, Python", "sketch", "{leaders} datasketch 2 0.6 {in}", None, "datasketch"),
            Peer("rensa, Python", "sketch", "{leaders} rensa 2 0.6 {in}", None, "rensa")],
        "Behind the error stands the precision: of the pairs put together, the share that belongs"
        " together. `make bench` has more of such sets."),
    Question(
        "lookup", "How often was each of these, asked afterwards?", "the addresses, and 1,000 of"
        " them in another file", "visits", (*TINY, 10_000_000), (100_000_000,), 10_000_000,
        "lookup", "the largest, of the total", [
            *ours("cms-build -j{j} --candidates 0 -o {scratch} {in} &&"
                  " cms-query -j{j} {scratch} {items}", 0.001, "cms-build, -query"),
            WC,
            Peer("sort | uniq -c | join", "exact", "sort -o {scratch} {items} && sort {in} | uniq -c |"
                 " mawk '{ print $1, $2 }' | join -1 2 -o 1.1,0 - {scratch}"),
            *awks("'NR == FNR { n[$0]++; next } { print n[$0] + 0, $0 }' {in} {items}"),
            *databases("lookup", " {items}"),
            library("datasketches", "DataSketches, Python", "lookup", 0.001, " {items}"),
            Peer("mawk, told what will be asked", "other", "mawk 'NR == FNR { n[$0] = 0; next }"
                 " $0 in n { n[$0]++ } END { for (k in n) print n[k], k }' {items} {in}")],
        "All lines are counted before it is known what will be asked; ours keeps 106 KiB for it."),
]
