// Killed, or met by a full or a broken disk, while it adds lines to a transcript of an agent: they are never taken for the agent's own, and
// are there once in the end.
import { appendFileSync, cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readConversation } from '../../src/app/conversation/read.ts';
import { exportNative, type NativeResult } from '../../src/app/exchange/native/native.ts';
import { checkStore } from '../../src/app/fsck.ts';
import * as ctx from '../../src/index.ts';
import { runToEnd } from '../support/spawn.ts';
import { fsck, makeProject, PROGRAM, type Project, ROOT } from '../support/store.ts';

const FIXTURE = join(ROOT, 'fixtures', 'claude-code', 'retry-backoff.jsonl');
const FAULT = join(ROOT, 'test', 'torture', 'fault.cjs');

const exported = (project: Project, to: string): NativeResult =>
  exportNative(project.open(), 'STAGE', {
    to,
    install: true,
    around: { directory: project.folder, environment: { HOME: join(project.folder, 'home') } },
  });

const wordsOf = (project: Project): string[] =>
  [...readConversation(project.open())].flatMap(({ role, parts }) =>
    parts.flatMap((part) => (part.type === 'text' ? [`${role}: ${part['text']}`] : [])),
  );

/** Appends a prompt to the transcript, as the agent does after a resume. */
function speakIn(project: Project, { file, agent_session_id }: NativeResult): void {
  const last = readFileSync(file as string, 'utf8')
    .trim()
    .split('\n')
    .at(-1) as string;
  const { uuid: parentUuid } = JSON.parse(last) as { uuid: string };
  const line = {
    ...{ type: 'user', uuid: 'new', parentUuid, timestamp: '2026-02-01T00:00:00.000Z' },
    ...{ cwd: project.folder, sessionId: agent_session_id, version: '2.1.330' },
    message: { role: 'user', content: 'And now?' },
  };
  appendFileSync(file as string, `${JSON.stringify(line)}\n`);
}

interface Hit {
  hit?: { index: number; path: string };
  calls?: number;
  writes?: number;
}

/** Runs the export with a fault in the place of one of its calls. */
function killedAt(project: Project, to: string, mode: string, at: number): Hit {
  const mark = join(project.folder, 'mark');
  rmSync(mark, { force: true });
  const words = ['-r', FAULT, PROGRAM, 'export', '--to', to, '--install', '--json'];
  const env = {
    PATH: process.env['PATH'],
    HOME: join(project.folder, 'home'),
    CTX_NOW: String(project.clock.now),
    TORTURE_STORE: project.folder,
    TORTURE_AT: String(at),
    TORTURE_MODE: mode,
    TORTURE_MARK: mark,
  };
  runToEnd(process.execPath, words, { cwd: project.folder, env });
  return JSON.parse(readFileSync(mark, 'utf8')) as Hit;
}

const isFile = (path: string): boolean => path.endsWith('.jsonl');

test.each([
  ['claude-code', 'kill'],
  ['codex', 'kill'],
  ['codex', 'torn'],
  ['codex', 'ENOSPC'],
  ['claude-code', 'EIO'],
])('adds lines for %s once, whatever call meets %s', { timeout: 300_000 }, (to, mode) => {
  const project = makeProject();
  ctx.ingestTranscript(project.repository, FIXTURE);
  const first = exported(project, to);
  const file = first.file as string;
  ctx.appendMessage(project.open(), { role: 'user', parts: [{ type: 'text', text: 'One more thing.' }] });
  const before = wordsOf(project);
  const saved = `${project.folder}-saved`;
  cpSync(project.folder, saved, { recursive: true });
  const restore = (): void => {
    rmSync(project.folder, { recursive: true });
    cpSync(saved, project.folder, { recursive: true });
  };
  const { calls = 0, writes = 0 } = killedAt(project, to, mode, 0);
  const whole = readFileSync(file, 'utf8');
  const places: string[] = [];
  // From the last call back through those that write the file to the first ones of the plan.
  const planned = (): number =>
    places.slice(places.findIndex(isFile) + 1).filter((path) => path.includes('growing')).length;
  for (let at = mode === 'torn' ? writes : calls; at > 0 && (!places.some(isFile) || planned() < 2); at -= 1) {
    restore();
    const { hit } = killedAt(project, to, mode, at);
    places.push(hit?.path ?? '');
    const speaks = to === 'claude-code';
    if (speaks) speakIn(project, first);
    ctx.ingestTranscript(project.open(), file);
    const words = speaks ? [...before, 'user: And now?'] : before;
    expect(wordsOf(project), `killed at ${at}, ${hit?.path}`).toEqual(words);
    if (!speaks) {
      expect(exported(project, to)).toMatchObject({ file });
      expect(readFileSync(file, 'utf8')).toBe(whole);
    }
    const { findings } = checkStore(project.open(), { full: true });
    expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
    expect(fsck(project.store)).toBe('');
  }
  expect(places.some(isFile)).toBe(true);
  expect(planned()).toBeGreaterThan(0);
  rmSync(saved, { recursive: true });
});
