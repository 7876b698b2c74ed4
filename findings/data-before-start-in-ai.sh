#!/usr/bin/env bash
# readUIMessageStream of ai 5, 6 and 7 drops the data parts that a stream has in front of its `start` chunk.
#
# Behaviour: `createUIMessageStream` lets a program write a data part before it merges the stream of a model:
#   writer.write({ type: 'data-status', data }); writer.merge(result.toUIMessageStream({ generateMessageId })). The `start` chunk of the
#   model, with the id of the message, comes behind that part then. `readUIMessageStream` makes a message with the part, and when
#   `start` comes with another id than the empty one that the message had, begins an empty message: the part is gone. A `start`
#   without an id, and the same chunks with `start` in front, keep the part.
# Source: `readUIMessageStream` passes `resetStateOnMessageIdChange: true` to `processUIMessageStream`
#   (src/ui-message-stream/read-ui-message-stream.ts), where `chunk.messageId !== state.message.id` resets the state, also if that
#   id is the '' that the state began with (src/ui/process-ui-message-stream.ts).
# What it means for a recorder: the order of the chunks decides what a client sees. A recorder that keeps the part, and replays the
#   message from its `start` on, shows more than the client had; one that does as the reader does loses what was sent.
#
# Needs bash, Node 20 or later, and npm with a registry. Installs ai 5, 6 and 7 into temporary folders, and removes them at the end.
# Exits 0 if the package behaves so, 1 if it behaves otherwise, 2 if that cannot be determined.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 5.0.277 6.0.325 7.0.173; do
  mkdir "$folder/$version"
  echo '{ "private": true }' >"$folder/$version/package.json"
  if ! npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$folder/$version" "ai@$version"; then
    echo "ai@$version cannot be installed." >&2
    exit 2
  fi
done

cat >"$folder/see.mjs" <<'SCRIPT'
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const data = { type: 'data-status', data: { text: 'searching' } };
const start = { type: 'start', messageId: 'answer' };
const text = [{ type: 'text-start', id: '0' }, { type: 'text-delta', id: '0', delta: 'Found.' }, { type: 'text-end', id: '0' }];

async function typesOf(version, chunks) {
  const { readUIMessageStream } = await import(pathToFileURL(`${folder}/${version}/node_modules/ai/dist/index.${version.startsWith('7') ? 'js' : 'mjs'}`).href);
  let message;
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of [...chunks, { type: 'finish' }]) controller.enqueue(structuredClone(chunk));
      controller.close();
    },
  });
  for await (const one of readUIMessageStream({ stream })) message = one;
  return message.parts.map(({ type }) => type).join(' ');
}

const expected = [
  ['5.0.277', [data, start, ...text], 'text'],
  ['6.0.325', [data, start, ...text], 'text'],
  ['6.0.325', [start, data, ...text], 'data-status text'],
  ['6.0.325', [data, { type: 'start' }, ...text], 'data-status text'],
  ['7.0.173', [data, start, ...text], 'text'],
  ['7.0.173', [start, data, ...text], 'data-status text'],
];
for (const [version, chunks, parts] of expected) {
  const found = await typesOf(version, chunks);
  console.log(`ai ${version}: ${chunks.map(({ type }) => type).join(' ')} -> ${found}`);
  if (found !== parts) process.exitCode = 1;
}
SCRIPT
node "$folder/see.mjs" "$folder"
