#!/bin/bash
# Four machines on shaped wires, made of network namespaces: what calibrate measures there predicts
# what all-reduces then take.
#
#   tests/netns/wires.sh RINGSIDE [TOLERANCE_PERCENT]
#
# Each namespace is a host with a name and an address; veth pairs join them in one bridge, and token
# buckets at both ends of each shape it: 400 Mbit/s, one of them 100. Open MPI starts its daemons in
# the namespaces with an agent in the place of ssh. Needs root, ip, tc and Open MPI; exits 77 with a
# sentence where they are missing.
set -u

ringside=$(readlink -f "$1")
tolerance=${2:-15}
rates=(400mbit 400mbit 400mbit 100mbit)
id=rs$$
folder=$(mktemp -d)

skip() { echo "skipped: $*"; exit 77; }

[ "$(id -u)" = 0 ] || skip "network namespaces need root"
for tool in ip tc mpirun python3; do
  command -v "$tool" >/dev/null 2>&1 || skip "this machine lacks $tool"
done

take_down() {
  for i in "${!rates[@]}"; do
    ip netns del "$id-$i" 2>/dev/null
    ip link del "v$$-$i" 2>/dev/null
  done
  ip link del "b$$" 2>/dev/null
  rm -rf "$folder"
}
trap take_down EXIT

# Acknowledgements pass the data that wait: queues are long here, so that TCP never loses a packet,
# and behind them a wire that is used both ways would stand still in turn (Zhang, Shenker and Clark,
# SIGCOMM 1991).
shape() { # shape RATE tc-command...
  rate=$1
  shift
  "$@" qdisc add dev "$device" root handle 1: htb default 2 &&
    "$@" class add dev "$device" parent 1: classid 1:9 htb rate "$rate" burst 64kb &&
    "$@" class add dev "$device" parent 1:9 classid 1:1 htb rate 10mbit ceil "$rate" prio 0 &&
    "$@" class add dev "$device" parent 1:9 classid 1:2 htb rate 80mbit ceil "$rate" prio 1 &&
    "$@" filter add dev "$device" parent 1: protocol ip u32 \
      match u16 0 0xff00 at 2 flowid 1:1 # shorter than 256 B
}

put_up() {
  ip link add "b$$" type bridge && ip link set "b$$" up || return
  for i in "${!rates[@]}"; do
    ip netns add "$id-$i" &&
      ip link add "v$$-$i" type veth peer name eth0 netns "$id-$i" &&
      ip link set "v$$-$i" master "b$$" up &&
      ip -n "$id-$i" link set lo up &&
      ip -n "$id-$i" addr add "10.77.0.$((i + 1))/24" dev eth0 &&
      ip -n "$id-$i" link set eth0 up || return
    # What a pause does to TCP's window is no property of the wire.
    ip netns exec "$id-$i" sh -c 'echo 0 >/proc/sys/net/ipv4/tcp_slow_start_after_idle' || return
    device=eth0 shape "${rates[i]}" ip netns exec "$id-$i" tc || return
    device="v$$-$i" shape "${rates[i]}" tc || return
  done
}
put_up 2>"$folder/log" || skip "this machine gives no shaped network namespaces: $(head -n 1 "$folder/log")"

# Open MPI calls it as it would call ssh: HOST COMMAND...
cat >"$folder/agent" <<'AGENT'
#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"
AGENT
chmod +x "$folder/agent"

hosts=
for i in "${!rates[@]}"; do hosts="$hosts${hosts:+,}$id-$i:1"; done

on_the_wires() {
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
    timeout 300 "$folder/agent" "$id-0" mpirun --mca plm rsh --mca plm_rsh_agent "$folder/agent" \
    --mca btl tcp,self --mca btl_tcp_sndbuf 4194304 --mca btl_tcp_rcvbuf 4194304 \
    --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
    --host "$hosts" -n "${#rates[@]}" "$ringside" "$@"
}

on_the_wires calibrate --backend mpi --message 1M --samples 3 --out "$folder/wires.toml" ||
  { echo "calibrate failed"; exit 1; }

failed=0
for algorithm in ring star binomial_tree; do
  on_the_wires run --backend mpi --executor messages --algorithm "$algorithm" -b 1M -e 16M -f 4 -n 3 \
    -w 1 --predict "$folder/wires.toml" --json >"$folder/run.json" || { echo "run failed"; exit 1; }
  python3 - "$folder/run.json" "$tolerance" <<'CHECK' || failed=1
import json, sys
tolerance = float(sys.argv[2])
bad = 0
for row in json.load(open(sys.argv[1]))["results"]:
    if row["in_place"]:
        continue
    error = row["predicted_us"] / row["time_us"] - 1
    verdict = "ok" if abs(error) * 100 <= tolerance else "OFF"
    bad += verdict != "ok"
    print("%-14s %9d B  measured %10.1f us  predicted %10.1f us  %+5.1f %%  %s" % (
        row["algorithm"], row["bytes"], row["time_us"], row["predicted_us"], error * 100, verdict))
    if row["wrong"]:
        print("  wrong data: %d elements" % row["wrong"])
        bad += 1
sys.exit(bad > 0)
CHECK
done
[ "$failed" = 0 ] || echo "predicted and measured differ by more than $tolerance %"
exit "$failed"
