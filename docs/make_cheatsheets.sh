#!/bin/sh
# Makes the one-page overviews beside this file again: SVG, and PDF for printing. PDFs are the same
# bytes again where the fonts (Inter, WenQuanYi Micro Hei) and librsvg are.
# usage: docs/make_cheatsheets.sh [the ringside program]
set -e
cd "$(dirname "$0")/.."
program=${1:-./ringside}
export SOURCE_DATE_EPOCH=0
for language in en zh; do
  for format in svg pdf; do
    "$program" export cheatsheet --lang $language --out docs/cheatsheet.$language.$format
  done
done
