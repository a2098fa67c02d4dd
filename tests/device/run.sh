#!/bin/sh
# usage: tests/device/run.sh [--build DIR] [--out FILE] [--largest SIZE] [--seconds N] [--share N]
# On a machine with GPUs: builds, verifies and times all that runs on them, in under eight minutes,
# and writes one Markdown report. Exit status 0: checks ran, and all were right; 1: not so;
# 3: this machine has no GPU.
#   --build DIR     use what is built there instead of building (it has ringside and test_device)
#   --out FILE      the report (default: build/device/report.md)
#   --largest SIZE  of the timed vectors (default: 256M)
#   --seconds N     what all of it may take (default: 460); checks left out then are named
#   --share N       the least share of the copy bandwidth, in %, that one kernel must reach
#                   (default: 70 for vectors of 256M, which is what we claim; else none)
# For several machines: RINGSIDE_HOSTS="one two", whom mpirun reaches from here, and who have this
# folder where it is here.
set -u
root=$(cd -- "$(dirname -- "$0")/../.." && pwd)
build='' out='' largest=256M seconds=460 share=''
while [ $# -gt 1 ]; do
  case $1 in
    --build) build=$2 ;;
    --out) out=$2 ;;
    --largest) largest=$2 ;;
    --seconds) seconds=$2 ;;
    --share) share=$2 ;;
    *) break ;;
  esac
  shift 2
done
[ $# = 0 ] || { sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ -n "$share" ] || [ "$largest" != 256M ] || share=70

# Where the toolkit is; and mpirun starts a process a GPU, however few cores and whoever asks.
PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
export PATH OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

began=$(date +%s)
left() { echo $((seconds - $(date +%s) + began)); }
say() { printf 'device: %s\n' "$*" >&2; }
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

if [ -z "$build" ]; then
  build=$root/build/device
  mkdir -p "$build"
  say "building in $build"
  ! command -v ninja >/dev/null || export CMAKE_GENERATOR=Ninja
  { cmake -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=Release -DRINGSIDE_WITH_VIZ=OFF \
      -DRINGSIDE_WITH_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=native &&
      cmake --build "$build" --parallel "$(nproc)" --target ringside test_device
  } >"$build/build.log" 2>&1 ||
    { tail -n 20 "$build/build.log" >&2; say "it does not build: $build/build.log"; exit 1; }
fi
ringside=$build/ringside
tests=$build/tests/device/test_device
out=${out:-$build/report.md}
for program in "$ringside" "$tests"; do
  [ -x "$program" ] || { say "there is no $program: build it, or leave --build away"; exit 2; }
done
"$ringside" run --backend cuda --ranks 1 -b 8 -e 8 >"$work/first" 2>&1 ||
  { status=$?; cat "$work/first" >&2; exit $status; }

wrong=0 ran=0
write() { printf '%s\n' "$@" >>"$out"; }
# check TITLE LIMIT COMMAND...: runs it within LIMIT seconds; a line, and what it said, in the report.
# What gets less time than that, because it was all that was left, and does not end, is not wrong.
check() {
  title=$1 limit=$2
  shift 2
  rest=$(left)
  if [ "$rest" -lt 5 ]; then
    write "- NOT RUN: needs more than $seconds s: $title"
    return
  fi
  cut=
  [ "$limit" -le "$rest" ] || cut="NOT DONE in the $rest s that were left of $seconds" limit=$rest
  start=$(date +%s)
  timeout -k 5 "$limit" "$@" >"$work/said" 2>&1
  status=$?
  took=$(($(date +%s) - start))
  case $status in
    0) verdict=right ;;
    124 | 137)
      verdict=${cut:-WRONG: not done after $limit s}
      [ -n "$cut" ] || wrong=$((wrong + 1))
      ;;
    *) verdict="WRONG: exit status $status" wrong=$((wrong + 1)) ;;
  esac
  [ "$verdict" = "$cut" ] || ran=$((ran + 1))
  say "$verdict: $title ($took s)"
  write "- **$verdict**: $title ($took s)"
  shown=40
  [ "$status" = 0 ] || shown=120
  write '' '  ```text'
  tail -n "$shown" "$work/said" | sed 's/^/  /' >>"$out"
  write '  ```' ''
}
# not_run NEEDS
not_run() { write "NOT RUN: $1" ''; say "not run: $1"; }
has() { command -v "$1" >/dev/null 2>&1; }
has_nccl() { "$ringside" list backends | grep '^  nccl' | grep -qv 'not here'; }

: >"$out"
devices=$(sed -n 's/^#  Rank  0 .* device  *[0-9]* \[.*\] //p' "$work/first")
write "# ${devices:-GPU} in $(hostname)" ''
commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo unknown)
git -C "$root" diff --quiet 2>/dev/null || commit="$commit and changes"
write "Written by tests/device/run.sh on $(date -u +%Y-%m-%d), of commit $commit." ''
write '```'
if has nvidia-smi; then
  nvidia-smi --query-gpu=index,name,pci.bus_id,memory.total,driver_version,compute_mode,mig.mode.current \
    --format=csv >>"$out" 2>&1
  nvidia-smi topo -m 2>/dev/null | sed '/^$/,$d' >>"$out"
fi
"$ringside" list backends >>"$out" 2>&1
uname -srm >>"$out"
write '```' ''

gpus=1
while "$ringside" run --backend cuda --devices "$gpus" --ranks 1 -b 8 -e 8 >/dev/null 2>&1; do
  gpus=$((gpus + 1))
done
cuda() { # TITLE LIMIT WORDS...
  title=$1 limit=$2
  shift 2
  check "$title" "$limit" "$ringside" "$@"
}

# judge_share EXECUTOR ALGBW: in place, N ranks read and write N vectors at least: 2 N S bytes, and
# algbw is S over time.
judge_share() {
  if [ -z "$copy" ] || [ -z "$2" ]; then
    not_run "needs the time of $1 and of copies: what share of the copy bandwidth it reaches"
    return
  fi
  reached=$(awk "BEGIN {printf \"%.0f\", 100 * 16 * $2 / $copy}")
  verdict=
  if [ "$1" = kernel ] && [ -n "$share" ]; then
    ran=$((ran + 1)) verdict=", at least $share % wanted: right"
    [ "$reached" -ge "$share" ] || { wrong=$((wrong + 1)) verdict=", at least $share % wanted: WRONG"; }
  fi
  write "Share of the copy bandwidth: $reached %$verdict" ''
  say "$1 reaches $reached % of the copy bandwidth$verdict"
}

write '## One GPU' ''
check 'kernels bit by bit, every algorithm by every executor, the memory'"'"'s bandwidth' 150 \
  "$tests" --gtest_brief=0 --gtest_filter='-TwoDevices.*'
copy=$(sed -n 's/^copy bandwidth, read and written: \([0-9.]*\) GB.*/\1/p' "$work/said")
[ -z "$copy" ] || write "Copies within the GPU's memory: $copy GB/s, read and written together." ''
cuda 'verify, 8 virtual ranks on one GPU' 120 verify --backend cuda --devices 0 --ranks 8 \
  --collective all_reduce
for executor in streams graph kernel; do
  cuda "time of $executor, 8 virtual ranks, ring" 40 run --backend cuda --devices 0 --ranks 8 \
    --executor $executor -b 1K -e "$largest" -f 64 -n 10
done
for executor in streams kernel; do
  cuda "time of $executor, 8 virtual ranks, direct, in place" 60 run --backend cuda --devices 0 \
    --ranks 8 --executor $executor --algorithm direct --in-place -b "$largest" -e "$largest" -n 10
  algbw=$(awk '!/^#/ && $7 == "N/A" {print $11}' "$work/said")
  judge_share $executor "$algbw"
done
cuda 'a trace of real streams' 30 run --backend cuda --devices 0 --ranks 4 -b 1M -e 1M -n 2 \
  --trace "$work/trace.json"
if has compute-sanitizer; then
  for tool in memcheck racecheck; do
    for executor in streams kernel; do
      check "compute-sanitizer $tool, $executor" 45 compute-sanitizer --tool $tool --error-exitcode 9 \
        "$ringside" run --backend cuda --devices 0 --ranks 4 --executor $executor -b 4K -e 4K -n 1 -w 0
    done
  done
else
  not_run 'needs compute-sanitizer (package cuda-sanitizer-api)'
fi

write '## Two GPUs or more' ''
if [ "$gpus" -lt 2 ]; then
  not_run 'needs 2 GPUs'
else
  check 'every algorithm by every executor between GPUs' 90 "$tests" --gtest_filter='TwoDevices.*'
  cuda "every pair of $gpus GPUs" 60 calibrate --backend cuda --ranks "$gpus" --budget 40s \
    --out "$work/machine.toml"
  cuda "verify on $gpus GPUs" 60 verify --backend cuda --ranks "$gpus" --collective all_reduce
  for executor in streams graph kernel; do
    cuda "all algorithms by $executor on $gpus GPUs" 40 run --backend cuda --ranks "$gpus" \
      --executor $executor --algorithm all -b "$largest" -e "$largest" -n 5 --predict "$work/machine.toml"
  done
  if ! has_nccl; then
    not_run 'needs NCCL: this build or this machine lacks it'
  else
    cuda "ours, NCCL's and the prediction" 40 run --backend cuda --executor kernel --ranks "$gpus" \
      --compare nccl --predict "$work/machine.toml" -b 1K -e "$largest" -f 64 -n 10
    cuda "schedules by NCCL's sends and receives on $gpus GPUs, one process" 40 run --backend nccl \
      --native --ranks "$gpus" -b 1K -e "$largest" -f 64 -n 10
    if has mpirun; then
      check "NCCL on $gpus GPUs, a process each" 40 mpirun -n "$gpus" "$ringside" \
        run --backend nccl -b 1K -e "$largest" -f 64 -n 10
    else
      not_run 'needs mpirun'
    fi
  fi
fi

write '## Two machines or more' ''
slots='' nodes=0
for host in ${RINGSIDE_HOSTS:-}; do slots=$slots${slots:+,}$host:$gpus nodes=$((nodes + 1)); done
if [ "$nodes" -lt 2 ]; then
  not_run 'needs 2 nodes, reached by mpirun: RINGSIDE_HOSTS="one two"'
elif ! has mpirun; then
  not_run 'needs mpirun'
elif ! has_nccl; then
  not_run 'needs NCCL: this build or this machine lacks it'
else
  check "NCCL, $gpus GPUs on each of $nodes nodes" 90 mpirun --host "$slots" \
    "$ringside" run --backend nccl -b 1K -e "$largest" -f 64 -n 10
fi

write "$ran checks, $wrong of them wrong, in $(($(date +%s) - began)) s." ''
say "$ran checks, $wrong wrong; the report is $out"
[ "$wrong" = 0 ] && [ "$ran" -gt 0 ]
