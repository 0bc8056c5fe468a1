#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# packages.sh SET...: have what these sets need, or install it from the
# system's packages. With NO_INSTALL=1, or where there is no apt-get, what is
# missing is named and the status is 1.
#
# One row for each thing: the set, how it is recognised (a command, or a
# header the compiler finds), and the Debian package that brings it.
set -eu

table='
build	command	cc	gcc
build	header	stdio.h	libc6-dev
build	header	xxhash.h	libxxhash-dev
build	header	zlib.h	zlib1g-dev
build	command	ar	binutils
check	command	bats	bats
check	command	python3	python3
check	command	jq	jq
check	command	mandoc	mandoc
check	command	datamash	datamash
check	command	strace	strace
check	command	gzip	gzip
check	command	faketime	faketime
installed	command	bats	bats
installed	command	man	man-db
installed	file	/usr/share/bash-completion/bash_completion	bash-completion
installed	command	zsh	zsh
installed	command	fish	fish
lint	command	gcc	gcc
lint	command	clang	clang
lint	command	clang-tidy	clang-tidy
lint	command	shellcheck	shellcheck
lint	command	mandoc	mandoc
interop	command	bats	bats
interop	command	python3	python3
interop	command	jq	jq
interop	command	gzip	gzip
interop	command	bloom	golang-github-dcso-bloom-cli
interop	python	ensurepip	python3-venv
interop	command	redis-server	redis-server
interop	command	redis-cli	redis-tools
interop	command	setpriv	util-linux
interop	command	parallel	parallel
interop	file	/usr/sbin/sshd	openssh-server
interop	command	ssh	openssh-client
interop	command	rsync	rsync
interop	file	/usr/sbin/ip	iproute2
interop	file	/usr/lib/postgresql/15/bin/postgres	postgresql-15
interop	file	/usr/share/postgresql/15/extension/hll.control	postgresql-15-hll
heavy	command	sbatch	slurm-client
heavy	file	/usr/sbin/slurmctld	slurmctld
heavy	file	/usr/sbin/slurmd	slurmd
heavy	file	/usr/sbin/munged	munge
heavy	file	/usr/sbin/ip	iproute2
heavy	command	java	openjdk-17-jre-headless
heavy	command	mvn	maven
heavy	command	bats	bats
heavy	command	python3	python3
heavy	python	ensurepip	python3-venv
bench	command	python3	python3
bench	command	mawk	mawk
bench	command	datamash	datamash
peers	command	mawk	mawk
peers	command	gawk	gawk
peers	command	datamash	datamash
peers	command	bloom	golang-github-dcso-bloom-cli
peers	command	simhash	simhash
peers	command	redis-server	redis-server
peers	command	redis-cli	redis-tools
peers	command	cargo	cargo
peers	command	go	golang-go
peers	python	ensurepip	python3-venv
deb	command	dpkg-buildpackage	dpkg-dev
deb	command	dh	debhelper
deb	command	lintian	lintian
deb	command	make	make
deb-check	command	faketime	faketime
deb-check	command	autopkgtest	autopkgtest
fuzz	command	clang	clang
fuzz	clang	fuzzer	libclang-rt-dev
cover	command	clang	clang
cover	command	llvm-cov	llvm
cover	clang	fuzzer	libclang-rt-dev
static	command	musl-gcc	musl-tools
big-endian	command	s390x-linux-gnu-gcc	gcc-s390x-linux-gnu
big-endian	file	/usr/s390x-linux-gnu/include/stdio.h	libc6-dev-s390x-cross
big-endian	command	qemu-s390x	qemu-user
arm	command	aarch64-linux-gnu-gcc	gcc-aarch64-linux-gnu
arm	file	/usr/aarch64-linux-gnu/include/stdio.h	libc6-dev-arm64-cross
arm-emulated	command	qemu-aarch64	qemu-user
valgrind	command	valgrind	valgrind
'

have() {
	case $1 in
	command) command -v "$2" >/dev/null 2>&1 ;;
	file) [ -e "$2" ] ;;
	header) echo "#include <$2>" | ${CC:-cc} -E -x c - >/dev/null 2>&1 ;;
	python) python3 -c "import $2" >/dev/null 2>&1 ;;
	clang)
		echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return p && n > 9; }' |
		    clang -x c -fsanitize="$2" -o /dev/null - >/dev/null 2>&1
		;;
	esac
}

tab=$(printf '\t')
missing() {
	for set; do
		echo "$table" | while IFS=$tab read -r of how what package; do
			if [ "$of" = "$set" ] && ! have "$how" "$what"; then
				echo "$package"
			fi
		done
	done | sort -u
}

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

lacking=$(missing "$@" | tr '\n' ' ')
[ -z "$lacking" ] && exit 0

if [ "${NO_INSTALL:-}" = 1 ] || ! command -v apt-get >/dev/null 2>&1; then
	echo "missing packages: $lacking" >&2
	exit 1
fi
if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
	echo "missing packages, and no sudo to install them: $lacking" >&2
	exit 1
fi

echo "installing: $lacking"
apt() {
	as_root env DEBIAN_FRONTEND=noninteractive \
	    apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null
}
apt update
# The list is words.
# shellcheck disable=SC2086
apt install -y --no-install-recommends $lacking >/dev/null

lacking=$(missing "$@" | tr '\n' ' ')
if [ -n "$lacking" ]; then
	echo "still missing after the installation: $lacking" >&2
	exit 1
fi
