// Forgetting in a store that is not alone, or not as it should be: it waits for no pipe, and takes no pack from Git.
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { activeSession } from '../../src/app/session/active.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { sessionRef } from '../../src/history/names/layout.ts';
import { errorOf, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const WORD = 'Zwiebelkuchen';

function telling(): Project {
  const project = makeProject();
  startSession(project.repository, 'A task');
  observeNote(project.repository, `A ${WORD} for all`);
  flushStep(project.repository);
  return project;
}

it.each([
  ['a link', (path: string) => symlinkSync('/dev/null', path)],
  ['a pipe', (path: string) => spawnSync('mkfifo', [path])],
])('%s among the reflogs is refused before anything is read', (_name, make) => {
  const project = telling();
  const path = join(project.store, 'logs', 'refs', 'heads', 'strange');
  make(path);
  for (const dryRun of [true, false])
    expect(errorOf(() => forget(project.open(), { text: WORD }, { dryRun })).code).toBe('unsupported_store');
  rmSync(path);
  forget(project.open(), { text: WORD });
  expect(tracesOf(project.store, WORD)).toEqual([]);
});

it('leaves a pack that Git is about to name an index for, and takes what is left of an old one', async () => {
  const project = telling();
  await collectGarbage(project.repository);
  const pack = (letter: string): string => join(project.store, 'objects', 'pack', `pack-${letter.repeat(40)}.pack`);
  for (const letter of ['a', 'b']) writeFileSync(pack(letter), 'PACK');
  utimesSync(pack('b'), 1, 1);
  forget(project.open(), { text: WORD });
  expect([existsSync(pack('a')), existsSync(pack('b'))]).toEqual([true, false]);
  expect(tracesOf(project.store, WORD)).toEqual([]);
});

it('a folder that somebody has put where forgettings are staged is in nobody’s way, and is kept', () => {
  const project = telling();
  mkdirSync(join(project.store, 'forgetting', 'mine'), { recursive: true });
  writeFileSync(join(project.store, 'forgetting', 'mine', 'text'), 'of mine');
  forget(project.open(), { text: WORD });
  expect(tracesOf(project.store, WORD)).toEqual([]);
  expect(existsSync(join(project.store, 'forgetting'))).toBe(false);
  const [kept = ''] = readdirSync(join(project.store, 'lost'));
  expect(readFileSync(join(project.store, 'lost', kept, 'text'), 'utf8')).toBe('of mine');
});

it.each(['the current one', 'one beside it'])('an open session whose ref is packed is forgotten, %s', (which) => {
  const project = telling();
  const { session_id } = activeSession(project.repository)?.session ?? { session_id: '' };
  if (which === 'one beside it') startSession(project.repository, 'Another task', { beside: true });
  project.git('pack-refs', '--all');
  forget(project.open(), { id: session_id });
  expect(tracesOf(project.store, WORD)).toEqual([]);
  expect(project.open().refs.read(sessionRef(session_id))).toBe(null);
  project.git('fsck', '--strict', '--full');
  startSession(project.open(), 'The next task', { replace: true });
});

it('what only the user can remove is named, also if nothing else is left of it', () => {
  const project = telling();
  project.git('branch', WORD, 'main');
  forget(project.open(), { text: WORD });
  expect(errorOf(() => forget(project.open(), { text: WORD }))).toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(/^What is left of it in this store is not ctx's to remove: refs\/heads\//),
  });
});
