#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# hadoop.sh install FOLDER    Hadoop's streaming, from Maven, into FOLDER/peers/hadoop
# hadoop.sh command FOLDER    what `hadoop` is: a script, on standard output
#
# Spark brings the rest of Hadoop, and this is of the same version. Jobs run in one
# process of their own, as they do wherever Hadoop has no cluster, and what they keep
# meanwhile lies in TMPDIR.
set -eu

version=3.3.4
streaming=$2/peers/hadoop
case $1 in
install)
	[ ! -e "$streaming" ] || exit 0
	if [ "${NO_INSTALL:-}" = 1 ]; then
		echo "missing: $streaming" >&2
		exit 1
	fi
	echo "installing into $streaming: hadoop-streaming $version"
	rm -rf "$streaming.new"
	mvn -q -B -Dstyle.color=never dependency:copy -Dartifact="org.apache.hadoop:hadoop-streaming:$version" \
	    -Dmdep.stripVersion=true -DoutputDirectory="$(realpath -m "$streaming.new")" </dev/null
	cat >"$streaming.new/core-site.xml" <<-'END'
		<configuration>
		<property><name>hadoop.tmp.dir</name><value>${java.io.tmpdir}</value></property>
		<property><name>mapreduce.jobtracker.staging.root.dir</name><value>${hadoop.tmp.dir}/staging</value></property>
		</configuration>
	END
	mv "$streaming.new" "$streaming"
	;;
command)
	lib=$("$2/peers/bin/python" -c 'import pyspark; print(pyspark.__path__[0])')/jars
	ls "$lib/hadoop-client-api-$version.jar" >/dev/null
	cat <<-END
		#!/bin/sh
		case \$1 in
		jar) what=org.apache.hadoop.streaming.HadoopStreaming classes=\$2:; shift 2 ;;
		fs) what=org.apache.hadoop.fs.FsShell classes=; shift ;;
		esac
		exec java -XX:TieredStopAtLevel=1 -Djava.io.tmpdir="\${TMPDIR:-/tmp}" \\
		    -cp "\$classes$streaming:$lib/*" \$what "\$@"
	END
	;;
esac
