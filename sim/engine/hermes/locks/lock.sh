#!/bin/sh
# Re-lock the engines after editing an .in file; needs `uv` (pip install uv). Writes hashes and no index address.
# The Hermes package itself is locked without its ~30 exact pins; `-needs.in` lists what its compressor imports.
set -eu
cd "$(dirname "$0")"
compile() { uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate "$@"; }
for name in hermes-0.19 hermes-0.22; do
  { compile --no-deps "$name.in"; compile "$name-needs.in"; } >"$name.txt"
done
