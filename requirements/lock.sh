#!/bin/sh
# Re-lock after editing an .in file; needs `uv` (pip install uv). Writes hashes and no index address.
set -eu
cd "$(dirname "$0")"
for name in run dev; do
  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate "$name.in" -o "$name.txt"
done
