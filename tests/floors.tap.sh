#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# floors.tap.sh FOLDER: hold the tree to the order of its modules, in TAP.
# A module includes only what the Makefile lists before it; every module that
# exists is listed; the objects of the lower floors neither print nor exit.
set -u

folder=$1
list() {
	make --no-print-directory -s show-"$1"
}

n=0
bad=0
# verdict TITLE TEXT: ok if the text is empty, or the text is the complaint.
verdict() {
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n - $1"
	else
		bad=$((bad + 1))
		echo "not ok $n - $1"
		echo "$2" | sed 's/^/# /'
	fi
}

modules=$(list MODULES)
verdict 'every module in lib is listed in the Makefile, and every listed one exists' "$(
	for module in $modules; do
		[ -f "lib/$module.h" ] || [ -f "lib/$module.c" ] ||
		    echo "lib/$module is listed, but not there"
	done
	find lib -name '*.[ch]' | while read -r file; do
		module=${file#lib/}
		module=${module%.[ch]}
		echo " $(echo "$modules" | tr '\n' ' ') " | grep -q " $module " ||
		    echo "$file is not listed"
	done
)"

verdict 'a module includes only what is listed before it' "$(
	before=
	for module in $modules; do
		before="$before $module"
		for file in "lib/$module.h" "lib/$module.c"; do
			[ -f "$file" ] || continue
			sed -n 's/^#[ \t]*include "\(.*\)\.h"$/\1/p' "$file" | while read -r wanted; do
				case " $before " in
				*" $wanted "*) ;;
				*) echo "$file includes $wanted, which is not listed before it" ;;
				esac
			done
		done
	done
)"

verdict 'programs include modules, not each other' "$(
	for file in cmd/*.c; do
		sed -n 's/^#[ \t]*include "\(.*\)\.h"$/\1/p' "$file" | while read -r wanted; do
			[ -f "lib/$wanted.h" ] || echo "$file includes $wanted"
		done
	done
)"

# snprintf writes to memory and is welcome; an assertion that fails is a bug
# of ours and may abort.
forbidden='^(__)?(v?d?f?printf|f?puts|f?putc|putchar|fwrite|perror|v?warnx?|v?errx?|error|psignal)(_unlocked|_chk)?$'
forbidden="$forbidden|^(stdout|stderr|exit|_exit|_Exit|quick_exit|abort|raise|kill|_IO_putc)\$"
verdict 'base, sketch and interop neither print nor exit' "$(
	for floor in base sketch interop; do
		find "$folder/lib/$floor" -name '*.o' | while read -r object; do
			nm -u "$object" | sed 's/^ *[Uw] //; s/@.*//' | grep -E "$forbidden" |
			    sed "s|^|$object calls |"
		done
	done
)"

verdict 'a header compiles on its own' "$(
	for module in $modules; do
		[ -f "lib/$module.h" ] || continue
		printf '#include "%s.h"\nextern int unused;\n' "$module" |
		    ${CC:-cc} -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -Ilib -fsyntax-only -x c - 2>&1 |
		    head -n 3
	done
)"

echo "1..$n"
[ "$bad" = 0 ]
