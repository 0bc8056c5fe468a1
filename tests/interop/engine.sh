#!/bin/sh
# sketchutils: BSD-2-Clause, see LICENSE
#
# engine.sh start ssh|slurm FOLDER     two hosts, or a cluster of one node
# engine.sh stop ssh|slurm FOLDER      by the process numbers of what was started
#
# Everything listens in a network of its own that has a loopback and nothing else:
# no port can be taken, and nobody can reach it. FOLDER/bin has what goes there:
# ssh, or Slurm's commands. This needs root.
#
# ssh: web1 and web2 are hosts with names, homes (FOLDER/web1, FOLDER/web2) and
# logs (FOLDER/web1-log, which is /var/log there) of their own, and no passwords. They
# find our programs on their PATH.
#
# slurm: one node of four processors, as far as Slurm is told.
set -eu

what=$2 folder=$3
export PATH="$PATH:/usr/sbin"

# The network lives as long as this process, an hour at most. Slurm resolves no name
# where there is not one address that is not of the loopback, so it has one more.
start_network() {
	# shellcheck disable=SC2016 # the inner shell expands
	unshare --net sh -euc '
		ip link set lo up
		ip address add 198.51.100.1/32 dev lo
		echo $$ >"$1"
		exec sleep 3600' \
	    sh "$folder/network.pid" >/dev/null 2>&1 </dev/null 3>&- &
	await network.pid
}

inside() {
	nsenter --net="/proc/$(cat "$folder/network.pid")/ns/net" -- "$@"
}

# shim COMMAND [OPTION...]: the command, run in that network.
shim() {
	mkdir -p "$folder/bin"
	printf '#!/bin/sh\nexec nsenter --net=/proc/%s/ns/net -- %s "$@"\n' \
	    "$(cat "$folder/network.pid")" "$(command -v "$1")${2+ $2}" >"$folder/bin/$1"
	chmod +x "$folder/bin/$1"
}

# await FILE: until it is there and has something in it.
await() {
	for _ in $(seq 200); do
		[ ! -s "$folder/$1" ] || return 0
		sleep 0.05
	done
	echo "engine.sh: $1 did not come" >&2
	cat "$folder"/*.log >&2
	return 1
}

# host NAME ADDRESS: an sshd that believes to be alone on its machine.
host() {
	mkdir "$folder/$1" "$folder/$1-log"
	sed "s|^root:.*|root:x:0:0:root:$folder/$1:/bin/bash|" /etc/passwd >"$folder/$1.passwd"
	cat >"$folder/$1.conf" <<-END
		ListenAddress $2
		Port 22
		HostKey $folder/host
		PidFile $folder/$1.pid
		AuthorizedKeysFile $folder/user.pub
		StrictModes no
		PermitRootLogin prohibit-password
		PasswordAuthentication no
		KbdInteractiveAuthentication no
		UsePAM no
		PrintMotd no
		MaxStartups 50
		MaxSessions 50
		SetEnv PATH=$SKETCHUTILS_BIN:/usr/bin:/bin
	END
	printf 'Host %s\nHostName %s\n' "$1" "$2" >>"$folder/client.conf"
	printf '%s %s\n' "$2" "$(cat "$folder/host.pub")" >>"$folder/known"
	# shellcheck disable=SC2016 # the inner shell expands
	inside unshare --mount --uts sh -euc '
		hostname "$2"
		mount --bind "$1/$2.passwd" /etc/passwd
		mount --bind "$1/shadow" /etc/shadow
		mount --bind "$1/$2-log" /var/log
		mount -t tmpfs none /run
		mkdir /run/sshd
		exec "$(command -v sshd)" -f "$1/$2.conf" -E "$1/$2.log"' \
	    sh "$folder" "$1" >/dev/null </dev/null 3>&-
	await "$1.pid"
}

start_ssh() {
	for key in user host; do
		ssh-keygen -q -t ed25519 -N '' -f "$folder/$key"
	done
	printf 'root:*:1::::::\nsshd:*:1::::::\n' >"$folder/shadow"
	start_network
	host web1 127.0.0.1
	host web2 127.0.0.2
	cat >>"$folder/client.conf" <<-END
		Host *
		User root
		IdentityFile $folder/user
		IdentitiesOnly yes
		UserKnownHostsFile $folder/known
		StrictHostKeyChecking yes
		BatchMode yes
		LogLevel ERROR
	END
	shim ssh "-F $folder/client.conf"
}

start_slurm() {
	start_network
	name=$(hostname -s)
	head -c 1024 /dev/urandom >"$folder/munge.key"
	chmod 600 "$folder/munge.key"
	mkdir "$folder/state" "$folder/spool"
	cat >"$folder/slurm.conf" <<-END
		ClusterName=alone
		SlurmctldHost=$name(127.0.0.1)
		SlurmUser=$(id -un)
		SlurmdUser=$(id -un)
		AuthType=auth/munge
		AuthInfo=socket=$folder/munge.socket
		CredType=cred/munge
		StateSaveLocation=$folder/state
		SlurmdSpoolDir=$folder/spool
		SlurmctldPidFile=$folder/slurmctld.pid
		SlurmdPidFile=$folder/slurmd.pid
		SlurmctldLogFile=$folder/slurmctld.log
		SlurmdLogFile=$folder/slurmd.log
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		AccountingStorageType=accounting_storage/none
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_CPU
		SlurmdParameters=config_overrides
		SchedulerParameters=sched_min_interval=0,batch_sched_delay=0,sched_interval=2
		SlurmctldTimeout=30
		NodeName=$name NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
		PartitionName=all Nodes=$name Default=YES MaxTime=5 State=UP
	END
	export SLURM_CONF="$folder/slurm.conf"
	inside munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
	    --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
	    --seed-file="$folder/munge.seed" >/dev/null 2>&1 3>&-
	await munged.pid
	inside slurmctld 3>&-
	inside slurmd 3>&-
	await slurmctld.pid
	await slurmd.pid
	for command in sbatch srun squeue scontrol sinfo; do
		shim "$command"
	done
	for _ in $(seq 200); do
		case $("$folder/bin/sinfo" -h -o %t 2>/dev/null) in
		idle) return ;;
		esac
		sleep 0.05
	done
	cat "$folder"/*.log >&2
	return 1
}

stop() {
	[ -e "$folder/$1.pid" ] || return 0
	pid=$(cat "$folder/$1.pid")
	kill "$pid" 2>/dev/null || return 0
	for _ in $(seq 200); do
		kill -0 "$pid" 2>/dev/null || return 0
		sleep 0.05
	done
	kill -9 "$pid"
}

case $1-$what in
start-ssh) start_ssh ;;
start-slurm) start_slurm ;;
stop-ssh | stop-slurm)
	for process in web1 web2 slurmd slurmctld munged network; do
		stop "$process"
	done
	;;
esac
