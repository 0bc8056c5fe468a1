#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# deb.sh FOLDER: an archive by `make dist`, and of that, unpacked in FOLDER, the
# source and the binary package; lintian must have nothing to say of them.
# deb.sh FOLDER --again: both once more, elsewhere, under another umask, zone,
# language and date. They must have the same bytes.
# deb.sh FOLDER --test: what debian/tests asks, of this machine while the package is
# installed on it.
set -eu

folder=$1
name=sketchutils-$(make --no-print-directory -s show-VERSION)

# build FOLDER COMMAND...: packages of the archive, built by COMMAND. Debugging
# symbols are not kept, whose compression takes longer than all else.
build() {
	(
		cd "$1"
		shift
		# The source package has the modes that its files have here.
		(umask 022 && tar -xpzf "$name.tar.gz")
		cd "$name"
		unset MAKEFLAGS MAKELEVEL MFLAGS CFLAGS CPPFLAGS LDFLAGS
		DEB_BUILD_PROFILES=nocheck DEB_BUILD_OPTIONS="nocheck noautodbgsym parallel=$(nproc)" \
		    "$@" dpkg-buildpackage -us -uc >../log 2>&1 || {
			tail -n 40 ../log
			exit 1
		}
	)
}

# What is made, but for the lists of what the machine had while making it.
made() {
	(cd "$1" && ls -- *.dsc *.tar.xz *.deb)
}

case ${2-} in
'')
	rm -rf "$folder"
	mkdir -p "$folder"
	make --no-print-directory -s dist >/dev/null
	mv "$name.tar.gz" "$folder"
	build "$folder" env
	# It takes machine code for words, others with each compiler.
	lintian --fail-on error,warning,info,pedantic --display-info --pedantic --allow-root \
	    --suppress-tags spelling-error-in-binary "$folder"/*.changes
	made "$folder" | sed "s|^|$folder/|"
	;;
--again)
	other=$folder/'built elsewhere'
	rm -rf "$other"
	mkdir -p "$other"
	cp "$folder/$name.tar.gz" "$other"
	umask 077
	build "$other" env TZ=Pacific/Kiritimati LC_ALL=C.UTF-8 LANGUAGE=de NO_FAKE_STAT=1 faketime -f +1500d
	made "$folder" | while read -r file; do
		cmp "$folder/$file" "$other/$file"
	done
	echo "the same in $other"
	;;
--test)
	status=0
	autopkgtest "$folder"/*.changes -- null || status=$?
	dpkg --purge sketchutils
	exit "$status"
	;;
esac
