// `rewind --both`, and the undo of one, killed at each call: the conversation and the files are as before, or as asked once the next command has run.

import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { NOON, type Repo, run, session } from '../support/cli.ts';

const FAULT = fileURLToPath(new URL('fault.cjs', import.meta.url));

const FILES = ['a.txt', 'b.txt', 'new/n.txt'];
const filesOf = ({ dir }: Repo): string =>
  FILES.map((path) => (existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : '-')).join('|');
const messagesOf = (repo: Repo): string =>
  repo
    .json<{ id: string }[]>(['messages'])
    .map(({ id }) => id)
    .join(' ');

function talked(): Repo {
  const repo = session('The task', { now: NOON });
  repo.write('.ctx/settings.json', '{"fsync":false,"snapshots":true}');
  repo.write('a.txt', 'one\n');
  repo.write('b.txt', 'two\n');
  const say = (role: string, id: string): void => {
    const message = JSON.stringify({ id, parts: [{ type: 'text', text: id }] });
    expect(repo.run(['messages', 'append', '--role', role, message])).toMatchObject({ code: 0 });
  };
  say('user', 'question');
  repo.write('a.txt', 'changed\n');
  rmSync(join(repo.dir, 'b.txt'));
  repo.write('new/n.txt', 'new\n');
  say('assistant', 'answer');
  return repo;
}

const BEFORE = 'changed\n|-|new\n question answer';
const AFTER = 'one\n|two\n|- question';
const REWIND = ['rewind', '--both', 'question'];

test.each([
  { words: REWIND, base: talked, states: [BEFORE, AFTER] },
  {
    words: ['undo'],
    base: () => {
      const repo = talked();
      expect(repo.run(REWIND, { now: NOON })).toMatchObject({ code: 0 });
      return repo;
    },
    states: [AFTER, BEFORE],
  },
])(
  '$words.0 of the files, killed, leaves them as before or is finished by the next command',
  {
    timeout: 900_000,
  },
  ({ words, base: make, states }) => {
    const base = make();
    const seen = new Set<string>();
    for (let at = 1; at < 500; at += 1) {
      const repo = base.copy();
      const env = {
        TORTURE_STORE: repo.dir,
        TORTURE_AT: String(at),
        TORTURE_MODE: 'kill',
        NODE_OPTIONS: `-r ${FAULT}`,
      };
      const { code } = run(words, { cwd: repo.dir, now: NOON, env });
      const isBetween = existsSync(join(repo.store, 'snapshots/restore.json'));
      const named = run(['stage', 'status'], { cwd: repo.dir, now: NOON }).stderr;
      expect(named.includes('A rewind of files was interrupted'), `kill ${at}`).toBe(isBetween);
      run(['observe', 'note', 'Next'], { cwd: repo.dir, now: NOON });
      const now = `${filesOf(repo)} ${messagesOf(repo)}`;
      expect(states, `kill ${at}`).toContain(now);
      seen.add(now);
      if (code !== null) break;
    }
    expect([...seen]).toEqual(states);
  },
);
