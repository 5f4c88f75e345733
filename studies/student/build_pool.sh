#!/usr/bin/env bash
# build_pool.sh OUT.so: compiles pool.cpp and the chess rules of core/ into a shared library without Python.
set -euo pipefail
out=$1
here=$(cd "$(dirname "$0")" && pwd)
core=$here/../../core
work=$(mktemp -d)
trap 'wait; rm -rf "$work"' EXIT
jobs=()
for source in "$here"/pool.cpp "$core"/chess/{bitboard,board,lc0,position}.cpp "$core"/game/*.cpp; do
  "${CXX:-g++}" -O"${OPTIMISE:-3}" -std=c++20 -march=x86-64-v3 -fPIC -I "$core" -c "$source" -o "$work/$(basename "$source").o" &
  jobs+=($!)
done
for job in "${jobs[@]}"; do wait "$job"; done
"${CXX:-g++}" -shared -static-libstdc++ -static-libgcc -o "$out" "$work"/*.o -lpthread
