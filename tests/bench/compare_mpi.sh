#!/bin/bash
# usage: tests/bench/compare_mpi.sh [BUILD_FOLDER] [ROUNDS]
# All-reduce of floats in place on this machine: Ringside's host backend, the bound (a = b = a + b
# over the same bytes), Open MPI and MPICH with every algorithm that suits, turn by turn. Prints one
# table of medians over rounds, and how far the middle half of them spreads. Needs
# BUILD_FOLDER/ringside_bench (cmake --build build/release --target ringside_bench).
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${1:-$top/build/release}
rounds=${2:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Large buffers stay with the process: else each call pays for the pages of its scratch again.
export MALLOC_TRIM_THRESHOLD_=4294967296 MALLOC_MMAP_MAX_=0

if [ ! -x "$build/ringside_bench" ]; then
  echo "no $build/ringside_bench: build that target first" >&2
  exit 3
fi
for mpi in openmpi mpich; do
  if command -v "mpicxx.$mpi" >/dev/null; then
    "mpicxx.$mpi" -O3 -std=c++20 "$top/tests/bench/mpi_yardstick.cpp" -o "$work/$mpi"
  else
    echo "no mpicxx.$mpi: its columns stay empty" >&2
  fi
done

# Lines "who algorithm ranks bytes microseconds" for awk below.
host() {
  "$build/ringside_bench" --benchmark_filter="host_all_reduce/ranks:$1/" \
    --benchmark_format=csv 2>/dev/null |
    awk -F, -v ranks="$1" '
      /^name,/ { for (i = 1; i <= NF; ++i) { gsub(/"/, "", $i); column[$i] = i } }
      /host_all_reduce/ {
        match($1, /bytes:[0-9]+/); bytes = substr($1, RSTART + 6, RLENGTH - 6)
        split("bound direct sliced ranks", names, " ")
        for (n in names) print names[n], "-", ranks, bytes, $column[names[n] "_us"] }'
}
results() { awk -v which="$1" '/^[0-9]+ [0-9.]+$/ { print which, $1, $2 }'; }
openmpi() {  # ranks, algorithm of coll/tuned (0: its own choice)
  local tuned=()
  [ "$2" = 0 ] ||
    tuned=(--mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_allreduce_algorithm "$2")
  timeout 60 mpirun.openmpi --allow-run-as-root --oversubscribe -n "$1" "${tuned[@]}" \
    -x MALLOC_TRIM_THRESHOLD_ -x MALLOC_MMAP_MAX_ "$work/openmpi" 2>/dev/null </dev/null |
    results "openmpi $2 $1"
}
mpich() {  # ranks, algorithm (auto: its own choice)
  MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=$2 \
    timeout 60 mpirun.mpich -n "$1" "$work/mpich" 2>/dev/null </dev/null |
    results "mpich $2 $1"
}

# An MPI that spins where ranks outnumber cores may take minutes: what once took one is not tried
# again, and a cell that nobody filled stays empty.
once() {  # mpi, ranks, algorithm
  local gave_up="$work/gave_up.$1.$2.$3"
  [ -x "$work/$1" ] && [ ! -e "$gave_up" ] || return 0
  "$@" || touch "$gave_up"
}

for ((round = 1; round <= rounds; ++round)); do
  [ ! -t 2 ] || printf '\rround %d of %d ' "$round" "$rounds" >&2
  for ranks in 2 4 8; do
    host "$ranks"
    for a in 0 3 4 5 6; do once openmpi "$ranks" "$a"; done
    for a in auto recursive_doubling reduce_scatter_allgather; do once mpich "$ranks" "$a"; done
  done
done >"$work/lines"
[ ! -t 2 ] || printf '\r' >&2

# The median of each algorithm; of one MPI's algorithms the fastest.
sort -k1,1 -k2,2 -k3,3n -k4,4n -k5,5g "$work/lines" | awk '
  function flush() {
    if (n == 0) return
    middle = (time[int((n + 1) / 2)] + time[int((n + 2) / 2)]) / 2
    spread = (middle > 0) ? (time[int((3 * n + 3) / 4)] - time[int((n + 3) / 4)]) / middle : 0
    if (!((who, cell) in best) || middle < best[who, cell]) {
      best[who, cell] = middle; wide[who, cell] = spread; by[who, cell] = algorithm
    }
    n = 0
  }
  { key = $1 " " $2 " " $3 " " $4
    if (key != last) { flush(); last = key }
    who = $1; algorithm = $2; cell = $3 " " $4; time[++n] = $5 }
  END {
    flush()
    names = split("bound direct sliced ranks openmpi mpich", column, " ")
    printf "all_reduce, float sum, in place; us a call: median of rounds (middle half spreads by)\n"
    printf "%5s %9s", "ranks", "bytes"
    for (i = 1; i <= names; ++i) printf " %19s", column[i]
    printf " %8s %8s %9s\n", "direct/b", "sliced/b", "MPI/best"
    split("2 4 8", rank, " "); split("1024 1048576 67108864", size, " ")
    for (s = 1; s <= 3; ++s) for (r = 1; r <= 3; ++r) {
      cell = rank[r] " " size[s]
      printf "%5d %9d", rank[r], size[s]
      for (i = 1; i <= names; ++i) {
        t = best[column[i], cell]; note = by[column[i], cell]
        text = (t == "") ? "-" : sprintf("%.2f (%.0f%%)", t, 100 * wide[column[i], cell])
        printf " %19s", text
      }
      b = best["bound", cell]; d = best["direct", cell]; l = best["sliced", cell]
      m = best["openmpi", cell]; h = best["mpich", cell]
      if (m == "" || (h != "" && h < m)) m = h
      ours = (d < l) ? d : l
      printf " %7.2fx %7.2fx %8.1fx\n", d / b, l / b, (m == "" ? 0 : m / ours)
    }
    printf "\nfastest algorithms: "
    for (s = 1; s <= 3; ++s) for (r = 1; r <= 3; ++r) {
      cell = rank[r] " " size[s]
      printf "%s%s ranks, %s B: openmpi %s, mpich %s", (s + r > 2 ? "; " : ""), rank[r], size[s],
             by["openmpi", cell], by["mpich", cell]
    }
    printf "\n"
  }'
