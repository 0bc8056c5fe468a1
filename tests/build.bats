# sketchutils: BSD-2-Clause, see LICENSE
#
# What the Makefile promises beside the programs: installing and removing,
# archives and binaries that come out the same, flags of the user's own.

load helper

# A copy of the sources in a folder with a blank in its name.
copy_tree() {
	mkdir -p "$1"
	tar -C "$SKETCHUTILS_TOP" --exclude=./.git --exclude='./build*' --exclude='*.tar.gz' --exclude='*.new' -cf - . |
	    tar -C "$1" -xf -
}

# Without what the make that runs this test hands down.
run_make() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make --no-print-directory "$@"
}

@test "install puts programs, manuals and completions in place, uninstall takes them away" {
	[ "${SKETCHUTILS_BUILD##*/}" = build ] || skip 'the plain build only'
	cd "$SKETCHUTILS_TOP" || return
	local root=$BATS_TEST_TMPDIR/'a root'
	run_make install DESTDIR="$root" PREFIX=/usr >"$BATS_TEST_TMPDIR/log" 2>&1 || {
		cat "$BATS_TEST_TMPDIR/log"
		return 1
	}
	for command in $(run_make -s show-COMMANDS); do
		[ -x "$root/usr/bin/$command" ] && [ -f "$root/usr/share/man/man1/$command.1" ] &&
		    [ -f "$root/usr/share/bash-completion/completions/$command" ] &&
		    [ -f "$root/usr/share/fish/vendor_completions.d/$command.fish" ] &&
		    grep -q "^#compdef .*$command" "$root/usr/share/zsh/site-functions/_sketchutils" || {
			echo "not all of $command"
			return 1
		}
	done
	[ -f "$root/usr/share/man/man5/sketch.5" ]
	run_make uninstall DESTDIR="$root" PREFIX=/usr >"$BATS_TEST_TMPDIR/log" 2>&1
	find "$root" ! -type d >"$BATS_TEST_TMPDIR/left"
	[ ! -s "$BATS_TEST_TMPDIR/left" ] || {
		cat "$BATS_TEST_TMPDIR/left"
		return 1
	}
}

@test "an archive has the same bytes each time, also one made from an unpacked archive" {
	copy_tree 'one tree'
	copy_tree two
	find two -exec touch -d '2001-01-01' {} +
	chmod -R g+w two
	run_make -C 'one tree' dist >/dev/null
	run_make -C two dist >/dev/null
	same 'one tree'/sketchutils-*.tar.gz two/sketchutils-*.tar.gz
	tar -tzf two/sketchutils-*.tar.gz >list
	grep -q '^sketchutils-[0-9.]*/cmd/hll-count.c$' list
	absent '/build/' list
	mkdir three
	tar -C three -xzf two/sketchutils-*.tar.gz
	run_make -C three/sketchutils-* dist >/dev/null
	same three/sketchutils-*/sketchutils-*.tar.gz two/sketchutils-*.tar.gz
}

@test "two builds in two folders give the same programs" {
	long || skip 'part of make check-long'
	copy_tree 'one tree'
	copy_tree two
	run_make -s -j2 -C 'one tree' all
	run_make -s -j2 -C two all
	[ "$(find two/build/bin -type f | wc -l)" = "$(run_make -s -C two show-COMMANDS | wc -w)" ]
	for program in two/build/bin/*; do
		same "$program" "one tree/build/bin/${program##*/}"
	done
}

@test "the user's flags come last, and new ones rebuild what there is" {
	copy_tree tree
	cd tree || return
	run_make build/lib/base/status.o CFLAGS=-DMINE >log
	grep -q -- ' -DMINE .*lib/base/status.c' log
	run_make build/lib/base/status.o CFLAGS=-DMINE >log
	absent lib/base/status.c log
	run_make build/lib/base/status.o CFLAGS='-DMINE -O0' >log
	grep -q -- ' -DMINE -O0 .*lib/base/status.c' log
	run_make build/lib/base/status.o >log
	grep -q 'lib/base/status.c' log
}

@test "a hardening flag that the compiler does not know is left out" {
	copy_tree tree
	cd tree || return
	cat >older-cc <<-'END'
		#!/bin/sh
		case " $* " in *' -fstack-clash-protection '*) exit 1 ;; esac
		exec cc "$@"
	END
	chmod +x older-cc
	run_make build/lib/base/status.o CC=./older-cc
	absent stack-clash build/cflags
	grep -q stack-protector-strong build/cflags
}

@test "a missing package is named, and nothing is installed, with NO_INSTALL=1" {
	cd "$SKETCHUTILS_TOP" || return
	mkdir "$BATS_TEST_TMPDIR/bin"
	for tool in sh bash cc gcc ar cat sort tr id grep; do
		ln -s "$(command -v "$tool")" "$BATS_TEST_TMPDIR/bin"
	done
	local status=0
	NO_INSTALL=1 PATH=$BATS_TEST_TMPDIR/bin sh tests/packages.sh build check \
	    >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
	[ "$status" = 1 ]
	grep -q '^missing packages: .*bats .*jq ' "$BATS_TEST_TMPDIR/err"
	[ ! -s "$BATS_TEST_TMPDIR/out" ]
}
