// The head of an open session is there, and what nobody can read it without is gone: the session goes back to its last whole step.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { OR_FETCH } from '../../src/core/errors.ts';
import { loosePath } from '../../src/git/objects/loose.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject, type Project, ROOT } from '../support/store.ts';

/** An open session of three steps, and a record that waits. */
function scene(): Project & { ref: string; head: string; before: string } {
  const project = makeProject();
  const { repository, git } = project;
  const { session_id } = ctx.startSession(repository, 'the task');
  for (const note of ['one', 'two']) {
    ctx.observeNote(repository, note);
    ctx.flushStep(repository);
  }
  ctx.observeNote(repository, 'waiting');
  const [head, before] = git('rev-list', 'STAGE').trim().split('\n') as [string, string];
  return { ...project, ref: `refs/sessions/${session_id}`, head, before };
}

describe.each([['^{tree}'], [':step.jsonl']])('its %s', (part) => {
  test.each<[how: string, spoil: (path: string) => void]>([
    ['gone', (path) => rmSync(path)],
    ['torn', (path) => writeFileSync(path, '')],
  ])('%s: a repair goes back, keeps what the ref said, and the session continues', (how, spoil) => {
    const { open, store, git, ref, head, before } = scene();
    const oid = git('rev-parse', `${head}${part}`).trim();
    const path = loosePath(join(store, 'objects'), oid);
    const object = readFileSync(path);
    rmSync(path);
    writeFileSync(path, object);
    spoil(path);
    expect(errorOf(() => ctx.flushStep(open())).code).toBe('damaged');
    if (how === 'gone')
      expect(checkStore(open()).findings[0]?.hint).toBe(
        `If you can, ${OR_FETCH}. If you cannot: ctx fsck --repair, which goes back to ${before}, the last whole step before it`,
      );

    const { repaired, healthy } = checkStore(open(), { repair: true, full: true });
    expect(healthy).toBe(true);
    expect(repaired.at(-1)).toBe(
      `Set ${ref} back to ${before}, the last whole step before it: ${oid}, which ${head} needs, is gone from the store, and what was recorded since is lost. What the ref and its reflog said is in lost/.`,
    );
    const kept = readdirSync(join(store, 'lost')).map((name) => readFileSync(join(store, 'lost', name), 'latin1'));
    expect(kept.filter((text) => text.includes(head))).toHaveLength(2);
    expect(ctx.flushStep(open())).toMatchObject({ step: 3, flushed: 1 });
    expect(checkStore(open(), { full: true }).healthy).toBe(true);
    expect(fsck(store)).toBe('');

    // A commit that comes back from a backup is reported, and nothing moves for it.
    writeFileSync(path, object);
    expect(checkStore(open(), { repair: true }).findings).toMatchObject([
      { severity: 'note', message: expect.stringContaining(head) },
    ]);
    expect(git('rev-parse', `${ref}~`).trim()).toBe(before);
  });
});

test('the head of a saved session stays, whatever is gone of it', () => {
  const { open, store, git, head } = scene();
  ctx.flushStep(open());
  const { session_id, work } = ctx.compactSession(open());
  rmSync(loosePath(join(store, 'objects'), git('rev-parse', `${work}:step.jsonl`).trim()));
  const { repaired, healthy } = checkStore(open(), { repair: true });
  expect([repaired, healthy]).toEqual([[], false]);
  expect(git('rev-parse', `refs/archive/${session_id}`).trim()).toBe(work);
  expect(work).not.toBe(head);
});

test.each([1, 2])(
  'steps that one command has made are gone back one by one, though its ref has named none of them: %i',
  (steps) => {
    const { repository, open, store, git, folder } = makeProject();
    const lines = readFileSync(join(ROOT, 'fixtures', 'claude-code', 'damaged.jsonl'), 'utf8').split(/(?<=\n)/);
    const transcript = join(folder, 't.jsonl');
    if (steps === 2) {
      writeFileSync(transcript, lines.slice(0, 5).join(''));
      ctx.ingestTranscript(repository, transcript);
    }
    writeFileSync(transcript, lines.join(''));
    ctx.ingestTranscript(open(), transcript);
    const [ref = ''] = git('for-each-ref', '--format=%(refname)', 'refs/sessions').trim().split('\n');
    const [, before] = git('rev-list', '--first-parent', ref).trim().split('\n');
    expect(readFileSync(join(store, 'logs', ref), 'utf8')).not.toContain(before);
    rmSync(loosePath(join(store, 'objects'), git('rev-parse', `${ref}:step.jsonl`).trim()));
    const { repaired, healthy } = checkStore(open(), { repair: true, full: true });
    expect([repaired.at(-1)?.split(':')[0], healthy]).toEqual([
      `Set ${ref} back to ${before}, the last whole step before it`,
      true,
    ]);
    expect(checkStore(open(), { full: true }).findings).toEqual([]);
    expect(fsck(store)).toBe('');
  },
);

test('if nothing but the session.json of the head is gone, its records are not left behind', () => {
  const { open, store, git, ref, head } = scene();
  // With the step before it whole it would be made anew.
  for (const part of [':session.json', '~:session.json', '~:step.jsonl'])
    rmSync(loosePath(join(store, 'objects'), git('rev-parse', head + part).trim()));
  const { healthy } = checkStore(open(), { repair: true });
  expect([healthy, git('rev-parse', ref).trim()]).toEqual([false, head]);
});
