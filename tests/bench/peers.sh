#!/bin/bash
# usage: tests/bench/peers.sh [--yes] [--rounds N] [BUILD_FOLDER]
# Ringside and SimGrid (S4U) on the same work, turn by turn: processor time of whole processes, medians
# of N rounds (5), and how far the rounds spread. What is missing (SimGrid, g++, GNU time) comes from
# Debian, after asking, unless --yes or CI says so. "all ranks": none stands for another (--fold off).
# Needs BUILD_FOLDER/ringside (build/release).
#
# Both share links max-min fairly; SimGrid without its corrections for TCP (simgrid_collective.cpp).
# Exit status 1 if predictions differ by more than 0.1 %, or 1 % where links are contended.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
rounds=5 yes=${CI:-} build=
while [ $# -gt 0 ]; do
  case $1 in
    --yes) yes=1 ;;
    --rounds) rounds=$2 && shift ;;
    *) build=$1 ;;
  esac
  shift
done
build=${build:-$top/build/release}
if [ ! -x "$build/ringside" ]; then
  echo "no $build/ringside: build it first" >&2
  exit 3
fi
missing=()
[ -e /usr/include/simgrid/s4u.hpp ] || missing+=(libsimgrid-dev)
[ -x /usr/bin/time ] || missing+=(time)
command -v g++ > /dev/null || missing+=(g++)
if [ ${#missing[@]} -gt 0 ]; then
  if [ -z "$yes" ]; then
    read -rp "not installed here: apt-get install ${missing[*]}? [y/N] " answer
    [ "$answer" = y ] || exit 3
  fi
  $([ "$(id -u)" = 0 ] || echo sudo) apt-get install -y --no-install-recommends "${missing[@]}"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
g++ -std=c++17 -O2 "$top/tests/bench/simgrid_collective.cpp" -o "$work/simgrid" -lsimgrid

# The networks of simgrid_collective.cpp that are no shapes of Ringside's.
links() {
  printf '[[links]]\nkind = "link"\nbandwidth = "%sGB/s"\nlatency = "1us"\njoin = ["%s", "%s"]\n' "$@"
}
devices() { printf '[[devices]]\nname = "%s"\nkind = "%s"\n' "$@"; }
{
  printf 'name = "fat-tree"\nsummary = "eight leaves of four hosts, uplinks for half of them"\n'
  devices gpu0..31 gpu
  devices leaf0..7 network_switch
  devices spine0 network_switch
  links 25 gpu0..31 leaf0..7
  links 50 leaf0..7 spine0
} > "$work/fat_tree.toml"
{
  printf 'name = "uplink"\nsummary = "two PCIe switches of eight GPUs, one uplink each"\n'
  devices gpu0..15 gpu
  devices pcie0..1 pcie_switch
  devices cpu0 cpu
  links 25 gpu0..15 pcie0..1
  links 25 pcie0..1 cpu0
} > "$work/uplink.toml"

# measure FILE COMMAND...: a line "seconds KiB microseconds". Ringside's is a row of a table.
measure() {
  local file=$1
  shift
  local TIMEFORMAT='%U %S'
  { time /usr/bin/time -f %M -o "$work/kib" "$@" > "$work/out" 2> "$work/err" ||
    { cat "$work/err" >&3; exit 1; }; } 3>&2 2> "$work/time"
  local us
  us=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "time_us") at = i }
                NR == 2 { print $at }' "$work/out")
  awk -v kib="$(tail -1 "$work/kib")" -v us="${us:-$(tail -1 "$work/out")}" \
    '{ print $1 + $2, kib, us }' "$work/time" >> "$file"
}

wrong=0
# compare NETWORK COLLECTIVE ALGORITHM RANKS BYTES TRANSFERS PERCENT
compare() {
  local network=$1 collective=$2 algorithm=$3 ranks=$4 bytes=$5 transfers=$6 most=$7 model fold
  local system=$network
  [ -e "$work/$network.toml" ] && system=$work/$network.toml
  rm -f "$work"/times.*
  for ((round = 0; round < rounds; ++round)); do
    for model in flow stream; do
      for fold in auto off; do
        measure "$work/times.$model.$fold" "$build/ringside" simulate --system "$system" \
          --ranks "$ranks" --collective "$collective" --algorithm "$algorithm" --model "$model" \
          --fold "$fold" -b "$bytes" -e "$bytes" --csv
      done
    done
    measure "$work/times.simgrid" "$work/simgrid" "$network" "$collective" "$ranks" "$bytes"
  done
  echo "$collective $algorithm on $network: $ranks ranks, $bytes bytes, $transfers transfers"
  for model in flow.auto flow.off stream.auto stream.off simgrid; do
    sort -g "$work/times.$model" | awk -v who="$model" -v n="$transfers" '
      { s[NR] = $1; if ($2 > kib) kib = $2; us = $3 }
      END { m = s[int((NR + 1) / 2)]
            printf "%s %.3f %.3f %.3f %.3f %.0f %.4f\n", who, m, s[1], s[NR], n / m / 1e6, kib / 1024, us }'
  done | awk -v most="$most" '
      { who[NR] = $1; line[NR] = $0; time[$1] = $2; us[$1] = $7 }
      END {
        printf "  %-27s %9s %17s %12s %7s %14s %8s %9s\n", "", "cpu s", "(spread)", "M transfer/s", "MiB", "predicted us", "faster", "differs"
        for (i = 1; i <= NR; ++i) {
          split(line[i], f, " ")
          name = f[1] == "simgrid" ? "SimGrid S4U" : "Ringside " f[1]
          sub(/.auto$/, "", name)
          sub(/.off$/, ", all ranks", name)
          off = 100 * (us[f[1]] / us["simgrid"] - 1)
          printf "  %-27s %9.3f %8.3f-%-8.3f %12.2f %7d %14.2f %7.1fx %8.4f%%\n", name, f[2], f[3], f[4], f[5], f[6], f[7], time["simgrid"] / f[2], off
          if (f[1] ~ /^flow/ && (off > most || -off > most)) bad = 1
        }
        exit bad
      }' || wrong=1
}

compare ring all_reduce ring 1024 1073741824 $((2 * 1024 * 1023)) 0.1
compare star all_reduce ring 256 1073741824 $((2 * 256 * 255)) 0.1
# Contended: 2:1 oversubscription, a shared uplink, incast. Stream queues there, and differs.
compare fat_tree all_to_all direct 32 536870912 $((32 * 31)) 1
compare uplink all_to_all direct 16 268435456 $((16 * 15)) 1
compare star gather flat 64 268435456 63 1
[ $wrong = 0 ] || echo "predictions differ by more than they may" >&2
exit $wrong
