// A head whose message tells of another step than its session.json: nobody builds upon it, and a repair goes back behind it.
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import * as ctx from '../../src/index.ts';
import { errorOf, fsck, makeProject } from '../support/store.ts';

test.each<[what: string, told: (id: string) => string]>([
  ['another number', (id) => `Ctx-Session: ${id}\nCtx-Step: 5`],
  ['a number that is none', (id) => `Ctx-Session: ${id}\nCtx-Step: 2.0`],
  ['another session', (id) => `Ctx-Session: ${id.slice(0, -1)}x\nCtx-Step: 2`],
  ['no session', () => 'Ctx-Step: 2'],
  ['no step at all', (id) => `Ctx-Session: ${id}`],
])('%s', (_what, told) => {
  const { repository, open, store, git } = makeProject();
  const { session_id } = ctx.startSession(repository, 'the task');
  ctx.observeNote(repository, 'flushed');
  const { oid } = ctx.flushStep(repository);
  ctx.observeNote(repository, 'waiting');
  const ref = `refs/sessions/${session_id}`;
  const message = `Step 5\n\n${told(session_id)}\n`;
  const lie = git('commit-tree', '-p', 'STAGE', '-m', message, 'STAGE^{tree}').trim();
  git('update-ref', ref, lie);

  const damaged = { code: 'damaged', hint: 'Restore it with: ctx fsck --repair' };
  for (const use of [ctx.sessionStatus, ctx.flushStep, ctx.compactSession])
    expect(errorOf(() => use(open()))).toMatchObject(damaged);
  expect(git('rev-parse', ref).trim()).toBe(lie);
  expect(checkStore(open()).findings).toContainEqual(
    expect.objectContaining({ severity: 'damage', where: ref, hint: damaged.hint }),
  );

  const { repaired, healthy } = checkStore(open(), { repair: true });
  expect([repaired, healthy]).toEqual([[`Restored ${ref} to ${oid}, the last whole commit that it named.`], true]);
  expect(git('reflog', 'show', ref, '--format=%H')).toContain(lie);
  expect(ctx.flushStep(open())).toMatchObject({ step: 3, flushed: 1 });
  expect(checkStore(open(), { full: true }).healthy).toBe(true);
  expect(fsck(store)).toBe('');
});
