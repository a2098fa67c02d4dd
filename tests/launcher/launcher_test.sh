#!/bin/sh
# usage: launcher_test.sh LAUNCHER
# The launcher in a folder with a space, with stand-ins for what it calls: no build, no package.
set -u
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
home="$work/a b"
mkdir -p "$home/build/release" "$work/bin" "$home/core" "$home/sim" "$home/gpu" "$home/viz"
touch "$home/CMakeLists.txt" "$home/CMakePresets.json"
cp "$1" "$home/ringside"
failed=0

# expect STATUS TEXT: the last run ended so and said so.
expect() {
  if [ "$status" != "$1" ] || ! grep -qF -- "$2" "$work/out"; then
    echo "FAILED: wanted status $1 and '$2', got status $status and:"
    cat "$work/out"
    failed=1
  fi
}
# run ASSIGNMENT... -- ARGUMENT...: without a terminal, told nothing by our own environment.
run() {
  settings="PATH=$work/bin:/usr/bin:/bin"
  env -u CI -u DISPLAY -u OMPI_COMM_WORLD_RANK -u PMI_RANK -u PMIX_RANK -u SLURM_PROCID "$settings" "$@" \
    >"$work/out" 2>&1 </dev/null
  status=$?
}
stub() {
  printf '#!/bin/sh\n%s\n' "$2" >"$1"
  chmod +x "$1"
}

# One of many processes: executes what is there, or says what to do; never builds.
run OMPI_COMM_WORLD_RANK=3 "$home/ringside" run
expect 3 'not built yet'
# shellcheck disable=SC2016  # for the stub to expand
stub "$home/build/release/ringside" 'echo "program: $# $1"; exit 7'
run SLURM_PROCID=0 "$home/ringside" 'two words'
expect 7 'program: 1 two words'

# Nothing newer than the last build: straight to the program, whose status it hands on.
touch "$home/build/release/.ringside.built"
run "$home/ringside" demo
expect 7 'program: 1 demo'
if grep -q 'No such file' "$work/out"; then
  echo 'FAILED: the launcher looks at what is not there:'
  cat "$work/out"
  failed=1
fi

# The window is a second program: with both fresh, view goes straight on; its help needs no window.
run "$home/ringside" view --help
expect 7 'program: 2 view'
stub "$home/build/release/ringside-window" 'exit 9'
touch "$home/build/release/.ringside-window.built"
run DISPLAY=:0 "$home/ringside" view --t 1us
expect 7 'program: 3 view'
run DISPLAY=:0 "$home/ringside"
expect 7 'program: 0'

# MPI is asked for by its backend; a program that knows it goes straight on.
for need in cmake ninja c++ mpicxx mpirun; do stub "$work/bin/$need" 'exit 0'; done
echo 'build libringside_mpi.a:' >"$home/build/release/build.ninja"
run "$home/ringside" run --backend mpi
expect 7 'program: 3 run'

# Something newer, a compiler missing, no root: the exact command and status 3.
touch -d '+1 hour' "$home/core"
stub "$work/bin/id" 'echo 1000'
stub "$work/bin/apt-get" "echo \"\$@\" >>'$work/installed'; exit 1"
run CXX=no-such-compiler "$home/ringside" demo
expect 3 'As root: apt-get update && apt-get install -y --no-install-recommends'
expect 3 ' g++'
run CXX=no-such-compiler DISPLAY=:0 "$home/ringside" view
expect 3 ' g++'
[ ! -e "$work/installed" ] || { echo 'FAILED: installed without root'; failed=1; }

# Root without a terminal installs; when that fails, it says so.
stub "$work/bin/id" 'echo 0'
run CXX=no-such-compiler "$home/ringside" demo
expect 3 'could not install'
grep -qx update "$work/installed" || { echo 'FAILED: no apt-get update'; failed=1; }

[ $failed = 0 ] && echo 'the launcher does as it says'
exit $failed
