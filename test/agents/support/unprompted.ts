/** A conversation of which nothing but hooks tells, and what became of sessions. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { json, NOON, run } from '../../support/cli.ts';
import { recordsOf, storyOf } from './day.ts';
import { A } from './projects.ts';

/** A prompt that begins another task, and one of the agent's questions. */
export const OTHER = 'New task: write the release notes for version 2';
/** Its task: without the words that only announce it. */
export const OTHER_TASK = OTHER.replace('New task: ', '');
export const QUESTION = 'Which jitter should I use, full or equal?';

/** The conversation of an agent that keeps no transcript; each event a minute after the one before. */
export class Untold {
  readonly #dir: string;
  now = NOON;

  constructor(dir: string) {
    this.#dir = dir;
  }

  tell(hook_event_name: string, fields: object = {}): void {
    const payload = { session_id: A, transcript_path: null, cwd: this.#dir, hook_event_name, ...fields };
    const ran = run(['hook', 'pi'], { cwd: this.#dir, now: this.now, input: JSON.stringify(payload) });
    expect([ran.code, ran.stderr]).toEqual([0, '']);
    this.now += 60;
  }

  tool(command: string): void {
    this.tell('tool_result', {
      tool_name: 'bash',
      tool_call_id: command,
      tool_input: { command },
      tool_output: 'ok',
    });
  }
}

/** While somebody of whom nothing can be told holds LOCK. */
export function whileHeld(dir: string, during: () => void): void {
  const lock = join(dir, '.ctx', 'LOCK');
  writeFileSync(lock, 'foreign');
  during();
  rmSync(lock);
}

/** The moves of the current session, as `ask → AwaitingUser`. */
export const movesOf = (dir: string): string[] =>
  storyOf(recordsOf(dir, 'STAGE')).filter((line) => /^\w+ → [A-Z]/.test(line));

/** Reads the texts of the notes of a session; only of interruptions if a role is given. */
export const notesOf = (dir: string, revision: string, role?: string): unknown[] =>
  recordsOf(dir, revision).flatMap((record) =>
    record.kind === 'note' && (role === undefined || record.role === role) ? [record.content] : [],
  );

/** Lists the endings of sessions, the latest first. */
export const endingsOf = (dir: string): string[] =>
  json<{ commit_type: { kind: string }; message: string }[]>(['log'], { cwd: dir }).map(
    ({ commit_type, message }) => `${commit_type.kind} ${message.split('\n')[0]}`,
  );
