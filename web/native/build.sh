#!/bin/sh
# Builds the core for browsers: `web/native/build.sh OUT` writes OUT/core.mjs and OUT/core.wasm. Run in the repository's root.
# Objects are kept beside them: only what changed is compiled again.
set -e
out=$1
mkdir -p "$out/objects"
# The JavaScript optimiser of emscripten needs acorn.
export NODE_PATH="${NODE_PATH:-build/browser/tools/node_modules}"
flags="-std=c++20 -O3 -fwasm-exceptions -fno-rtti -DEMSCRIPTEN_HAS_UNBOUND_TYPE_NAMES=0 -Icore"
sources="core/game/*.cpp core/chess/*.cpp core/go/*.cpp core/shogi/*.cpp core/breakthrough/*.cpp core/expendibots/*.cpp core/rbc/analysis.cpp core/rbc/board_*.cpp core/rbc/hidden.cpp core/rbc/position.cpp core/rbc/repair.cpp web/native/*.cpp"
newest=$(ls -t core/*/*.hpp web/native/*.hpp | head -1)
# shellcheck disable=SC2086
for source in $sources; do
  object=$out/objects/$(echo "$source" | tr / _).o
  if [ ! "$object" -nt "$source" ] || [ ! "$object" -nt "$newest" ]; then echo "$source $object"; fi
done | xargs -r -P 2 -L 1 sh -c 'em++ '"$flags"' -c "$0" -o "$1"'
# shellcheck disable=SC2086
em++ $flags --bind "$out"/objects/*.o -o "$out/core.mjs" -sMODULARIZE=1 -sEXPORT_ES6=1 -sEXPORT_NAME=createCore -sENVIRONMENT=web,worker \
  -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=2GB -sINITIAL_MEMORY=32MB -sTOTAL_STACK=2MB -sMALLOC=dlmalloc -sFILESYSTEM=0
rm -f "$out/core.worker.js"
