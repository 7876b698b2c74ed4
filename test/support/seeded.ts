/** A session in a project whose files are full of secrets, and commands that are killed while they write them. */
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { NOON, type Repo, run, session } from './cli.ts';
import { leaks, SEEDED, seededBatch, seededTranscript, TOKEN, VARIABLE } from './seeds.ts';

const FAULT = fileURLToPath(new URL('../torture/fault.cjs', import.meta.url));

/** The task of the session that is not the current one. */
export const TASK = 'The first task';

/** Makes two sessions that have met all seeded secrets. */
export function seededSession(): Repo {
  const repo = session(TASK, { now: NOON, env: VARIABLE });
  for (const name of ['client.ts', '.env', `${TOKEN}.txt`]) repo.write(name, SEEDED);
  repo.write('picture', `\0${SEEDED}`);
  repo.write('transcript.jsonl', seededTranscript());
  expect(repo.run(['observe', 'note', SEEDED])).toMatchObject({ code: 0 });
  expect(repo.run(['stage', 'start', '--beside', SEEDED])).toMatchObject({ code: 0 });
  expect(repo.run(['observe', 'read', 'client.ts', '.env', 'picture', `${TOKEN}.txt`])).toMatchObject({ code: 0 });
  return repo;
}

/** Lines that write a lot, by the names of their commands. */
export const KILLED: [name: string, line: string[], input?: string][] = [
  ['observe note', ['observe', 'note', '-'], `${SEEDED}${'x '.repeat(20_000)}`],
  ['observe batch', ['observe', 'batch'], seededBatch()],
  ['observe read', ['observe', 'read', 'client.ts', `${TOKEN}.txt`]],
  ['stage ask', ['stage', 'ask', SEEDED]],
  ['stage compact', ['stage', 'compact', '-m', SEEDED]],
  ['ingest', ['ingest', 'transcript.jsonl']],
];

/** Decides how a line is killed at a call: in place of the call, or when half of what the call writes is written. */
export const modeAt = (at: number): 'kill' | 'torn' => (at % 2 === 1 ? 'kill' : 'torn');

/** Runs a line in a copy of a project and kills it at a call, after which no secret is on the disk; false if the line ended before. */
export function isKilledCleanly(project: Repo, at: number, line: readonly string[], input?: string): boolean {
  const repo = project.copy();
  const env = { TORTURE_STORE: repo.store, TORTURE_AT: String(at), NODE_OPTIONS: `-r ${FAULT}` };
  const options = { cwd: repo.dir, now: NOON, input, env: { ...VARIABLE, ...env, TORTURE_MODE: modeAt(at) } };
  const { code } = run(line, options);
  expect(leaks(repo.store), `${modeAt(at)} ${at}`).toEqual([]);
  return code === null;
}
