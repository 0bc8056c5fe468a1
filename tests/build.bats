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

# Without what the make that runs this test hands down, or who runs that.
run_make() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u CFLAGS -u CPPFLAGS -u LDFLAGS -u PREFIX -u DESTDIR \
	    make --no-print-directory "$@"
}

# Of what is under test, without building it again.
install_from() {
	run_make -s -C "$SKETCHUTILS_TOP" BUILD="${SKETCHUTILS_BIN%/bin}" RECORD="$PWD/record" "$@"
}

# Another place as far as a build could tell: no network, no git, no packages to
# be had, other permissions, zone, language and year. Files have their true
# times, or make would wonder.
elsewhere() {
	local alone=(unshare -n)
	"${alone[@]}" true 2>/dev/null || alone=(unshare -rn)
	"${alone[@]}" true 2>/dev/null || alone=()
	mkdir -p "$BATS_TEST_TMPDIR/none"
	printf '#!/bin/sh\nexit 127\n' | tee "$BATS_TEST_TMPDIR/none/git" >"$BATS_TEST_TMPDIR/none/apt-get"
	chmod +x "$BATS_TEST_TMPDIR"/none/*
	(
		umask 077
		env -i PATH="$BATS_TEST_TMPDIR/none:/usr/local/bin:/usr/bin:/bin" HOME=/nowhere NO_INSTALL=1 \
		    TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 LANGUAGE=de NO_FAKE_STAT=1 \
		    "${alone[@]}" faketime -f +1500d "$@"
	)
}

plain_build() {
	[ "${SKETCHUTILS_BUILD##*/}" = build ]
}

@test "install puts everything in place, for all to read, and uninstall leaves nothing" {
	local root=$PWD/'a root' prefix=/opt/'my tools' share
	(umask 077 && install_from install-files DESTDIR="$root" PREFIX="$prefix")
	share=$root$prefix/share
	for command in $(run_make -s -C "$SKETCHUTILS_TOP" show-COMMANDS); do
		printf '%s\n' "755 f $root$prefix/bin/$command" "644 f $share/man/man1/$command.1" \
		    "777 l $share/bash-completion/completions/$command" \
		    "777 l $share/fish/vendor_completions.d/$command.fish"
	done >wanted
	printf '%s\n' "644 f $share/man/man5/sketch.5" "644 f $share/man/man7/sketch.7" \
	    "644 f $share/bash-completion/completions/sketchutils" \
	    "644 f $share/zsh/site-functions/_sketchutils" \
	    "644 f $share/fish/vendor_completions.d/sketchutils.fish" >>wanted
	find "$root" ! -type d -printf '%m %y %p\n' | LC_ALL=C sort >there
	LC_ALL=C sort wanted | diff - there
	find "$root" -mindepth 1 -type d ! -perm 755 >closed
	same /dev/null closed
	find "$root" -xtype l >dangling
	same /dev/null dangling

	install_from uninstall DESTDIR="$root" PREFIX="$prefix"
	[ ! -e "$root" ]
}

@test "uninstall leaves a folder that was there before, or that others use" {
	local root=$PWD/root
	mkdir -p "$root/usr/share/man"
	install_from install-files DESTDIR="$root" PREFIX=/usr >&2
	touch "$root/usr/share/zsh/site-functions/_other"
	# Again, over what is there.
	install_from install-files DESTDIR="$root" PREFIX=/usr >&2
	install_from uninstall DESTDIR="$root" PREFIX=/usr
	(cd root && find . | LC_ALL=C sort) >left
	printf '%s\n' . ./usr ./usr/share ./usr/share/man ./usr/share/zsh ./usr/share/zsh/site-functions \
	    ./usr/share/zsh/site-functions/_other | diff - left
}

@test "each folder of an installation can be chosen, below DESTDIR" {
	install_from install-files DESTDIR="$PWD/root" PREFIX=/usr BINDIR=/b MANDIR=/m BASHDIR=/sh/bash \
	    ZSHDIR=/sh/zsh FISHDIR=/sh/fish >&2
	(cd root && find . -type d | LC_ALL=C sort) >folders
	printf '%s\n' . ./b ./m ./m/man1 ./m/man5 ./m/man7 ./sh ./sh/bash ./sh/fish ./sh/zsh | diff - folders
	[ -x root/b/hll-count ] && [ -f root/m/man1/hll-count.1 ] && [ -f root/sh/zsh/_sketchutils ]
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

@test "an archive made from a clone has what git knows, in the same bytes" {
	command -v git >/dev/null || skip 'no git'
	copy_tree tree
	cd tree || return
	run_make dist >/dev/null
	mkdir ../first
	mv sketchutils-*.tar.gz ../first
	git init -q . && git add -A . 2>/dev/null
	mkdir build
	touch build/made not-known
	run_make dist >/dev/null
	same ../first/sketchutils-*.tar.gz sketchutils-*.tar.gz
}

@test "an archive builds with no git and no network, to the same programs as anywhere" {
	long || skip 'part of make check-long'
	plain_build || skip 'the plain build only'
	copy_tree 'one tree'
	run_make -C 'one tree' dist >/dev/null
	mkdir 'another place'
	tar -C 'another place' -xzf 'one tree'/sketchutils-*.tar.gz
	cd 'another place'/sketchutils-* || return
	elsewhere make --no-print-directory -s -j2 all
	same "$SKETCHUTILS_BUILD/flags.asked" build/flags.asked
	for program in "$SKETCHUTILS_BIN"/*; do
		same "$program" "build/bin/${program##*/}"
	done
	[ "$(find build/bin -type f | wc -l)" = "$(run_make -s show-COMMANDS | wc -w)" ]
	elsewhere make --no-print-directory -s check-man check-floors
	elsewhere sh tests/run.sh build tests/golden.bats
	elsewhere make --no-print-directory -s dist
	same sketchutils-*.tar.gz "$BATS_TEST_TMPDIR/one tree"/sketchutils-*.tar.gz
}

@test "what make help lists, make can do" {
	local target
	run_make -s -C "$SKETCHUTILS_TOP" help | sed -n 's/^make \([a-z0-9-][a-z0-9-]*\) .*/\1/p' >targets
	[ "$(wc -l <targets)" -gt 20 ]
	while read -r target; do
		grep -qE "^([a-z0-9-]+ )*$target( [a-z0-9-]+)*:" "$SKETCHUTILS_TOP/Makefile" ||
		    { echo "no rule: $target"; false; }
	done <targets
}

@test "programs, NEWS, the archive and the package have one version" {
	local version
	version=$(run_make -s -C "$SKETCHUTILS_TOP" show-VERSION)
	try 0 hll-count --version
	grep -q "^hll-count (sketchutils) $version," out
	[ "$(sed -n 's/^## \([^ ]*\).*/\1/p' "$SKETCHUTILS_TOP/NEWS.md" | sed 1q)" = "$version" ]
	[ "$(sed -n '1s/.*(\(.*\)).*/\1/p' "$SKETCHUTILS_TOP/debian/changelog")" = "$version" ]
}

@test "every program is hardened, and does not know where it was built" {
	plain_build || skip 'the plain build only'
	local bad=0
	for program in "$SKETCHUTILS_BIN"/*; do
		readelf -hldW --dyn-syms "$program" >elf
		for sign in 'Type: *DYN' 'Flags: NOW PIE' GNU_RELRO 'GNU_STACK .* RW  ' __stack_chk_fail \
		    '__[a-z]*\(read\|cpy\|move\|set\|printf\)_chk'; do
			grep -q "$sign" elf || { echo "${program##*/}: no $sign"; bad=1; }
		done
		! grep -qF -- "$SKETCHUTILS_TOP" "$program" || { echo "${program##*/}: a path"; bad=1; }
	done
	return "$bad"
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
