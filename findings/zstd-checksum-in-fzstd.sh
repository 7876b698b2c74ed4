#!/usr/bin/env bash
# fzstd 0.1.1 decompresses a Zstandard frame whose content checksum is wrong, and reports no error.
#
# Behaviour: a frame may end with a checksum of its content (RFC 8878, section 3.1.1). If a byte of the content was changed on the
#   way, the reference decoder refuses the frame (error 22, ZSTD_error_checksum_wrong). `decompress` and `Decompress` of fzstd
#   return the changed content.
# Source: RFC 8878 permits it (section 2: a decompressor "may also ignore informative fields, such as the checksum"). The README,
#   the types and the changelog of fzstd 0.1.1 do not mention checksums. Its code reads the flag, `cc` in `rzfh` (esm/index.mjs),
#   and uses it only to skip four bytes: `bt = st.b + (st.c * 4)` in `decompress`, `this.s = this.s.c * 4` in `Decompress.push`.
# What it means for a reader: "no error" does not mean "undamaged". The caller has to compute XXH64 (seed 0) of the content of each
#   frame and to compare its low four bytes with those at the end of the frame.
#
# Needs bash, Node 20 or later, and npm with a registry. Installs fzstd and @bokuweb/zstd-wasm (libzstd, the reference
# implementation, as WebAssembly) into a temporary folder, and removes the folder at the end.
# Exits 0 if fzstd behaves so, 1 if it behaves otherwise, 2 if that cannot be determined.
set -euo pipefail

FZSTD=fzstd@0.1.1
REFERENCE=@bokuweb/zstd-wasm@0.0.27

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true }' >package.json
if ! npm install --silent --no-audit --no-fund --save-exact "$FZSTD" "$REFERENCE"; then
  echo "$FZSTD and $REFERENCE cannot be installed." >&2
  exit 2
fi

cat >see.cjs <<'SCRIPT'
const fzstd = require('fzstd');
const reference = require('@bokuweb/zstd-wasm');

// Made by zstd 1.5.4: printf 'The quick brown fox jumps over the lazy dog.\n' | zstd --check
// Its parts: magic number, header (with the flag of a checksum), one block that is stored as it is, checksum.
const frame = Buffer.from(
  '28b52ffd' + '0458' + '690100' +
    '54686520717569636b2062726f776e20666f78206a756d7073206f76657220746865206c617a7920646f672e0a' +
    'cdd557c3',
  'hex',
);
const original = 'The quick brown fox jumps over the lazy dog.\n';
const changed = 'The quick brown box jumps over the lazy dog.\n';
const damaged = Buffer.from(frame);
damaged[damaged.indexOf('fox')] = 'b'.charCodeAt(0);

const textOf = (bytes) => Buffer.from(bytes).toString();

function inOnePiece(bytes) {
  return textOf(fzstd.decompress(bytes));
}

function asStream(bytes) {
  const pieces = [];
  new fzstd.Decompress((piece) => pieces.push(Buffer.from(piece))).push(bytes, true);
  return textOf(Buffer.concat(pieces));
}

/** What a decoder does with a frame: its text, or its error. */
function outcome(decode, bytes) {
  try {
    return { text: decode(bytes) };
  } catch (error) {
    return { error: error.message };
  }
}

async function main() {
  await reference.init();
  const decoders = {
    'libzstd (reference)': (bytes) => textOf(reference.decompress(bytes)),
    'fzstd decompress': inOnePiece,
    'fzstd Decompress': asStream,
  };
  const seen = Object.entries(decoders).map(([name, decode]) => {
    const [whole, broken] = [outcome(decode, frame), outcome(decode, damaged)];
    console.log(`${name}\n  as it was made:   ${JSON.stringify(whole)}\n  one byte changed: ${JSON.stringify(broken)}`);
    return { whole, broken };
  });
  const [byReference, ...byFzstd] = seen;
  if (seen.some(({ whole }) => whole.text !== original) || byReference.broken.error === undefined) {
    console.error('Not determined: a decoder refuses the undamaged frame, or the reference decoder accepts the damaged one.');
    return 2;
  }
  if (byFzstd.every(({ broken }) => broken.text === changed)) {
    console.log('As described: fzstd returns the changed text and no error.');
    return 0;
  }
  console.error('Changed: fzstd does not return the changed text of the damaged frame any more.');
  return 1;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error) => {
    console.error(error);
    process.exitCode = 2;
  },
);
SCRIPT

echo "Node $(node --version), $FZSTD, $REFERENCE"
node see.cjs
