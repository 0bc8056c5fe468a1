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
MODULES_base = status bytes num hash json record armor reader keyed fields scan_mask \
	scan
MODULES_sketch = kind hll hllmap bloom_size bloom spacesaving cms tokens \
	simhash simindex kinds
MODULES_interop =
MODULES_tool = report output save opts input parallel records group progress
FLOORS = base sketch interop tool
HEADERS_ONLY = base/hash base/scan_mask

COMMANDS = hll-build hll-count bloom-build bloom-query \
	cms-build cms-topk cms-query simhash-sign simhash-dedup \
	sketch-info sketch-merge sketch-plan

# SAN=1: the same tree under the address and undefined behaviour sanitizers.
SAN =
ifeq ($(SAN),1)
BUILD = build-san
else
BUILD = build
endif

MANUALS = $(wildcard man/*.[157])
UNIT = $(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*_test.c))
FUZZ = $(patsubst tests/fuzz/%.c,%,$(filter-out tests/fuzz/replay.c,$(wildcard tests/fuzz/*.c)))

MODULES = $(foreach f,$(FLOORS),$(addprefix $f/,$(MODULES_$f)))
PRESENT = $(patsubst lib/%.c,%,$(wildcard $(MODULES:%=lib/%.c)))
PROGRAMS = $(patsubst cmd/%.c,%,$(wildcard $(COMMANDS:%=cmd/%.c)))

# The scanner's kernel is one file in several builds, chosen at run time:
# what every machine of this kind can do, x86-64-v3, and plain C.
KERNELS = base plain
ifneq ($(filter x86_64-%,$(shell $(CC) -dumpmachine 2>/dev/null)),)
KERNELS += v3
endif
KERNEL_v3 = -mavx2 -mbmi -mbmi2 -mpopcnt
KERNEL_plain = -DSCAN_PORTABLE
ifneq ($(wildcard lib/base/scan_kernel.c),)
KERNEL_OBJECTS = $(KERNELS:%=$(BUILD)/lib/base/scan_kernel_%.o)
endif

LIB = $(BUILD)/libsketchutils.a
OBJECTS = $(PRESENT:%=$(BUILD)/lib/%.o) $(KERNEL_OBJECTS)

# Ours first, then what the compiler was found to understand, then the
# user's, so that the user has the last word. -ffp-contract=off: a fused
# multiply-add would give other bytes on other machines.
WARNINGS = -Wall -Wextra -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla -Wundef -Wwrite-strings -Wpointer-arith
ALL_CPPFLAGS = -D_GNU_SOURCE -DSKETCHUTILS_VERSION='"$(VERSION)"' -Ilib $(CPPFLAGS)
ALL_CFLAGS = -std=c11 -O2 $(WARNINGS) -pthread -ffp-contract=off \
	-ffile-prefix-map="$$PWD"=. @$(BUILD)/cflags $(ALL_CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS = -pthread @$(BUILD)/ldflags $(LDFLAGS)
LIBS = -lm
COMPILE = $(CC) $(ALL_CFLAGS) -MMD -MP

TOOLS = $(BUILD)/logmaker $(BUILD)/touch

all: $(LIB) $(PROGRAMS:%=$(BUILD)/bin/%)

help:
	@sed -n 's/^#: //p' Makefile

#: make                 build the programs into build/bin; installs nothing
#: make demo            install what is missing, build, show the answers
#: make check           install what the tests need, build, run them
#: make check-long      the same with many seeds, kill loops and big inputs
#: make check-man       lint the manuals
#: make check-floors    who includes whom, and who prints
#: make lint            warnings as errors (gcc, clang), analysers, shellcheck
#: make interop         a second reader of the file format, other systems
#: make fuzz            fuzz every reader for FUZZ_SECONDS (60) each
#: make bench           ratios against wc, sort, awk and datamash
#: make static          static programs (musl) into build-static/bin
#: make big-endian      unit and golden tests on an emulated s390x
#: make install         into PREFIX (/usr/local), below DESTDIR
#: make uninstall       remove what install put there
#: make dist            sketchutils-VERSION.tar.gz, the same bytes every time
#: make clean           remove all build folders
#:
#: SAN=1                with the address and undefined behaviour sanitizers
#: NO_INSTALL=1         a missing package is an error that names it
#: CC CFLAGS CPPFLAGS LDFLAGS    as usual; yours come last

# Building.

$(BUILD)/bin/%: $(BUILD)/cmd/%.o $(LIB) $(BUILD)/ldflags
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

$(BUILD)/unit/%: tests/unit/%.c $(LIB) $(BUILD)/ldflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(BUILD)/fuzz/%: tests/fuzz/%.c tests/fuzz/replay.c $(LIB) $(BUILD)/ldflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< tests/fuzz/replay.c $(LIB) $(LIBS)

$(TOOLS): $(BUILD)/%: tests/bench/%.c $(BUILD)/cflags $(BUILD)/ldflags
	@mkdir -p $(@D)
	$(COMPILE) $(ALL_LDFLAGS) -o $@ $< $(LIBS)

# What this compiler understands, asked once for each set of flags. The
# files change only when the answer or the user's flags do, and then all is
# built anew.
$(BUILD)/cflags $(BUILD)/ldflags &: FORCE
	@CC='$(CC)' SAN='$(SAN)' sh tests/flags.sh $(BUILD) \
	    $(subst ",,$(CPPFLAGS) $(CFLAGS) $(LDFLAGS))

FORCE:

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)

# Testing. The outer target installs, the inner one is parsed again with a
# compiler in place.

check:
	@sh tests/packages.sh build check
	@+$(MAKE) --no-print-directory check-run

check-long:
	@sh tests/packages.sh build check
	@+CHECK_LONG=1 $(MAKE) --no-print-directory check-run

check-run: all $(UNIT:%=$(BUILD)/unit/%) $(FUZZ:%=$(BUILD)/fuzz/%) $(TOOLS)
	@COMMANDS='$(COMMANDS)' sh tests/run.sh $(BUILD)

# What the generic tests ask us: show-COMMANDS prints the list.
show-%:
	@echo $($*)

demo:
	@sh tests/packages.sh build
	@+$(MAKE) --no-print-directory all $(BUILD)/logmaker
	@sh tests/demo.sh $(BUILD)

clean:
	rm -rf build build-*

.PHONY: all help check check-long check-run demo clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:
