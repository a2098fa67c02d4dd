#!/bin/bash
# usage: tests/bench/figures.sh [--rounds N] [--no-peers] [BUILD_FOLDER]
# Every figure of docs/performance.md that has an aim, measured in turn, N rounds (5) each: median,
# fastest and slowest, most memory, and the aim. Then peers.sh, unless told not to. On a quiet machine
# of two cores some eight minutes.
# Needs BUILD_FOLDER/ringside and BUILD_FOLDER/ringside_bench:
#   cmake --build build/release --target ringside ringside_bench
# Exit status 1 if an aim is missed, or something that must be equal is not.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
rounds=5 peers=1 build=
while [ $# -gt 0 ]; do
  case $1 in
    --rounds) rounds=$2 && shift ;;
    --no-peers) peers= ;;
    *) build=$1 ;;
  esac
  shift
done
build=${build:-$top/build/release}
for needed in "$build/ringside" "$build/ringside_bench" /usr/bin/time; do
  [ -x "$needed" ] || { echo "no $needed: build or install it first" >&2; exit 3; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
missed=0

# row WHAT UNIT LEAST|MOST AIM < values, one a line: a row of the table. "KiB N" lines are memory.
row() {
  sort -g | awk -v what="$1" -v unit="$2" -v kind="$3" -v aim="$4" '
    $1 == "KiB" { if ($2 > kib) kib = $2; next }
    { value[++n] = $1 }
    END {
      median = value[int((n + 1) / 2)]
      met = kind == "least" ? median >= aim : median <= aim
      printf "%-62s %9.3f %9.3f-%-9.3f %-14s %8s %s %s %s\n", what, median, value[1], value[n],
             unit, kib ? int(kib / 1024) " MiB" : "", kind == "least" ? ">=" : "<=", aim,
             met ? "" : "MISSED"
      exit !met
    }' || missed=1
}

# whole WHAT MOST_SECONDS ARGUMENTS...: seconds of the whole process.
whole() {
  local what=$1 aim=$2 round
  shift 2
  for ((round = 0; round < rounds; ++round)); do
    /usr/bin/time -f '%e\nKiB %M' -o "$work/time" "$build/ringside" "$@" > "$work/out" 2>&1 ||
      { cat "$work/out" >&2; exit 1; }
    cat "$work/time"
  done | row "$what" s most "$aim"
}

# rates NAME: items a second of a benchmark, in millions, one a line.
rates() {
  "$build/ringside_bench" --benchmark_filter="^$1\$" --benchmark_repetitions="$rounds" \
    --benchmark_format=csv 2> "$work/err" |
    awk -F, '/^"?name/ { for (i = 1; i <= NF; ++i) if ($i ~ /items_per_second/) at = i }
             /^"?[a-z_]+\// && !/_(mean|median|stddev|cv)"/ { print $at / 1e6 }'
}

same() {  # WHAT FILE FILE
  if cmp -s "$2" "$3"; then echo "$1: equal"; else echo "$1: NOT EQUAL" && missed=1; fi
}

printf '%-62s %9s %19s %-14s %8s %s\n' "" median spread "" memory aim
reduce() { echo simulate --collective all_reduce --algorithm "$@"; }

# A listener's rate less the telling: 1 / (1 / heard - 1 / told).
told=$(rates tell_ring/1024 | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')
rates hear_ring/stream/1024 | awk -v told="$told" '{ print 1 / (1 / $1 - 1 / told) }' |
  row "ring, 1,024 ranks, stream: inside the model" "M transfers/s" least 80
rates hear_ring/flow/1024 | awk -v told="$told" '{ print 1 / (1 / $1 - 1 / told) }' |
  row "ring, 1,024 ranks, flow: inside the model" "M transfers/s" least 8
whole "ring, 16,384 ranks, stream, all ranks" 20 $(reduce ring) --system ring --ranks 16384 \
  --model stream --fold off -b 1G -e 1G
whole "double tree, 65,536 ranks on a star, stream" 2 $(reduce double_binary_tree) \
  --system star --ranks 65536 --model stream -b 1G -e 1G
for model in stream flow; do
  whole "hierarchical, 16,384 dgx-h100, 512K to 16G, $model" 5 $(reduce hierarchical) \
    --system dgx-h100 --nodes 16384 --model $model -b 512K -e 16G
done
whole "halving-doubling, 65,536 ranks on a hypercube, stream" 5 $(reduce halving_doubling) \
  --system hypercube --ranks 65536 --model stream -b 1G -e 1G
rates fair_share_events/100000/iterations:20000 | awk '{ print 1000 * $1 }' |
  row "fair shares, 65,536 hosts, 100,000 flows" "k events/s" least 300
rates flow_on_a_fat_tree/100000/iterations:1 | awk '{ print 1000 * $1 }' |
  row "model flow there, 100,000 messages on their way" "k events/s" least 300
for tree in ring double_binary_tree; do
  whole "verify $tree exactly, 1,024 ranks" 3 verify --ranks 1024 --collective all_reduce \
    --algorithm $tree
done
whole "verify ring by random sums, 16,384 ranks" 60 verify --ranks 16384 \
  --collective all_reduce --algorithm ring

for fold in on off; do
  "$build/ringside" $(reduce hierarchical) --system dgx-h100 --nodes 256 --model stream \
    --fold $fold -b 512K -e 16G --csv > "$work/nodes.$fold"
done
same "hierarchical over 256 nodes, folded and not, 16 sizes" "$work/nodes.on" "$work/nodes.off"
status=0
"$build/ringside" simulate --system ring --ranks 1000000000 > "$work/out" 2>&1 || status=$?
echo "--ranks 1000000000: status $status, $(head -1 "$work/out")"
[ $status = 2 ] || missed=1

[ -z "$peers" ] || "$top/tests/bench/peers.sh" --rounds "$rounds" "$build" || missed=1
exit $missed
