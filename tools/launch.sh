#!/bin/sh
# launch.sh <program> <app> [args…]: prepares the checkout where need be, then becomes the program built from the
# app: signals reach it alone, and its exit code is this one's.
set -eu
program=$1 app=$2
shift 2
root=$(CDPATH='' cd "$(dirname "$0")/.." && pwd -P)
command -v node >/dev/null || { echo "$program: needs Node 20 or later with npm on the PATH" >&2; exit 1; }
# Only a program that listens serves pages: `serve`, `run`.
order=--without-pages
for word; do case $word in serve | run) order=--launch ;; esac done
# A signal ends this shell at once; the preparation notices that.
node=$(node "$root/tools/bootstrap.mjs" $order)
flags=$(sed -n "s/^$app //p" "$root/tools/node-flags.txt")
# The graph's large arrays in huge pages, where the kernel offers them to programs: fewer page faults (ADR 0247).
[ "$app" != graph ] || export GLIBC_TUNABLES="glibc.malloc.hugetlb=1${GLIBC_TUNABLES:+:$GLIBC_TUNABLES}"
# Unquoted: flags are words.
exec "$node" $flags "$root/dist/programs/$app.js" "$@"
