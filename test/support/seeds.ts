/** Fifty different secrets in one text, the places where a command can be told them, and the look at what is on the disk. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, inflateSync } from 'node:zlib';
import { redactText } from '../../src/secrets/redact.ts';
import { Chance, fill, SAMPLED_RULES, type Sample, sampleOf } from './secrets-corpus.ts';

const chance = new Chance(50);

/** Every second rule, and the value of a variable that every process of the test has. */
export const SEEDS: readonly Sample[] = SAMPLED_RULES.filter((_, index) => index % 2 === 0)
  .slice(0, 50)
  .map((rule, index) => sampleOf(rule, index, chance));

export const VARIABLE = { DEPLOY_PASSWORD: fill('Zanpel{6:b}#Dor', chance) };
/** A secret that may stand in the name of a file. */
export const TOKEN = fill('ghp_{36:b}', chance);

/** All of them in one text. */
export const SEEDED = `${SEEDS.map(({ text }) => `Look:\n${text}\n`).join('')}${TOKEN}\nit says ${VARIABLE.DEPLOY_PASSWORD} here\n`;

/** Bytes that must not be found: each secret, each long line of one, as they are and as JSON escapes them. */
const FORBIDDEN: readonly Buffer[] = [...SEEDS.map(({ secret }) => secret), TOKEN, VARIABLE.DEPLOY_PASSWORD].flatMap(
  (secret) => {
    const parts = new Set([secret, ...secret.split('\n').filter((line) => line.length >= 40)]);
    return [...new Set([...parts].flatMap((part) => [part, JSON.stringify(part).slice(1, -1)]))].map((text) =>
      Buffer.from(text),
    );
  },
);

/** Lists the rules that find nothing in the text: none, or the test would test nothing. */
export const missed = (): string[] => {
  const { text } = redactText(SEEDED, { values: Object.values(VARIABLE) }, () => '000000');
  return SEEDS.filter(({ secret }) => text.includes(secret)).map(({ rule }) => rule);
};

/** Yields the contents of bytes: themselves, and what they inflate to, as far as they go. */
function* contentsOf(bytes: Buffer): Generator<Buffer> {
  yield bytes;
  try {
    yield inflateSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  } catch {
    // It is no zlib stream.
  }
}

/** Every byte that a store has on the disk, packs and temporary files too. */
export function* everyByte(store: string): Generator<[where: string, bytes: Buffer]> {
  for (const entry of readdirSync(store, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    yield [`the name of ${path}`, Buffer.from(entry.name)];
    if (entry.isFile()) yield [path, readFileSync(path)];
  }
  if (readdirSync(join(store, 'objects', 'pack')).length === 0) return;
  const line = ['--git-dir', store, 'cat-file', '--batch', '--batch-all-objects'];
  yield ['packed objects', execFileSync('git', line, { maxBuffer: 256 * 1024 * 1024 })];
}

/** Digests of bytes that hold none: hundreds of stores are copies of one, and differ in a few files. */
const clean = new Set<string>();

/** Lists the places of seeded secrets in a store; none if all is well. */
export function leaks(store: string): string[] {
  const found: string[] = [];
  for (const [where, bytes] of everyByte(store)) {
    const digest = createHash('sha1').update(bytes).digest('hex');
    if (clean.has(digest)) continue;
    const contents = [...contentsOf(bytes)];
    const here = FORBIDDEN.filter((secret) => contents.some((content) => content.includes(secret)));
    if (here.length === 0) clean.add(digest);
    found.push(...here.map((secret) => `${where}: ${secret.toString().slice(0, 80)}`));
  }
  return found;
}

/** Counts the markers in a store. */
export function markers(store: string): number {
  let count = 0;
  for (const [, bytes] of everyByte(store))
    for (const content of contentsOf(bytes)) count += content.toString('latin1').split('[redacted:').length - 1;
  return count;
}

/** A transcript as Claude Code writes it, with secrets wherever it has text. */
export function seededTranscript(): string {
  const input = { file_path: `/project/${TOKEN}.txt`, content: SEEDED, command: SEEDED, [TOKEN]: SEEDED };
  const use = (name: string, id: string): object => ({ type: 'tool_use', id, name, input });
  const result = { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: SEEDED }] };
  const lines = [
    { type: 'summary', summary: SEEDED, leafUuid: 'd' },
    { type: 'user', uuid: 'a', parentUuid: null, message: { role: 'user', content: SEEDED } },
    said('b', 'a', [{ type: 'thinking', thinking: SEEDED }, use('Write', 't1'), use('Bash', 't2')]),
    { type: 'user', uuid: 'c', parentUuid: 'b', message: { role: 'user', content: [result] }, toolUseResult: input },
    said('d', 'c', [{ type: 'text', text: SEEDED }]),
    { type: 'system', uuid: 'e', parentUuid: 'd', content: SEEDED },
    { type: 'stranger', uuid: 'f', parentUuid: 'e', deep: [{ [TOKEN]: [SEEDED] }] },
  ];
  const around = { sessionId: 'conversation', timestamp: '2026-01-22T00:00:00.000Z', cwd: `/project/${TOKEN}` };
  const whole = lines.map((line) => `${JSON.stringify({ ...around, gitBranch: TOKEN, ...line })}\n`).join('');
  return `${whole}no JSON but ${TOKEN}\n`;
}

const said = (uuid: string, parentUuid: string, content: object[]): object => ({
  type: 'assistant',
  uuid,
  parentUuid,
  message: { id: `m-${uuid}`, role: 'assistant', model: 'some', content },
});

/** Records with secrets in every text, as `observe batch` takes them. */
export function seededBatch(): string {
  const tool = { type: 'dynamic-tool', toolCallId: 't', toolName: SEEDED, state: 'output-available' };
  const parts = [
    { type: 'text', text: SEEDED },
    { ...tool, input: { a: [SEEDED] }, output: SEEDED },
  ];
  const records = [
    { kind: 'note', content: SEEDED },
    { kind: 'note', content: `${SEEDED}${'x '.repeat(5000)}` },
    { kind: 'command', command: SEEDED, exit_code: 0, output: SEEDED },
    { kind: 'relation', from: `note:${SEEDED}`, label: 'Mentions', to: `file:${TOKEN}`, evidence: SEEDED },
    { kind: 'message', message: { id: 'm', role: 'assistant', parts, metadata: { [TOKEN]: SEEDED } } },
    { kind: 'read', path: `${TOKEN}.txt` },
    { kind: 'write', path: 'client.ts' },
    { kind: 'delete', path: `gone/${TOKEN}` },
    { kind: 'permission', asked: SEEDED },
    { kind: 'stranger', [TOKEN]: { deep: [[SEEDED]] } },
  ];
  return `${records.map((record) => JSON.stringify(record)).join('\n')}\n`;
}
