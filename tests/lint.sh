#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# lint.sh: what tools can say about the source without running it. Each is
# one test in TAP, and passes when it has nothing to say.
set -u

# The analyser looks at no more than so many states of a function: eight in ten
# seconds of its time went into the last tenth of them, for no finding.
if [ "${1:-}" = --tidy ]; then
	out=$(clang-tidy --quiet --warnings-as-errors='*' "$2" -- -std=c11 -D_GNU_SOURCE \
	    -DSKETCHUTILS_VERSION='"0"' -DSCAN_KERNEL=base -DHAVE_ZLIB -Ilib -Itests/unit \
	    -Xclang -analyzer-config -Xclang max-nodes=30000 2>&1) && exit
	echo "$out"
	exit 1
fi

n=0
bad=0
log=build/lint.log
mkdir -p build

# step TITLE COMMAND...: quiet and successful, or not ok.
step() {
	title=$1
	shift
	n=$((n + 1))
	if "$@" >"$log" 2>&1; then
		echo "ok $n - $title"
	else
		bad=$((bad + 1))
		echo "not ok $n - $title"
		head -n 40 "$log" | sed 's/^/# /'
	fi
}

# Programs and tests, with every warning an error.
build() {
	make -s -j"$(nproc)" BUILD="build-lint-$1" CC="$1" CFLAGS="-Werror -Wdate-time" all tests
}

# The programs that `make arm64` runs, which has no warning either.
build_arm() {
	make -s -j"$(nproc)" arm64-build
}

sources() {
	find cmd lib tests -name '*.c' | LC_ALL=C sort
}

scripts() {
	find tests .ci completions debian/tests -name '*.sh' -o -name '*.bash' -o -path '.ci/run' \
	    -o -path 'debian/tests/*' ! -name control | LC_ALL=C sort
}

# Not the tests: an analyser takes seconds a file, and they run anyway.
tidy() {
	sources | grep -v '^tests/' | xargs -n 1 -P "$(nproc)" sh tests/lint.sh --tidy
}

shells() {
	scripts | xargs shellcheck &&
	    shellcheck -s bash tests/*.bats tests/smoke/*.bats tests/huge/*.bats \
	        tests/interop/*.bats tests/interop/heavy/*.bats
}

# mandoc says nothing where all is well, and its status says the same.
manuals() {
	mandoc -T lint -W warning man/*.[157]
}

# Blanks at the end of a line, and words that mark unfinished work.
tidy_text() {
	! grep -rnE '[[:blank:]]$' cmd lib man tests/*.sh tests/*.bats Makefile completions --include='*' &&
	    ! grep -rnwE 'TO''DO|FIX''ME|XX''X' cmd lib man tests Makefile completions
}

licences() {
	! find cmd lib tests -name '*.[ch]' -o -name '*.sh' -o -name '*.bats' -o -name '*.py' |
	    LC_ALL=C sort | tr '\n' '\0' |
	    xargs -0 grep -L 'sketchutils: BSD-2-Clause, see LICENSE' | grep .
}

step 'gcc has no warning' build gcc
step 'clang has no warning' build clang
step 'gcc for 64-bit ARM has no warning' build_arm
step 'clang-tidy' tidy
step 'shellcheck' shells
step 'mandoc -T lint' manuals
step 'no trailing blanks, nothing marked unfinished' tidy_text
step 'the licence line is in every source file' licences
echo "1..$n"
[ "$bad" = 0 ]
