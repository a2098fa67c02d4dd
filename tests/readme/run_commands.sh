#!/bin/sh
# usage: run_commands.sh README.md PROGRAM [FAKE_CUDA]
# Runs every line of the README's ```sh blocks that calls ./ringside, in an empty folder, with PROGRAM
# in its place. The launcher's own commands (test, fuzz, ...) are left to .ci/run, the window's to tests/window.
set -u
readme=$1
program=$2
fake=${3:-}
stubs=$(cd -- "$(dirname -- "$0")/bin" && pwd)
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT

awk '/^```sh$/ {inside = 1; next} /^```/ {inside = 0} inside' "$readme" |
  sed 's/ *# .*//' | grep -F './ringside' |
  grep -vE '^\./ringside (test|fuzz|format|tidy|view)( |$)' >"$work/commands" || {
  echo "no commands found in $readme: has its form changed?"
  exit 1
}

mkdir "$work/here"
ln -s -- "$program" "$work/here/ringside"
cd "$work/here"
# Open MPI wants to hear that root means it, and that there may be fewer cores than ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
failed=0 count=0
while IFS= read -r command; do
  case $command in mpirun*) command -v mpirun >/dev/null || { echo "no mpirun here: $command"; continue; } ;; esac
  count=$((count + 1))
  libraries=${LD_LIBRARY_PATH:-}
  case $command in *'--backend cuda'* | *'--backend nccl'*)
    # Pretended GPUs, where this build has them; they are slow.
    [ -z "$fake" ] || libraries=$fake:$libraries
    command=$(echo "$command" | sed 's/ 256M/ 1M/; s/verify .*/& --collective all_reduce/') ;;
  esac
  LD_LIBRARY_PATH="$libraries" PATH="$stubs:$PATH" sh -c "$command" >"$work/output" 2>&1 </dev/null
  status=$?
  case $command in *'--backend cuda'* | *'--backend nccl'*)
    [ $status = 3 ] && { echo "no GPU here: $command"; continue; } ;;
  esac
  if [ $status = 0 ]; then
    echo "ok: $command"
  else
    echo "FAILED with exit status $status: $command"
    tail -n 20 "$work/output"
    failed=1
  fi
done <"$work/commands"
echo "$count commands"
exit $failed
