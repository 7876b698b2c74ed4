// Tests how chunks are read from a stream of text.
import { expect, test } from 'vitest';
import { ChunkReader } from '../../../src/core/run/chunk.ts';

const START = '{"type":"start","messageId":"m"}';

test.each<[string, string]>([
  ['lines', `${START}\n`],
  ['lines behind a byte order mark', `\ufeff${START}\n`],
  ['server-sent events', `data: ${START}\n\n`],
  ['server-sent events behind a byte order mark', `\ufeffdata: ${START}\r\n\r\n`],
])('the first chunk is read from %s, wherever they are cut', (_what, stream) => {
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const reader = new ChunkReader();
    const chunks = [...reader.push(stream.slice(0, cut)), ...reader.push(stream.slice(cut)), ...reader.end()];
    expect([chunks, reader.problems]).toEqual([[JSON.parse(START)], []]);
  }
});
