// Transcripts whose bytes are not what an agent writes: read as far as they can be, and every such line is named.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { errorOf, makeProject } from '../support/store.ts';

const line = (uuid: string, text: string): string =>
  JSON.stringify({
    ...{ type: 'user', uuid, parentUuid: null, sessionId: 's1', cwd: '/work/acme', version: '2.1.330' },
    timestamp: '2026-11-20T13:00:00.000Z',
    message: { role: 'user', content: text },
  });

function ingest(content: string | Buffer) {
  const project = makeProject();
  const file = join(project.folder, 's1.jsonl');
  writeFileSync(file, content);
  return ingestTranscript(project.repository, file);
}

test('names invalid UTF-8 by line, but not the replacement character that somebody wrote', () => {
  const torn = Buffer.concat([
    Buffer.from(`${line('a', 'A sign: \ufffd')}\n`),
    Buffer.from(`${line('b', 'Torn: @')}\n`),
  ]);
  torn[torn.lastIndexOf('@')] = 0xe9;
  const { problems, messages } = ingest(torn);
  expect(messages).toBe(2);
  expect(problems).toEqual([{ line: 2, message: 'holds bytes that are no UTF-8; U+FFFD is kept in their place' }]);
});

test.each([
  ['a record', line('a', 'One').slice(0, -1)],
  ['objects glued on one line', `${line('a', 'One')}${line('b', 'Two').slice(0, -1)}`],
  ['lines that end in a carriage return alone', `${line('a', 'One')}\r${line('b', 'Two').slice(0, -1)}\r`],
])('%s without its end and a line feed may still be written: it is said so', (_name, content) => {
  expect(errorOf(() => ingest(content))).toMatchObject({
    code: 'invalid_input',
    hint: 'line 1: has no line feed at its end, so it may still be written; it is read once it has one',
  });
});

test('lines that end in a carriage return alone are read as one that holds all of their objects', () => {
  const { problems, messages, incomplete } = ingest(`${line('a', 'One')}\r${line('b', 'Two')}\r`);
  expect([messages, incomplete]).toEqual([2, false]);
  expect(problems).toMatchObject([{ line: 1, message: 'holds 2 JSON objects; all were read' }]);
});
