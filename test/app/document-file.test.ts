// A document that is too large to be held: it is read from its file as it is asked for, which must stand still meanwhile.
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newSource } from '../../src/app/intake/increment.ts';
import { documentIn } from '../../src/app/transcript/document-file.ts';
import { recogniseTranscript } from '../../src/app/transcript/recognise.ts';
import type { TranscriptText } from '../../src/app/transcript/text.ts';
import { rewritingOf } from '../../src/app/transcript/transcript.ts';
import { errorOf, temporaryFolder } from '../support/store.ts';

const text = (count: number): string => {
  const messages = Array.from({ length: count }, (_, number) => ({
    id: `m${number}`,
    timestamp: '2026-11-20T13:00:00.000Z',
    ...{ type: 'gemini', content: `é ${'words '.repeat(200)}${number}` },
  }));
  return JSON.stringify({ sessionId: 's', projectHash: 'p', messages }, null, 1);
};
const LARGE = text(9000);

function write(content: string): string {
  const file = join(temporaryFolder(), 'chat.json');
  writeFileSync(file, content);
  return file;
}

const linesOf = (transcript: TranscriptText, from = 0): string =>
  Buffer.concat([...transcript.pieces(from)].map((piece) => Buffer.from(piece))).toString('utf8');

test('its lines are those of its messages, from anywhere on, and each is found in the file', () => {
  expect(LARGE.length).toBeGreaterThan(9_000_000);
  const { text: transcript, agentSession } = recogniseTranscript(write(LARGE), undefined);
  const { messages, ...header } = JSON.parse(LARGE) as { messages: object[] };
  const lines = [header, ...messages].map((line) => `${JSON.stringify(line)}\n`).join('');
  expect(agentSession).toBe('s');
  expect(linesOf(transcript)).toBe(lines);
  expect(transcript.size()).toBe(Buffer.byteLength(lines));
  expect(linesOf(transcript, 10_000)).toBe(Buffer.from(lines).subarray(10_000).toString('utf8'));
  const at = LARGE.indexOf('"m8999"');
  expect(transcript.lineInFile(9001)).toBe(LARGE.slice(0, at).split('\n').length - 1);
});

test('of one that was never read nobody asks how long it is: all of its lines would be made for it', () => {
  const { text: transcript, agent } = recogniseTranscript(write(LARGE), undefined);
  const unasked = { ...transcript, size: () => expect.fail('It was asked.') };
  expect(rewritingOf(unasked, newSource(agent.name, 's', transcript.file))).toBeNull();
});

test('any range of a document is read as it is in the file', () => {
  const bytes = Buffer.from(LARGE);
  const document = documentIn(write(LARGE));
  for (const [from, to] of [
    [0, 10],
    [1_048_570, 1_048_600],
    [5, 3_000_000],
    [bytes.length - 4, bytes.length + 9],
  ] as const)
    expect(document.text(from, to)).toBe(bytes.toString('utf8', from, Math.min(to, bytes.length)));
});

test.each<[string, (file: string) => void]>([
  ['is added to', (file) => appendFileSync(file, '\n')],
  [
    'gives way to another',
    (file) => {
      writeFileSync(`${file}.new`, LARGE);
      renameSync(`${file}.new`, file);
    },
  ],
])('where it %s while it is read, nothing of it is taken', (_name, change) => {
  const file = write(LARGE);
  const { text: transcript } = recogniseTranscript(file, undefined);
  change(file);
  expect(errorOf(() => linesOf(transcript))).toMatchObject({
    code: 'io',
    message: `${file} was written while it was read.`,
    hint: 'Nothing of it was taken. Do it again.',
  });
});
