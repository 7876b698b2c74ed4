// The last line of a transcript, where no line feed ends it: it is read once what stands on it is whole.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captureStatus } from '../../src/app/capture/capture.ts';
import { ingestTranscript } from '../../src/app/intake/ingest.ts';
import { putTranscript } from '../support/homes.ts';
import { makeProject, temporaryFolder } from '../support/store.ts';

const record = (role: string, uuid: string, parentUuid: string | null, content: string, cwd = '/project'): string => {
  const about = { type: role, uuid, parentUuid, sessionId: 's', cwd, timestamp: '2026-01-22T00:00:00.000Z' };
  const said = role === 'user' ? content : [{ type: 'text', text: content }];
  return JSON.stringify({ ...about, message: { role, id: uuid, stop_reason: 'end_turn', content: said } });
};
const conversation = (cwd?: string): [string, string, string, string] => [
  record('user', 'a', null, 'Fix the tests', cwd),
  record('assistant', 'b', 'a', 'They pass.', cwd),
  record('user', 'c', 'b', 'Now the docs', cwd),
  record('assistant', 'd', 'c', 'They are written.', cwd),
];
const [A, B, C, D] = conversation();

/** Returns the new messages of each of these texts, to which a file grows. */
function taken(...texts: string[]): { messages: number; incomplete: boolean }[] {
  const project = makeProject();
  const file = join(project.folder, 'transcript.jsonl');
  return texts.map((text) => {
    writeFileSync(file, text);
    const { messages, incomplete } = ingestTranscript(project.open(), file);
    return { messages, incomplete };
  });
}

test.each([
  ['one record', `${A}\n${B}\n${C}`, 3],
  ['two records', `${A}\n${B}\n${C}${D}`, 4],
  ['two records with blanks', `${A}\n${B}\n${C} \t${D}  `, 4],
  ['all there are', A + B + C + D, 4],
])('%s, whole', (_, text, messages) => {
  expect(taken(text)).toEqual([{ messages, incomplete: false }]);
});

test.each([
  ['a record and a part of another', `${A}\n${B}\n${C}${D.slice(0, -20)}`],
  ['a record and a number', `${A}\n${B}\n${C}1`],
  ['two records and what is none', `${A}\n${B}\n${C}${D}x`],
])('%s wait for the rest', (_, text) => {
  expect(taken(text)).toEqual([{ messages: 2, incomplete: true }]);
});

test('what comes behind them is read when it is there', () => {
  const E = record('user', 'e', 'd', 'Thanks, go on');
  const texts = [`${A}\n${B}${C}`, `${A}\n${B}${C}${D}`, `${A}\n${B}${C}${D}\n${E}\n`];
  expect(taken(...texts).map(({ messages }) => messages)).toEqual([3, 1, 1]);
});

test('they count among the turns of a conversation', () => {
  const project = makeProject();
  const home = temporaryFolder();
  const [a, b, c, d] = conversation(project.folder);
  const file = putTranscript(home, project.folder, 's.jsonl', `${a}\n${b}\n${c}${d}`);
  const turns = (): unknown =>
    captureStatus(project.open(), { environment: { HOME: home } }).conversations.map((one) => [
      one.captured,
      one.turns_stored,
      one.turns,
    ]);
  expect(turns()).toEqual([['never', 0, 2]]);
  ingestTranscript(project.open(), file);
  expect(turns()).toEqual([['captured', 2, 2]]);
});
