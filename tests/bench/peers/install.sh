#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# install.sh FOLDER: the programs that peers asks, into FOLDER/peers, from Debian's
# packages, PyPI, crates and Go modules. What cannot be had is said, and is a row that
# says so later; the status is 0 all the same. A program that failed to build is left
# alone from then on: remove FOLDER/peers/NAME.failed to try again.
set -u
cd "$(dirname "$0")/../../.." || exit 1

peers=$1/peers
seconds=1500

# build NAME COMMAND...: make the program NAME, unless it is there.
build() {
	name=$1
	shift
	if [ -e "$peers/bin/$name" ] || [ -e "$peers/$name.failed" ]; then
		return 0
	fi
	if [ "${NO_INSTALL:-}" = 1 ]; then
		echo "missing: $name" >&2
		return 0
	fi
	echo "building $name, for $seconds seconds at most"
	if ! timeout "$seconds" nice -n 19 "$@" >"$peers/$name.log" 2>&1 </dev/null; then
		tail -n 1 "$peers/$name.log" >"$peers/$name.failed"
		echo "not to be had: $name: $(cat "$peers/$name.failed")" >&2
	fi
	return 0
}

# crate PROGRAM CRATE [OPTION]...
crate() {
	program=$1
	shift
	build "$program" env CARGO_TARGET_DIR="$peers/target" \
	    cargo install --locked --quiet --root "$peers" "$@"
}

sh tests/packages.sh peers || echo "going on without those" >&2
sh tests/interop/peers.sh "$1" duckdb chdb datasketches datasketch rensa ||
    echo "going on without those" >&2
mkdir -p "$peers/bin"
crate runiq runiq
crate huniq huniq
crate dsrs dsrs
crate tf topfew
# The smallest of its programs. Its crate lacks what its repository replaces by forks, and
# may not build.
crate qsvlite qsv --no-default-features --features lite --bin qsvlite
build topfew env GOBIN="$(realpath "$peers")/bin" go install github.com/timbray/topfew@latest
rm -rf "$peers/target"
