// A payload of 200 MB passes through in pieces, and of a long turn no more is held than its latest message.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as ctx from '../../src/index.ts';
import { ended, makeProject, PROGRAM, temporaryFolder } from '../support/store.ts';

const SIZE = 200_000_000;
/** The design's limit, in MB. */
const BUDGET = 200;
const PIECE = Buffer.alloc(1_000_000, 'all work and no play makes jack a dull boy, é\n');

/** Tells how much memory a process had at its peak, in a file beside the test. */
const WATCH = `
  const { readFileSync, writeFileSync } = require('node:fs');
  process.on('exit', () => {
    let kilobytes = process.resourceUsage().maxRSS;
    try {
      // Of this program alone; the other number counts the parent's memory before the program was loaded.
      kilobytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    } catch {}
    writeFileSync(process.env.PEAK_FILE, String(kilobytes / 1000));
  });
`;

/** Runs ctx; gives its answer and the most memory it had, in MB. */
async function run(
  folder: string,
  words: readonly string[],
  input?: 'large',
): Promise<{ result: unknown; peak: number }> {
  const watch = join(temporaryFolder(), 'watch.cjs');
  const peak = join(temporaryFolder(), 'peak');
  writeFileSync(watch, WATCH);
  const child = spawn(process.execPath, ['--require', watch, PROGRAM, '-C', folder, '--json', ...words], {
    env: { ...process.env, PEAK_FILE: peak },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const end = ended(child);
  for (let sent = 0; input && sent < SIZE; sent += PIECE.length) {
    if (!child.stdin?.write(PIECE)) await new Promise((resolve) => child.stdin?.once('drain', resolve));
  }
  child.stdin?.end();
  const { out, err, code } = await end;
  expect([code, err]).toEqual([0, '']);
  return { result: JSON.parse(out), peak: Number(readFileSync(peak, 'utf8')) };
}

test('200 MB of a note, of a command’s output and of a file', { timeout: 600_000 }, async () => {
  const { folder, repository, git } = makeProject({ snapshot_limit: '1GiB' });
  ctx.startSession(repository, 'the task');
  const file = openSync(join(folder, 'large.txt'), 'w');
  for (let written = 0; written < SIZE; written += PIECE.length) writeSync(file, PIECE);
  closeSync(file);
  const idle = await run(folder, ['stage', 'status']);
  const runs = await Promise.all([
    run(folder, ['observe', 'note', '-'], 'large'),
    run(folder, ['observe', 'command', '--exit-code', '0', '--output', '-', '--', 'make'], 'large'),
    run(folder, ['observe', 'write', 'large.txt']),
  ]);
  // The later command has the same payloads to look at.
  runs.push(await run(folder, ['stage', 'flush']));
  runs.push(await run(folder, ['show', 'STAGE']));
  for (const { peak } of runs) {
    // It measures: a process of Node's has more than this, and these have more than one that does nothing.
    expect(idle.peak).toBeGreaterThan(20);
    expect(peak).toBeGreaterThan(idle.peak);
    expect(peak).toBeLessThan(BUDGET);
  }
  // Nothing was left out.
  const records = git('show', 'STAGE:step.jsonl')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(records.map((record) => record.bytes ?? (record.content ?? record.output).bytes)).toEqual([SIZE, SIZE, SIZE]);
});

describe('a turn of 75 MB, in messages of 5', () => {
  const MESSAGES = 15;
  const output = (index: number): string => `${index} ${'some line of text\n'.repeat(5_000_000 / 19)}`;
  const numbers = Array.from({ length: MESSAGES }, (_, index) => index);

  const gemini = (index: number): object => {
    const result = [{ functionResponse: { id: `c${index}`, name: 'read_file', response: { output: output(index) } } }];
    const call = { id: `c${index}`, name: 'read_file', args: { file_path: '/x' }, status: 'success', result };
    return { id: `g${index}`, timestamp: '2026-01-10T10:00:01.000Z', type: 'gemini', content: 'y', toolCalls: [call] };
  };
  const prompt = { id: 'u', timestamp: '2026-01-10T10:00:00.000Z', type: 'user', content: 'Read x' };
  const chat = { sessionId: 'chat', projectHash: 'p', startTime: prompt.timestamp, lastUpdated: prompt.timestamp };

  const opencode = (index: number): object => {
    const info = { id: `msg_1${String(index).padStart(3, '0')}`, sessionID: 'ses_1', role: 'assistant' };
    const state = { status: 'completed', input: { filePath: '/x' }, output: output(index), time: { start: 1, end: 2 } };
    const part = { id: `prt_1${index}`, type: 'tool', callID: `c${index}`, tool: 'read', state };
    return { info: { ...info, modelID: 'b', time: { created: index + 2, completed: index + 2 } }, parts: [part] };
  };
  const asked = {
    info: { id: 'msg_0', sessionID: 'ses_1', role: 'user', time: { created: 1 } },
    parts: [{ id: 'prt_0', type: 'text', text: 'Read x' }],
  };
  const session = { id: 'ses_1', projectID: 'p', directory: '/p', title: 'T', version: '1', time: { created: 1 } };

  /** Writes what stands around messages, and them one by one. */
  function put(file: string, [before, between, after]: readonly string[], messages: Iterable<object>): void {
    const handle = openSync(file, 'w');
    let separator = before;
    for (const message of messages) {
      writeSync(handle, `${separator}${JSON.stringify(message)}`);
      separator = between;
    }
    writeSync(handle, `${after}`);
    closeSync(handle);
  }

  function* all(first: object, make: (index: number) => object): Generator<object> {
    yield first;
    for (const index of numbers) yield make(index);
  }

  test.each([
    ['a chat of lines', [`${JSON.stringify({ ...chat, kind: 'main' })}\n`, '\n', '\n'], prompt, gemini],
    ['a chat that is a document', [`${JSON.stringify(chat).slice(0, -1)},"messages":[`, ',', ']}'], prompt, gemini],
    ['an export', [`{"info":${JSON.stringify(session)},"messages":[`, ',', ']}'], asked, opencode],
  ] as const)('%s', { timeout: 600_000 }, async (_, around, first, make) => {
    const { folder, git } = makeProject();
    const file = join(folder, 'transcript');
    put(file, around, all(first, make));
    const { result, peak } = await run(folder, ['--quiet', 'ingest', '--here', file]);
    expect(result).toMatchObject({ result: { messages: MESSAGES + 1, tool_calls: MESSAGES } });
    expect(peak).toBeLessThan(BUDGET);
    expect(git('fsck', '--strict')).toBe('');
  });
});
