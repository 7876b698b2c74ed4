// Random sequences of commands with transcripts, undo and Git's own maintenance between them: the store stays whole, and
// whatever was acknowledged stays in it.
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { collectGarbage } from '../../src/app/gc.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import type { ErrorCode } from '../../src/core/errors.ts';
import { readSteps } from '../../src/history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { fc } from '../support/property.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { runs } from './fuzz.ts';

/** Errors of a command on a store that is whole. */
const REFUSALS: readonly ErrorCode[] = [
  ...(['no_active_session', 'session_active', 'no_such_move', 'not_found', 'busy', 'invalid_input'] as const),
];

const MAINTENANCE: Record<string, string[]> = {
  gc: ['gc', '--quiet'],
  prune: ['gc', '--quiet', '--prune=now'],
  repack: ['repack', '-adq'],
  'pack refs': ['pack-refs', '--all'],
};

/** Changes to a store; a note is named by its number. */
type Deed = (project: Project, note: (repository: ctx.Repository) => void, pick: number) => unknown;
const DEEDS: Record<string, Deed> = {
  start: ({ repository }) => ctx.startSession(repository, 'a task', { beside: true }),
  replace: ({ repository }) => ctx.startSession(repository, 'another task', { replace: true }),
  note: ({ repository }, note) => note(repository),
  'note and flush': ({ repository }, note) => {
    note(repository);
    ctx.flushStep(repository);
  },
  ask: ({ repository }) => ctx.setState(repository, 'ask', { text: 'Which one?' }),
  compact: ({ repository }) => ctx.compactSession(repository),
  abort: ({ repository }) => ctx.setState(repository, 'abort', { text: 'no', compact: true }),
  cleanup: ({ repository }) => ctx.cleanupStaleSessions(repository, { maxIdle: 0 }),
  switch: ({ repository }, _note, pick) => {
    const open = repository.refs.names(SESSIONS);
    const id = open[pick % Math.max(1, open.length)]?.slice(SESSIONS.length);
    if (id) ctx.switchSession(repository, id);
  },
  ingest: (project, _note, pick) => take(project, pick, false),
  'ingest and compact': (project, _note, pick) => take(project, pick, true),
  undo: ({ repository }) => undoOperations(repository),
  'undo two': ({ repository }) => undoOperations(repository, 2),
  'undo some': ({ repository }, _note, pick) => undoOperations(repository, 3 + (pick % 3)),
  recover: ({ repository }) => ctx.recoverSession(repository),
  ...Object.fromEntries(
    Object.entries(MAINTENANCE).map(([name, words]) => [name, ({ git }: Project) => git(...words)]),
  ),
};

/** Errors are likely around these. */
const OFTEN = ['ingest', 'compact', 'undo', 'undo two', 'note'];

/** Takes one of two transcripts in, which has grown by a message since the last time. */
function take({ repository, folder }: Project, pick: number, compact: boolean): void {
  const file = join(folder, `${pick % 2}.jsonl`);
  const [sessionId, uuid] = [`conversation-${pick % 2}`, crypto.randomUUID()];
  const message = { role: 'user', content: `Say ${uuid}` };
  const timestamp = '2026-01-22T00:00:00.000Z';
  appendFileSync(file, `${JSON.stringify({ type: 'user', uuid, parentUuid: null, sessionId, timestamp, message })}\n`);
  ctx.ingestTranscript(repository, file, { compact });
}

/** Texts of all notes in chains that a ref names; what waits is taken into them first. */
function notesOf({ open }: Project): Set<string> {
  ctx.recoverSession(open());
  const repository = open();
  const found = new Set<string>();
  for (const prefix of [SESSIONS, ARCHIVE])
    for (const [ref, head] of repository.refs.list(prefix)) {
      if (prefix === SESSIONS) ctx.flushStep(open({ session: ref.slice(prefix.length) }), { allowEmpty: true });
      for (const { records } of readSteps(repository.objects, open().refs.read(ref) ?? head, true))
        for (const { content } of records) if (/^note \d+$/.test(String(content))) found.add(String(content));
    }
  return found;
}

test('the store stays whole, and keeps every note', async () => {
  const done = new Map<string, number>();
  // A few deeds again and again meet each other in more ways than all of them once.
  const few = fc.subarray(Object.keys(DEEDS), { maxLength: 3 }).map((names) => [...OFTEN, ...names]);
  const sequence = few.chain((names) =>
    fc.array(fc.record({ name: fc.constantFrom(...names), pick: fc.nat(11) }), {
      minLength: 8,
      maxLength: 16,
      size: 'max',
    }),
  );
  await fc.assert(
    fc.asyncProperty(sequence, async (steps) => {
      const project = makeProject();
      const notes: string[] = [];
      const note = (repository: ctx.Repository): void => {
        const text = `note ${notes.length}`;
        ctx.observeNote(repository, text);
        notes.push(text);
      };
      for (const { name, pick } of steps) {
        const answer = codeOf(() => DEEDS[name]?.({ ...project, repository: project.open() }, note, pick));
        expect([...REFUSALS, 'done'], `${name}: ${answer}`).toContain(answer);
        done.set(`${name} ${answer}`, (done.get(`${name} ${answer}`) ?? 0) + 1);
        const { findings } = checkStore(project.open());
        expect(findings.filter(({ severity }) => severity === 'damage')).toEqual([]);
      }
      await collectGarbage(project.open(), { withoutGit: true });
      expect([...notesOf(project)].sort()).toEqual([...notes].sort());
      expect(checkStore(project.open(), { full: true }).healthy).toBe(true);
      expect(fsck(project.store)).toBe('');
    }),
    runs(25),
  );
  for (const name of [...OFTEN, 'prune']) expect([name, done.get(`${name} done`) ?? 0]).not.toEqual([name, 0]);
});

function codeOf(call: () => unknown): string {
  try {
    call();
    return 'done';
  } catch (error) {
    return error instanceof ctx.CtxError ? error.code : String(error);
  }
}
