#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Open MPI: each rank under a sprofrun of its own, and all ranks under one, as an ordinary user. The
# result is that of a run without sprofrun, and the reports name the rank for which the others wait.
# usage: long_mpi.sh [BUILD]. Needs openmpi-bin and libopenmpi-dev.
set -u
source=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${1:-$source/build}" && pwd) || exit 1
for program in mpicc mpirun; do
    command -v $program >/dev/null ||
        { echo "no $program: apt-get install openmpi-bin libopenmpi-dev" >&2; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
ok() { # WHAT CONDITION...
    local what=$1
    shift
    if "$@"; then echo "ok: $what"; else echo "NOT OK: $what ($*)"; failed=1; fi
}
mpicc -O2 -g -o solver "$source/tests/mpi_solver.c" || exit 1
# The ordinary user may have no access to the build folder.
cp "$build"/tools/{sprofrun,sprofreport,sprofil-analyst,sprofil-opener} . || exit 1
as_user=()
if [ "$(id -u)" = 0 ]; then
    chmod 777 . && chmod a+rx ./*
    as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
export HOME=$work TMPDIR=$work OMPI_MCA_rmaps_base_oversubscribe=1 LC_ALL=C.UTF-8
# There may be more ranks than CPUs: without this, waiting ranks would spin.
export OMPI_MCA_mpi_yield_when_idle=1
steps=${STEPS:-3000}
mpi() { timeout 120 "${as_user[@]}" mpirun -np 4 "$@"; }

mpi ./solver "$steps" >plain || { echo "NOT OK: mpirun itself fails here"; exit 1; }
mpi ./sprofrun -q -o prof.%r.pb.gz -- ./solver "$steps" >out 2>err
ok "status" [ $? = 0 ]
ok "the result is that of a run without" cmp plain out
ok "nothing is said" [ ! -s err ]
ok "a file for each rank" [ "$(echo prof.*)" = "$(echo prof.{0,1,2,3}.pb.gz)" ]
./sprofreport merge --by rank prof.*.pb.gz >text || failed=1
cat text
./sprofreport merge --by rank --format tsv prof.*.pb.gz >tsv || failed=1
column() { head -n1 tsv | tr '\t' '\n' | grep -nx "$1" | cut -d: -f1; }
# relax() takes twice as long in the last rank as in the others, with some hundred samples a rank.
ok "the last rank is the one" awk -F'\t' -v f="$(column function)" -v least="$(column min_ns)" \
    -v most="$(column max_ns)" -v rank="$(column max_in)" '$f == "relax" {
        n += $most > 1.5 * $least && $most < 3 * $least && $rank ~ /3/ }
    END { exit n != 1 }' tsv

# All ranks in one profile.
timeout 120 "${as_user[@]}" ./sprofrun -q -o one.pb.gz -- mpirun -np 4 ./solver "$steps" >out 2>err
ok "status of one for all" [ $? = 0 ]
ok "its result" cmp plain out
ok "its ranks are four processes" [ "$(./sprofreport flat --split process --format tsv one.pb.gz |
    awk -F'\t' '$2 == "solver" && /relax/ { print $1 }' | sort -u | wc -l)" = 4 ]
exit $failed
