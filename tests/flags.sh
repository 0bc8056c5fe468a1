#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# flags.sh FOLDER [USER'S FLAGS]: write FOLDER/cflags, FOLDER/ldflags and
# FOLDER/libs: $FLAGS and the hardening (or, with SAN=1, sanitizing) flags that $CC understands
# beside the user's own, and zlib if there is one. If the question is the same as last time, so are the
# files, untouched: only a new compiler or other flags rebuild the tree.
set -eu

folder=$1
shift
CC=${CC:-cc}
ours=${FLAGS?}
mkdir -p "$folder"

# $CC may hold words of its own, as in CC='ccache gcc'.
# shellcheck disable=SC2086
version=$($CC --version | sed 1q) || {
	echo "flags.sh: cannot run the compiler '$CC'" >&2
	exit 1
}
question=$(printf '%s\n' "$CC" "$version" "$ours" "san=${SAN:-}" "zlib=${ZLIB:-}" "$@" && cat tests/flags.sh)
if [ -f "$folder/flags.asked" ] && [ "$question" = "$(cat "$folder/flags.asked")" ]; then
	exit 0
fi

trap 'rm -f "$folder/probe.c" "$folder/probe.out"' EXIT
printf '%s\n' '#include <string.h>' 'int main(int argc, char **argv)' \
    '{ char a[64]; memset(a, argc, sizeof(a)); return strlen(argv[0]) + a[0] == 0; }' \
    >"$folder/probe.c"

user="$*"
# understood FLAG...: does a program build with these and the user's flags?
understood() {
	# shellcheck disable=SC2086
	$CC -std=c11 -O2 -Wall -Werror $found "$@" $user -o "$folder/probe.out" \
	    "$folder/probe.c" >/dev/null 2>&1
}

# The one library we need is a header; say so before the first file fails.
# shellcheck disable=SC2086
if ! echo '#include <xxhash.h>' | $CC $user -E -x c - >/dev/null 2>&1; then
	echo "flags.sh: no xxhash.h: install libxxhash-dev, or let 'make demo' do it" >&2
	exit 1
fi

found=
add() {
	for flags; do
		# Several words stand or fall together.
		# shellcheck disable=SC2086
		if understood $flags; then
			found="$found $flags"
			return
		fi
	done
}

if [ "${SAN:-}" = 1 ]; then
	add '-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all'
	case $found in
	*sanitize*) ;;
	*)
		echo "flags.sh: '$CC' has no address and undefined behaviour sanitizers" >&2
		exit 1
		;;
	esac
	cflags=$found
	ldflags=
else
	add '-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3' '-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2'
	add -fstack-protector-strong
	add -fstack-clash-protection
	add -fcf-protection
	case " $user " in
	*' -static '*) ;;
	*) add '-fPIE -pie' ;;
	esac
	cflags=$(echo "$found" | sed 's/ -pie//')
	case $found in
	*-pie*) ldflags=-pie ;;
	*) ldflags= ;;
	esac
	for flag in -Wl,-z,relro -Wl,-z,now; do
		understood "$flag" && ldflags="$ldflags $flag"
	done
fi

# A zlib inside the program starts faster than a shared one; $ZLIB may say otherwise.
libs=-lm
printf '%s\n' '#include <zlib.h>' 'int main(void)' \
    '{ z_stream z = {0}; return inflateInit2(&z, 31) + inflate(&z, 0) + inflateEnd(&z); }' \
    >"$folder/probe.c"
for zlib in "${ZLIB:--l:libz.a}" '-Wl,--as-needed -lz'; do
	# shellcheck disable=SC2086
	if $CC $cflags $user $ldflags -o "$folder/probe.out" "$folder/probe.c" $zlib \
	    >/dev/null 2>&1; then
		cflags="$cflags -DHAVE_ZLIB"
		libs="$zlib $libs"
		break
	fi
done

echo "$ours$cflags" >"$folder/cflags"
echo "$libs" >"$folder/libs"
echo "$ldflags" >"$folder/ldflags"
printf '%s\n' "$question" >"$folder/flags.asked"
