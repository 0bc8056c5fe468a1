# sketchutils: BSD-2-Clause, see LICENSE
#
# `make help` lists the targets. Every path in here is relative, so the tree
# may lie in a folder with blanks in its name.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:

VERSION = 0.1.0
PREFIX = /usr/local
DESTDIR =

# The house, by hand and in order: a module includes only what stands before
# it. `make check-floors` holds us to that.
MODULES_base = status bytes order pages num unit real_short real calendar time word siphash \
	siphash_batch murmur hash salt json item ids record armor reader keyed fields scan_mask scan \
	scan_cut scan_kernel timename moment shape shape_colons value mask_bits mask
MODULES_sketch = comparison kind promise distinct/hlltoken distinct/registers distinct/hll_pairs \
	distinct/hll_joint distinct/hll distinct/hll_compare distinct/hll_kind distinct/hllcell \
	distinct/hllmap distinct/hll_low distinct/hll_redis distinct/hll_redis_kind \
	distinct/hll_explicit distinct/hll_postgres distinct/hll_postgres_compare \
	distinct/hll_postgres_body distinct/hll_postgres_kind distinct/hll_composite_table \
	distinct/hll_composite distinct/hll_datasketches distinct/hll_datasketches_compare \
	distinct/hll_datasketches_kind nearness/unicode nearness/tokens nearness/features \
	nearness/minhash_body nearness/minhash nearness/minhash_compare nearness/minhash_kind \
	distinct/distinct member/bloom_block member/bloom_law member/bloom_size member/bloom_dcso \
	member/bloom_walk member/bloom_bits member/bloom_body member/bloom member/bloom_merge \
	member/bloom_compare member/bloom_writer member/counting_cells member/counting \
	member/counting_bits member/scalable_body member/scalable member/scalable_plan \
	member/scalable_kind member/cuckoo_size member/cuckoo_table member/cuckoo_body member/cuckoo \
	member/cuckoo_common member/cuckoo_kind member/member member/form member/slots member/hashset \
	member/seen_body member/seen member/seen_file member/seen_kind member/twopass member/hashlist \
	keys member/filtermap frequency/meter frequency/meters frequency/metergrid frequency/limiter \
	frequency/top frequency/tally frequency/spacesaving_body frequency/spacesaving \
	frequency/spacesaving_filter frequency/spacesaving_merge frequency/candidates \
	frequency/cms_size frequency/cms_body frequency/cms frequency/cms_add frequency/cms_merge \
	frequency/cms_subtract frequency/cms_kind frequency/heavy_body frequency/heavy \
	frequency/heavy_kind frequency/frequency frequency/change quantiles/quantiles \
	quantiles/hdr_slot quantiles/hdr_cells quantiles/hdr_body quantiles/hdr quantiles/hdr_correct \
	quantiles/hdr_answer quantiles/hdr_kind quantiles/tdigest_sort quantiles/tdigest_sweep \
	quantiles/tdigest_body quantiles/tdigest quantiles/tdigest_look quantiles/tdigest_merge \
	quantiles/tdigest_answer quantiles/tdigest_kind quantiles/quantiles_find nearness/simhash \
	nearness/overlap nearness/hits nearness/buckets nearness/hamming nearness/minslots \
	nearness/nearness nearness/simhash_near nearness/bands nearness/nearindex_body \
	nearness/nearindex nearness/nearindex_room nearness/nearindex_file nearness/nearindex_kind \
	nearness/nearbloom nearness/recall kinds fold distinct/distinctmap quantiles/quantilemap
MODULES_interop = digits dump system gunzip dcso_bloom parquet_bloom redis_hll \
	postgres_settings postgres_hll datasketches_settings datasketches_hll \
	hdr_buckets hdr_payload_form hdr_payload hdr_payload_write hdr_units hdr_log hdr_table hdr_systems systems
MODULES_tool = report answers/screen answers/plot answers/canvas output files/temporary \
	files/save_body files/save files/save_target files/save_lock lines/progress lines/job \
	lines/interrupt lines/input lines/headline lines/turns lines/reread lines/run lines/parallel \
	lines/shards lines/kept lines/dropped options/usage options/keyfile options/opts_body \
	options/opts options/opts_rows options/opts_settle options/opts_value options/opts_use \
	answers/choice options/where distinct/counter time/window time/panes time/overtime time/recent \
	files/map files/statefile files/state member/memo time/throttle answers/rows answers/chart \
	answers/also answers/toplist answers/changes answers/sheet nearness/documents \
	nearness/dedup_body nearness/dedup nearness/dedup_sign nearness/dedup_show nearness/dedup_index \
	nearness/dedup_filter nearness/dedup_explain nearness/dedup_run plan files/foreign names \
	files/parts files/records files/records_one files/build member/overfill member/filling \
	member/filters each files/revise answers/ranking distinct/group_body distinct/group \
	distinct/group_top time/stepcount time/steptop files/table files/tablefile \
	distinct/distinct_build member/filling_by files/shelf files/unite files/export files/join \
	quantiles/samples quantiles/samples_by quantiles/samples_build quantiles/asked quantiles/figure \
	quantiles/figures quantiles/distribution quantiles/percentiles_body quantiles/percentiles \
	quantiles/percentiles_saved
FLOORS = base sketch interop tool
HEADERS_ONLY = base/murmur base/real_short base/scan_mask base/scan_cut base/word base/mask_bits \
	sketch/quantiles/hdr_slot sketch/quantiles/hdr_body sketch/quantiles/tdigest_body \
	sketch/promise sketch/distinct/hlltoken sketch/distinct/hll_composite_table \
	sketch/member/bloom_body sketch/member/scalable_body sketch/member/cuckoo_body \
	sketch/member/seen_body sketch/frequency/spacesaving_body sketch/frequency/cms_body \
	sketch/frequency/heavy_body sketch/nearness/unicode sketch/nearness/nearindex_body \
	sketch/nearness/minhash_body interop/system interop/hdr_payload_form tool/lines/job tool/files/save_body \
	tool/options/opts_body tool/distinct/group_body tool/nearness/dedup_body \
	tool/quantiles/percentiles_body

COMMANDS = hll-build hll-count bloom-build bloom-query bloom-uniq bloom-remove \
	cms-build cms-topk cms-query cms-limit simhash-sign simhash-dedup \
	minhash-build minhash-dedup hdr-build hdr-quantile tdigest-build tdigest-quantile log-mask \
	sketch-compare sketch-convert sketch-info sketch-merge sketch-plan

# SAN=1: the same tree under the address and undefined behaviour sanitizers.
SAN =
BUILD = build$(if $(SAN),-san)

MANUALS = $(wildcard man/*.[157])
UNIT = $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*_test.c))
FUZZ = $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))

MODULES = $(foreach f,$(FLOORS),$(addprefix $f/,$(MODULES_$f)))

# The scanner's kernel is one file in several builds, chosen at run time:
# what every machine of this kind can do, x86-64-v3, and plain C.
KERNELS = base plain
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
KERNELS += v3
endif
KERNEL_v3 = -mavx2 -mbmi -mbmi2 -mpopcnt
KERNEL_plain = -DSCAN_PORTABLE
KERNEL_OBJECTS = $(KERNELS:%=$(BUILD)/lib/base/scan_kernel_%.o)

LIB = $(BUILD)/libsketchutils.a
OBJECTS = $(patsubst %,$(BUILD)/lib/%.o,$(filter-out $(HEADERS_ONLY) base/scan_kernel,$(MODULES))) $(KERNEL_OBJECTS)

# Ours first, then what the compiler was found to understand (both in the file
# cflags), then the user's, who has the last word. -ffp-contract=off: a fused
# multiply-add would give other bytes on other machines.
FLAGS = -std=c11 -O2 -Wall -Wextra -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wundef -ffp-contract=off -pthread -Ilib \
	-D_GNU_SOURCE -DSKETCHUTILS_VERSION=\"$(VERSION)\"
# ZLIB=-lz: the shared zlib. Else one inside the programs, if there is one.
ZLIB ?=
ALL_CFLAGS = @$(BUILD)/cflags -ffile-prefix-map="$$PWD"=. $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = @$(BUILD)/ldflags $(LDFLAGS)
LIBS = @$(BUILD)/libs
COMPILE = $(CC) $(ALL_CFLAGS) -MMD -MP

TOOLS = $(addprefix $(BUILD)/,logmaker corpus flood stopwatch touches)

all: $(LIB) $(COMMANDS:%=$(BUILD)/bin/%)

help:
	@sed -n 's/^#: //p' Makefile

#: make                 build the programs into build/bin; installs nothing
#: make demo            install what is missing, build, show the answers
#: make check           install what the tests need, build, run them
#: make check-long      the same with many seeds, kill loops and big inputs
#: make check-huge      10^9 lines, lines and filters of gigabytes; half an hour
#: make check-man       lint the manuals
#: make check-floors    who includes whom, and who prints
#: make lint            warnings as errors (gcc, clang), analysers, shellcheck
#: make interop         a second reader of the file format, other systems and hosts
#: make interop-heavy   Slurm, Spark and Hadoop, which are large
#: make fuzz            fuzz every reader for FUZZ_SECONDS (60) each
#: make cover           which lines of lib/ the tests run, and whether that is enough
#: make mutants         change the source in one place at a time: does a test fail?
#: make bench           ratios against wc, sort, awk and datamash; who finds what is alike
#: make bench-peers     install all peers into build/peers, ask each our questions,
#:                      write tests/bench/RESULTS.md; 20 minutes
#: make static          static programs (musl) into build-static/bin
#: make static-check    do they need no library, and give the bytes of the golden files?
#: make big-endian      unit and golden tests on an emulated s390x
#: make arm64           the same on an emulated ARM
#: make golden-everywhere    golden files by all compilers, libcs, machines
#: make tsan            whatever starts threads, under the thread sanitizer
#: make valgrind        every program under memcheck
#: make install         into PREFIX (/usr/local), below DESTDIR
#: make installcheck    do they run, does man find them, and each shell's completion?
#: make uninstall       remove what install put there
#: make dist            sketchutils-VERSION.tar.gz, the same bytes every time
#: make deb             a Debian package in build/deb, with nothing for lintian to say
#: make deb-check       is it the same when built elsewhere? its own tests, on this machine
#: make clean           remove all build folders
#:
#: BUILD=FOLDER         build there, not in build/
#: SAN=1                with the address and undefined behaviour sanitizers
#: NO_INSTALL=1         a missing package is an error that names it
#: ZLIB=-lz             with the shared zlib, not with one inside the programs
#: CC CFLAGS CPPFLAGS LDFLAGS    as usual; yours come last

# Building.

$(BUILD)/bin/%: $(BUILD)/cmd/%.o $(LIB) $(BUILD)/cflags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(LIB): $(OBJECTS)
	rm -f $@
	$(AR) rcsD $@ $(OBJECTS)

$(BUILD)/lib/base/scan_kernel_%.o: lib/base/scan_kernel.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) $(KERNEL_$*) -DSCAN_KERNEL=$* -c -o $@ $<

$(BUILD)/lib/%.o: lib/%.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/cmd/%.o: cmd/%.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(BUILD)/unit/%: tests/unit/%.c $(LIB) $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c $(LIB) $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< tests/fuzz/replay.c $(LIB) $(LIBS)

# With an engine in place of replay.c; see fuzz below.
$(BUILD)/fuzz-engine/%: tests/fuzz/%.c $(LIB) $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(TOOLS): $(BUILD)/%: tests/bench/%.c $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< $(LIBS)

# Lines with chosen hashes: it asks the library where they go.
$(BUILD)/crafted: tests/crafted.c $(LIB) $(BUILD)/cflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(LIBS)

# Preloaded into programs however they were built: no flags but its own.
$(BUILD)/fault.so $(BUILD)/entropy.so: $(BUILD)/%.so: tests/%.c $(BUILD)/cflags
	$(CC) -std=c11 -O2 -Wall -Wextra -D_GNU_SOURCE -fPIC -shared -o $@ $< -ldl

$(BUILD)/eachcall: tests/eachcall.c $(BUILD)/cflags
	$(CC) -std=c11 -O2 -Wall -Wextra -D_GNU_SOURCE -o $@ $<

# What this compiler understands, asked once for each set of flags. The
# files change only when the answer or the user's flags do, and then all is
# built anew.
$(BUILD)/cflags: FORCE
	@CC='$(CC)' SAN='$(SAN)' ZLIB='$(ZLIB)' FLAGS='$(FLAGS)' sh tests/flags.sh $(BUILD) \
	    $(subst ",,$(CPPFLAGS) $(CFLAGS) $(LDFLAGS))

FORCE:

-include $(shell find $(BUILD) -path $(BUILD)/deb -prune -o -type f -name '*.d' -print 2>/dev/null)

# Testing. The outer target installs, the inner one is parsed again with a
# compiler in place.

check:
	@sh tests/packages.sh build check installed
	@+$(MAKE) --no-print-directory check-run

check-long:
	@sh tests/packages.sh build check installed
	@+CHECK_LONG=1 $(MAKE) --no-print-directory check-run

check-run: all tests
	@sh tests/run.sh $(BUILD)

tests: $(UNIT:%=$(BUILD)/unit/%) $(FUZZ:%=$(BUILD)/fuzz/%) helpers

# What the bats files use.
helpers: $(TOOLS) $(addprefix $(BUILD)/,crafted fault.so entropy.so eachcall)

# On demand: half an hour, 12 GB of disk and 10 GB of memory.
check-huge:
	@sh tests/packages.sh build check
	@+$(MAKE) --no-print-directory all $(TOOLS)
	@sh tests/huge.sh $(BUILD)

check-floors: $(LIB)
	@sh tests/floors.tap.sh $(BUILD)

check-man:
	@sh tests/packages.sh lint
	mandoc -T lint -W warning $(MANUALS)

lint:
	@sh tests/packages.sh build lint arm
	@sh tests/run.sh build tests/lint.sh

interop:
	@sh tests/packages.sh build interop
	@sh tests/interop/peers.sh $(BUILD)
	@+$(MAKE) --no-print-directory all tests
	@sh tests/run.sh $(BUILD) tests/interop/*.bats

# Spark alone is 300 MB, so by itself only.
interop-heavy:
	@sh tests/packages.sh build heavy
	@sh tests/interop/peers.sh $(BUILD) pyspark==3.5.7
	@sh tests/interop/heavy/hadoop.sh install $(BUILD)
	@+$(MAKE) --no-print-directory all $(TOOLS)
	@sh tests/run.sh $(BUILD) tests/interop/heavy/*.bats

# The harnesses that `make check` replays, with an engine that thinks up new
# input. What it finds is left in the corpus' folder, for a test.
FUZZ_SECONDS = 60
fuzz:
	@sh tests/packages.sh build fuzz
	@+$(MAKE) --no-print-directory BUILD=build-fuzz CC=clang \
	    CFLAGS='-g -O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' \
	    LDFLAGS='-fsanitize=fuzzer,address,undefined' fuzz-run

fuzz-run: $(FUZZ:%=$(BUILD)/fuzz-engine/%)
	@sh tests/fuzz.sh $(BUILD) $(FUZZ_SECONDS) $(FUZZ)

# Counters lie in memory that is shared with a file, so a killed program has counted.
COVER = -fprofile-instr-generate -fcoverage-mapping -mllvm -runtime-counter-relocation \
	-Wno-unused-command-line-argument
COVER_LEAST = 90
cover:
	@sh tests/packages.sh build check cover
	@+$(MAKE) --no-print-directory BUILD=build-cover CC=clang CFLAGS='-O1 $(COVER)' all tests
	@python3 tests/cover.py build-cover $(COVER_LEAST)

# MUTANTS='hll.c armor' tries only the rows of the table that name these.
mutants:
	@sh tests/packages.sh build check
	@python3 -u tests/mutants.py build-mutants $(MUTANTS)

bench:
	@sh tests/packages.sh build bench
	@+$(MAKE) --no-print-directory all $(TOOLS)
	@python3 tests/bench/run.py $(BENCH)
	@python3 tests/bench/quality.py $(BENCH)

# Hundreds of megabytes, and on the first day half an hour of compilers.
bench-peers:
	@sh tests/packages.sh build bench
	@sh tests/bench/peers/install.sh $(BUILD)
	@+$(MAKE) --no-print-directory all $(TOOLS)
	@python3 tests/bench/peers $(BENCH)

# A static program needs a libc made for it, and of the system's headers only
# the one that is not libc's.
static:
	@sh tests/packages.sh build static
	@mkdir -p build-static/include
	@cp "$$(echo '#include <xxhash.h>' | cc -M -x c - | tr ' ' '\n' | grep 'xxhash\.h$$')" \
	    build-static/include
	@+$(MAKE) --no-print-directory BUILD=build-static CC=musl-gcc \
	    CPPFLAGS='-isystem build-static/include' LDFLAGS=-static all

static-check: static
	@sh tests/packages.sh check
	@sh tests/static.sh build-static

# Under the thread sanitizer. The short form is what looks at every program; the
# other runs all suites that start threads as well.
TSAN_UNIT = $(patsubst tests/unit/%.c,%,$(shell grep -lE 'pthread_create|parallel_|shards_' tests/unit/*.c))
tsan tsan-short:
	@sh tests/packages.sh build check
	@+$(MAKE) --no-print-directory BUILD=build-thread-san \
	    CFLAGS='-g -O1 -U_FORTIFY_SOURCE -fsanitize=thread' LDFLAGS=-fsanitize=thread $@-run

TSAN_RUN = TSAN_OPTIONS='exitcode=99 halt_on_error=1' SMOKE_LINES=8000 sh tests/run.sh $(BUILD) tests/smoke/smoke.bats
tsan-short-run: all $(BUILD)/logmaker $(TSAN_UNIT:%=$(BUILD)/unit/%)
	@$(TSAN_RUN) $(TSAN_UNIT:%=$(BUILD)/unit/%)

tsan-run: all tests
	@$(TSAN_RUN) $(TSAN_UNIT:%=$(BUILD)/unit/%) \
	    $$(grep -lE -e '-j ?(\$$j|[02-9])' tests/*.bats | grep -v faults)

# What is read before it is written, in every program. On demand: two minutes.
valgrind:
	@sh tests/packages.sh build check valgrind
	@+$(MAKE) --no-print-directory BUILD=build-valgrind \
	    CFLAGS='-g -O1 -U_FORTIFY_SOURCE' all build-valgrind/logmaker
	@SMOKE_LINES=1000 sh tests/emulated.sh build-valgrind \
	    "valgrind -q --error-exitcode=99 --suppressions='$$PWD/tests/valgrind.supp'" tests/smoke/smoke.bats

big-endian:
	@sh tests/packages.sh build check big-endian
	@+$(MAKE) --no-print-directory BUILD=build-s390x CC=s390x-linux-gnu-gcc \
	    AR=s390x-linux-gnu-ar LDFLAGS=-static all tests
	@sh tests/emulated.sh build-s390x qemu-s390x

# The same of ARM, which has a scanner of its own. The short form has the tests
# of what differs from machine to machine.
arm64 arm64-short arm64-build:
	@sh tests/packages.sh build check arm arm-emulated
	@+$(MAKE) --no-print-directory BUILD=build-arm64 CC=aarch64-linux-gnu-gcc \
	    AR=aarch64-linux-gnu-ar CFLAGS='-Werror -Wdate-time' LDFLAGS=-static $@-run

arm64-build-run: all

arm64-run: all tests
	@sh tests/emulated.sh $(BUILD) qemu-aarch64

ARM_UNIT = scan_test hash_test siphash_test bloom_block_test
arm64-short-run: all $(ARM_UNIT:%=$(BUILD)/unit/%)
	@sh tests/emulated.sh $(BUILD) qemu-aarch64 $(ARM_UNIT:%=unit/%) tests/golden.bats

# On demand: every golden byte by every compiler, libc, machine and level.
golden-everywhere:
	@sh tests/packages.sh build check lint static big-endian arm arm-emulated
	@sh tests/everywhere.sh

# What the generic tests ask us: show-COMMANDS prints the list.
show-%:
	@echo $($*)

demo:
	@sh tests/packages.sh build
	@+$(MAKE) --no-print-directory all $(BUILD)/logmaker
	@sh tests/demo.sh $(BUILD)

# Installing: programs, manuals, and completions under the names by which the
# shells look for them. DESTDIR goes before each of these, whoever chose it.

BINDIR = $(PREFIX)/bin
MANDIR = $(PREFIX)/share/man
BASHDIR = $(PREFIX)/share/bash-completion/completions
ZSHDIR = $(PREFIX)/share/zsh/site-functions
FISHDIR = $(PREFIX)/share/fish/vendor_completions.d
FOLDERS = "$(DESTDIR)$(BINDIR)" $(foreach n,1 5 7,"$(DESTDIR)$(MANDIR)/man$n") \
	"$(DESTDIR)$(BASHDIR)" "$(DESTDIR)$(ZSHDIR)" "$(DESTDIR)$(FISHDIR)"

# The ones that were not there before, so that uninstall leaves the others.
RECORD = $(BUILD)/folders-made

install: all
	@+$(MAKE) --no-print-directory install-files


# By itself for who must not build again: tests of what was built.
install-files:
	@sh tests/folders.sh make $(RECORD) $(FOLDERS)
	install -m 755 $(COMMANDS:%=$(BUILD)/bin/%) "$(DESTDIR)$(BINDIR)"
	for page in $(MANUALS); do \
	    install -m 644 $$page "$(DESTDIR)$(MANDIR)/man$${page##*.}" || exit; done
	install -m 644 completions/sketchutils.bash "$(DESTDIR)$(BASHDIR)/sketchutils"
	install -m 644 completions/sketchutils.zsh "$(DESTDIR)$(ZSHDIR)/_sketchutils"
	install -m 644 completions/sketchutils.fish "$(DESTDIR)$(FISHDIR)/sketchutils.fish"
	for name in $(COMMANDS); do \
	    ln -sf sketchutils "$(DESTDIR)$(BASHDIR)/$$name" && \
	    ln -sf sketchutils.fish "$(DESTDIR)$(FISHDIR)/$$name.fish" || exit; done

installcheck:
	@sh tests/packages.sh installed
	@mkdir -p $(BUILD)
	@INSTALLED_BINDIR="$(DESTDIR)$(BINDIR)" INSTALLED_MANDIR="$(DESTDIR)$(MANDIR)" \
	    INSTALLED_BASHDIR="$(DESTDIR)$(BASHDIR)" INSTALLED_ZSHDIR="$(DESTDIR)$(ZSHDIR)" \
	    INSTALLED_FISHDIR="$(DESTDIR)$(FISHDIR)" sh tests/run.sh $(BUILD) tests/installed.bats

uninstall:
	for name in $(COMMANDS); do \
	    rm -f "$(DESTDIR)$(BINDIR)/$$name" "$(DESTDIR)$(BASHDIR)/$$name" \
	        "$(DESTDIR)$(FISHDIR)/$$name.fish" || exit; done
	for page in $(notdir $(MANUALS)); do \
	    rm -f "$(DESTDIR)$(MANDIR)/man$${page##*.}/$$page" || exit; done
	rm -f "$(DESTDIR)$(BASHDIR)/sketchutils" "$(DESTDIR)$(ZSHDIR)/_sketchutils" \
	    "$(DESTDIR)$(FISHDIR)/sketchutils.fish"
	@sh tests/folders.sh remove $(RECORD) $(FOLDERS)

# The files git knows, or, in an unpacked archive, all that are not built. They
# have the date of the release.
RELEASED = $(shell sed -n 's/^ -- .*>  //p' debian/changelog | sed 1q)
NAME = sketchutils-$(VERSION)
dist:
	@{ git ls-files -z 2>/dev/null && test -e .git || \
	    find . -type f ! -path './build*' ! -name '*.tar.gz' ! -name '*.tar' -printf '%P\0'; } | \
	    LC_ALL=C sort -z | \
	    tar --format=ustar --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
	    --mtime='$(RELEASED)' --no-recursion --transform 's,^,$(NAME)/,' -cf $(NAME).tar --null -T -
	@gzip -9nf $(NAME).tar
	@echo $(NAME).tar.gz

deb:
	@sh tests/packages.sh build deb
	@sh tests/deb.sh build/deb

deb-check: deb
	@sh tests/packages.sh check installed deb-check
	@sh tests/deb.sh build/deb --again
	@sh tests/deb.sh build/deb --test

clean:
	rm -rf build build-* $(NAME).tar.gz

.PHONY: all help check check-long check-huge check-run tests helpers check-floors \
	check-man lint interop interop-heavy fuzz fuzz-run cover mutants bench bench-peers \
	static tsan tsan-run tsan-short tsan-short-run valgrind big-endian arm64 arm64-run \
	arm64-short arm64-short-run golden-everywhere demo install uninstall dist clean \
	static-check install-files installcheck deb deb-check arm64-build arm64-build-run FORCE
.DELETE_ON_ERROR:
.SECONDARY:
