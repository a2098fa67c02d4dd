#!/bin/sh
# usage: script_test.sh RUN.SH BUILD FAKE_LIBRARY
# The script for GPU machines on pretended ones, with small vectors: one GPU, then none.
set -u
script=$1 build=$2
export LD_LIBRARY_PATH="$3" LD_BIND_NOW=1
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
failed=0
# expect TEXT: the report says so.
expect() {
  grep -qF -- "$1" "$work/report.md" && return
  echo "FAILED: '$1' is not in the report of $RINGSIDE_FAKE_CUDA:"
  cat "$work/report.md" "$work/said"
  failed=1
}
# run CONFIG FLAGS...
run() {
  RINGSIDE_FAKE_CUDA=$1
  export RINGSIDE_FAKE_CUDA
  shift
  PATH=/usr/bin:/bin "$script" --build "$build" --out "$work/report.md" --largest 64K "$@" \
    >"$work/said" 2>&1
  status=$?
}

run devices=1
[ "$status" = 0 ] || { echo "FAILED: exit status $status"; failed=1; }
for text in '# Fake GPU in ' '**right**: verify, 8 virtual ranks on one GPU' \
  'NOT RUN: needs compute-sanitizer' '## Two GPUs or more' 'NOT RUN: needs 2 GPUs' '## Two machines or more' \
  'NOT RUN: needs 2 nodes' ' checks, 0 of them wrong'; do expect "$text"; done

grep -qE '^Share of the copy bandwidth: [0-9]+ %' "$work/report.md" || { echo 'FAILED: no share'; failed=1; }

run devices=1 --share 1000000 --seconds 100
[ "$status" = 1 ] || { echo "FAILED: exit status $status, however small the share"; failed=1; }
expect ' %, at least 1000000 % wanted: WRONG'

# Where the first check takes for ever, nothing is done in time.
mkdir -p "$work/slow/tests/device"
ln -s "$build/ringside" "$work/slow/ringside"
printf '#!/bin/sh\nexec sleep 1000\n' >"$work/slow/tests/device/test_device"
chmod +x "$work/slow/tests/device/test_device"
run devices=1 --build "$work/slow" --seconds 9
[ "$status" = 1 ] || { echo "FAILED: exit status $status, without time for anything"; failed=1; }
expect 'NOT DONE in the '
expect 'NOT RUN: needs more than 9 s: verify'

run devices=0
[ "$status" = 3 ] || { echo "FAILED: exit status $status without a GPU"; failed=1; }
exit $failed
