// Hostile texts, and stores that have them in every place where a text is kept.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ActiveStatus } from '../../src/index.ts';
import { json, NOON, type Repo, write } from '../support/cli.ts';
import { fc, hostileText } from '../support/property.ts';
import { gitBytes } from '../support/store.ts';
import { watchMany } from './support.ts';

/** Sequences that terminals obey: cursor, title, clipboard, hyperlinks, answers to questions, C1, backspaces, turned text. */
export const EVIL = [
  ...[
    '\u001b[2J',
    '\u001b[1;1H',
    '\u001b]0;owned\u0007',
    '\u001b]52;c;ZXZpbA==\u001b\\',
    '\u001b]8;;http://evil\u001b\\',
  ],
  ...['\u001bP1$r0m\u001b\\', '\u001b[6n', '\u001b[c', '\u001bc', '\u009b31m', '\u009d0;x\u009c', '\u0090', '\u0085'],
  ...[
    'ink\u001b[31mink',
    'ink\u001b[0mink',
    '\r',
    '\r\n',
    '\b\b\b',
    '\u007f',
    '\u000e',
    '\u0007',
    '\u000b\f',
    '\u2028',
  ],
  ...['\u202etxt.exe\u202c', '\u2066x\u2069', '\u200f', '\u061c', '\u200e', '\ud800', '\udfff', '\u0000', '\t', '\n'],
];

const evilText = (maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .array(fc.constantFrom(...EVIL, 'word ', 'Ctx-Type: Root'), { minLength: 1, maxLength })
        .map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: hostileText(maxLength) },
  );

/** A text for every place that is stored. */
export const PLACES = [
  ...[
    'task',
    'question',
    'answer',
    'note',
    'plan',
    'command',
    'output',
    'file',
    'content',
    'agent',
    'model',
    'message',
  ],
  ...['tool', 'kind', 'from', 'to', 'evidence', 'interruption', 'summary', 'reason', 'flush', 'deleted', 'compact'],
  ...['prompt', 'setting', 'branch', 'transcript', 'session', 'error', 'newTask'],
] as const;
export type Texts = Record<(typeof PLACES)[number], string>;

export const texts: fc.Arbitrary<Texts> = fc.record(
  Object.fromEntries(PLACES.map((place) => [place, evilText(12)])) as { [Place in keyof Texts]: fc.Arbitrary<string> },
);

/** One text everywhere, with all of it. */
export const everywhere = Object.fromEntries(PLACES.map((place) => [place, `<${place}>${EVIL.join('.')}`])) as Texts;

/** Something that can be the name of a file, under files/ too. */
const fileName = (text: string): string => `n${Buffer.from(text.replace(/[\0/\\]/g, '-')).subarray(0, 200)}`;
const word = (text: string): string => `w${text.replaceAll('\0', '')}`;

/** A transcript of Claude Code with the texts in it, and a line that is none. */
function transcript(t: Texts): string {
  const common = {
    isSidechain: false,
    sessionId: t.session,
    cwd: t.file,
    gitBranch: t.branch,
    timestamp: '2026-01-14T09:12:13Z',
  };
  const usage = { input_tokens: 3, output_tokens: 50 };
  const message = {
    id: 'm1',
    role: 'assistant',
    model: t.model,
    content: [
      { type: 'text', text: t.answer },
      { type: 'tool_use', id: 't1', name: t.tool, input: { [t.kind]: t.command, file_path: t.file } },
    ],
    stop_reason: null,
    usage,
  };
  const user = { type: 'user', uuid: 'u1', parentUuid: null, message: { role: 'user', content: t.prompt } };
  const result = [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: t.output }];
  const lines = [
    user,
    { type: 'assistant', uuid: 'u2', parentUuid: 'u1', message },
    { type: 'user', uuid: 'u3', parentUuid: 'u2', message: { role: 'user', content: result } },
    { type: t.kind, uuid: 'u4', parentUuid: 'u3', payload: t.transcript },
    ...Array.from({ length: 70 }, (_, n) => ({
      type: 'user',
      uuid: `v${n}`,
      parentUuid: n ? `v${n - 1}` : 'u3',
      message: { role: 'user', content: `${n} ${t.prompt}` },
    })),
  ].map((line) => JSON.stringify({ ...common, ...line }));
  return `${lines.join('\n')}\n{"${t.transcript.replace(/[\n"]/g, '')}\n`;
}

/** A store with the texts in every place, and its open session. */
export async function fill(repo: Repo, t: Texts): Promise<string> {
  const [file, agent, filled] = [fileName(t.file), word(t.agent), (text: string): string => `x${text}`];
  write(join(repo.dir, file), 'plain\n');
  write(join(repo.dir, 'transcript.jsonl'), transcript(t));
  write(join(repo.dir, 'output.txt'), t.output);
  const lines = [
    ['stage', 'start', '--agent', agent, '--', filled(t.task)],
    ['observe', 'write', '--flush', '--', file],
    ['stage', 'ask', '--', filled(t.question)],
    ['stage', 'respond', '--', filled(t.answer)],
    ['stage', 'interrupt', '--', filled(t.interruption)],
    ['stage', 'continue'],
    ['stage', 'done', '--', filled(t.summary)],
    ['stage', 'compact', '-m', filled(t.compact), '--type', 'interrupted', '--new-task', filled(t.newTask)],
    ['stage', 'start', '--', filled(t.task)],
    ['stage', 'abort', '--reason', filled(t.reason)],
    ['stage', 'start', '--agent', agent, '--', filled(t.task)],
    ['observe', 'batch'],
    ['observe', 'note', '--', filled(t.note)],
    ['observe', 'plan', '--', filled(t.plan)],
    ['observe', 'command', '--exit-code', '1', '--output', 'output.txt', '--', filled(t.command)],
    [
      'observe',
      'relate',
      `file:${filled(t.from)}`,
      'Imports',
      `file:${filled(t.to)}`,
      '--evidence',
      filled(t.evidence),
    ],
    ['stage', 'flush', '-m', filled(t.flush)],
    ['stage', 'interrupt', '--', filled(t.interruption)],
  ];
  const part = {
    type: 'dynamic-tool',
    toolName: t.tool,
    toolCallId: 'c',
    state: 'output-error',
    input: { [t.kind]: t.command },
    errorText: t.error,
  };
  const records = [
    {
      kind: 'message',
      message: {
        id: t.session,
        role: 'assistant',
        parts: [{ type: 'text', text: t.message }, part],
        metadata: { model: t.model },
      },
    },
    { kind: 'delete', path: t.deleted || 'x' },
    { kind: `x${t.kind}`, [`k${t.kind}`]: t.message, type: t.kind },
    { kind: 'command', command: t.command, exit_code: 2, output: t.output },
    { kind: 'nonsense of the line', at: t.kind, version: t.model },
  ];
  const ran = await watchMany(lines, {
    cwd: repo.dir,
    input: `${records.map((record) => JSON.stringify(record)).join('\n')}\nx${t.error}\n`,
  });
  expect(
    ran.ran.map(({ code }) => code),
    ran.stderr,
  ).toEqual(
    // A batch with a bad line says so.
    lines.map((words) => Number(words[1] === 'batch')),
  );
  // With a NUL it would be binary, and not be shown.
  write(join(repo.dir, file), `${t.content.replaceAll('\0', '')}\n`);
  expect((await watchMany([['observe', 'write', '--flush', '--', file]], { cwd: repo.dir })).ran[0]?.code).toBe(0);
  return json<ActiveStatus>(['stage', 'status'], { cwd: repo.dir, now: NOON }).session_id;
}

/** Puts hostile names, a hostile commit and hostile contents into a store. */
export function damageWith(repo: Repo, session: string, evil: string): void {
  const file = (place: string): string => `<${place}>${fileName(evil)}`;
  const put = (type: string, content: string | Buffer): string =>
    gitBytes(repo.store, ['hash-object', '-t', type, '-w', '--literally', '--stdin'], content)
      .toString('latin1')
      .trim();
  const blob = put('blob', 'x');
  const entry = (name: string, oid: string, mode = '100644'): Buffer =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]);
  const files = put('tree', entry(file('entry').replaceAll('\n', ''), blob));
  const tree = put('tree', Buffer.concat([entry('files', files, '40000')]));
  const head = repo.git('rev-parse', 'main').trim();
  const line = evil.replace(/[\n\0\r\u2028]/g, '');
  const who = `author <${line} <x> 0 +0000\ncommitter x <x> 0 +0000`;
  const trailers = ['Type', 'Session', 'State', 'Task', 'Steps', 'Work'].map((key) => `Ctx-${key}: <commit>${line}\n`);
  const commit = put('commit', `tree ${tree}\nparent ${head}\n${who}\n\n<commit>${line}\n\n${trailers.join('')}`);
  write(join(repo.store, 'refs', 'heads', 'main'), `${commit}\n`);
  write(join(repo.store, 'pending', session, `${file('record')}.json`), evil);
  write(join(repo.store, 'oplog', `${file('operation')}.json`), evil);
  write(join(repo.store, `${file('left')}.tmp`), evil);
  write(join(repo.store, 'refs', 'sessions', file('ref')), evil);
  write(join(repo.store, 'refs', 'archive', 'somebody-else'), evil);
  const config = `${readFileSync(join(repo.store, 'config'), 'utf8')}[core]\n\tpager = <config>${line.replace(/["\\#;]/g, '')}\n`;
  write(join(repo.store, 'config'), config);
}

/** Every command that prints stored text, and every kind of word on a command line that comes back in an error. */
export function commands(t: Texts, session: string): string[][] {
  const [file, evil] = [fileName(t.file), word(t.error)];
  return [
    ...[
      ['git', 'log', '-p', '--text', '--all'],
      ['git', 'cat-file', '-p', 'main:notes.jsonl'],
    ],
    ...[['stage', 'status'], ['stage', 'recover'], ['stage', 'list'], ['log'], ['log', '--oneline', '--stat']],
    ...[
      ['log', '--path', file],
      ['show', 'HEAD'],
      ['show', 'HEAD~1'],
      ['show', 'STAGE', '--steps'],
      ['show', session],
    ],
    ...[['diff', 'HEAD'], ['diff', 'HEAD~2', 'HEAD'], ['op', 'log'], ['fsck'], ['--json', 'show', 'STAGE', '--steps']],
    ...[
      ['ingest', 'transcript.jsonl'],
      ['stage', 'list'],
      ['ingest', '--activate', 'transcript.jsonl'],
      ['messages'],
      ['stage', 'status', '--session', evil],
      ['show', evil],
    ],
    ...[['stage', 'switch', evil], ['-C', evil, 'log'], ['observe', 'read', evil], [evil], ['log', `--${evil}`]],
    ...[
      ['log', '--since', evil],
      ['log', '--grep', `(${evil}`],
      ['ingest', evil],
      ['--json', 'show', evil],
    ],
    ...[
      ['diff', evil, 'HEAD'],
      ['observe', 'note', '--note', evil],
    ],
  ];
}
