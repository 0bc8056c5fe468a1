#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# everywhere.sh: the golden files' tests with programs of every compiler, level of
# optimisation, libc and machine at hand, each in its own folder build-golden-*.
set -u

bad=0
# one NAME EMULATOR MAKE'S VARIABLES...
one() {
	folder=build-golden-$1
	name=$1
	emulator=$2
	shift 2
	echo "== $name"
	make --no-print-directory "-j$(nproc)" BUILD="$folder" "$@" all >"$folder.log" 2>&1 || {
		tail -n 20 "$folder.log"
		bad=1
		return
	}
	sh tests/emulated.sh "$folder" "$emulator" tests/golden.bats || bad=1
	# Their like is 60 MB each.
	[ "$bad" = 1 ] || rm -rf "$folder"
	rm -f "$folder.log"
}

mkdir -p build-static/include
cp "$(echo '#include <xxhash.h>' | cc -M -x c - | tr ' ' '\n' | grep 'xxhash\.h$')" build-static/include

for level in 0 3; do
	one "gcc-O$level" '' CC=gcc CFLAGS="-O$level -U_FORTIFY_SOURCE"
	one "clang-O$level" '' CC=clang CFLAGS="-O$level -U_FORTIFY_SOURCE"
done
one musl '' CC=musl-gcc CPPFLAGS='-isystem build-static/include' LDFLAGS=-static
one arm64 qemu-aarch64 CC=aarch64-linux-gnu-gcc AR=aarch64-linux-gnu-ar LDFLAGS=-static
one s390x qemu-s390x CC=s390x-linux-gnu-gcc AR=s390x-linux-gnu-ar LDFLAGS=-static
exit "$bad"
