#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# peers.sh FOLDER [PACKAGE...]: other systems that are Python packages, those of
# `make interop` or these, in FOLDER/peers, a virtual environment of their own. A PACKAGE
# may name its version, NAME==VERSION.
# Installed once; with NO_INSTALL=1 what is missing is named and the status is 1.
set -eu

peers=$1/peers
shift
packages=${*:-duckdb pyarrow datasketches hdrhistogram}

missing=
for package in $packages; do
	module=${package%%=*}
	[ "$package" = hdrhistogram ] && module=hdrh
	"$peers/bin/python" -c "import $module" 2>/dev/null || missing="$missing $package"
done
[ -z "$missing" ] && exit 0
if [ "${NO_INSTALL:-}" = 1 ]; then
	echo "missing Python packages:$missing" >&2
	exit 1
fi
echo "installing into $peers:$missing"
[ -x "$peers/bin/pip" ] || python3 -m venv "$peers"
# The list is words.
# shellcheck disable=SC2086
"$peers/bin/pip" install -q --disable-pip-version-check $missing
