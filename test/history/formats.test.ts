// Tests that formats of a newer ctx are read as far as they can be, named as unknown, and no damage.
import { expect, test } from 'vitest';
import { checkStore } from '../../src/app/fsck.ts';
import { SUMMARIES, type Summaries, summaryMarkdown } from '../../src/core/session/compaction.ts';
import { MAIN } from '../../src/git/layout.ts';
import type { Finding } from '../../src/health/finding.ts';
import { verifyRemade } from '../../src/health/verify/regenerated.ts';
import { writeCanonical } from '../../src/history/chain/canonical.ts';
import { readChain, readCommit } from '../../src/history/chain/chain.ts';
import { readSession } from '../../src/history/chain/session-document.ts';
import { archiveRef } from '../../src/history/names/layout.ts';
import * as ctx from '../../src/index.ts';
import { forge } from '../support/forge.ts';
import { makeHistory } from '../support/history.ts';

/** A saved session with a file and a note. */
function scene() {
  const { repository, store, write } = makeHistory();
  const { session_id } = ctx.startSession(repository, 'Fix the retry');
  write('a.txt', 'one\n');
  ctx.observeNote(repository, 'Checked');
  ctx.compactSession(repository, { message: 'Fixed the retry' });
  return { repository, session_id, ...forge({ repository, store }) };
}

/** Renderers of a later ctx, which has other headings. */
const LATER: Summaries = {
  current: 3,
  renderers: new Map([
    ...SUMMARIES.renderers,
    [3, (...given) => summaryMarkdown(...given).replace('**Task:**', '**What was asked:**')],
  ]),
};

/** Checks the last canonical commit against its chain. */
function remade({ repository, session_id, head, commit }: ReturnType<typeof scene>, summaries?: Summaries): Finding[] {
  const work = repository.refs.read(archiveRef(session_id)) as string;
  return [...verifyRemade(repository.objects, commit(head(MAIN)), work, 'commit', '', summaries)];
}

test('the version of a summary is kept, and a store of either version is whole to either ctx', () => {
  const of = scene();
  const { objects, refs } = of.repository;
  expect(JSON.parse(of.text(of.head(MAIN), 'session.json')).ended).not.toHaveProperty('summary_version');
  expect(remade(of, LATER)).toEqual([]);

  const archive = archiveRef(of.session_id);
  const chain = readChain(objects, refs.read(archive) as string, archive);
  const [parent = ''] = of.commit(of.head(MAIN)).parents;
  const { ended } = readSession(objects, of.commit(of.head(MAIN)).tree, MAIN);
  if (!ended) throw new Error('It has no ending.');
  of.point(MAIN, writeCanonical(objects, { ...ended, parent, chain }, undefined, LATER));
  expect(of.text(of.head(MAIN), 'summary.md')).toContain('**What was asked:** Fix the retry');
  expect(JSON.parse(of.text(of.head(MAIN), 'session.json')).ended.summary_version).toBe(3);
  expect(remade(of, LATER)).toEqual([]);
  expect(checkStore(of.repository)).toMatchObject({ healthy: true, findings: [] });
});

test('a summary of a known version with other words is damage', () => {
  const of = scene();
  of.replace(MAIN, (oid) => of.like(oid, { tree: of.treeWith(oid, 'summary.md', { oid: of.blob('# Another\n') }) }));
  expect(checkStore(of.repository).findings).toMatchObject([
    { severity: 'damage', message: 'its summary.md is not what its chain makes of it' },
  ]);
});

/** Makes the last commit one of a type that this ctx does not know. */
function handOver(of: ReturnType<typeof scene>): string {
  of.resay(MAIN, (document) => {
    document['ended'] = { ...(document['ended'] as object), type: { kind: 'HandedOver', to: 'Ann' } };
  });
  return of.replace(MAIN, (oid) =>
    of.like(oid, {
      message: `${of.commit(oid).message.replace('Ctx-Type: Normal', 'Ctx-Type: HandedOver').trimEnd()}\nCtx-Receiver: Ann\n`,
    }),
  );
}

test('a commit type that is not known is named as unknown', () => {
  const of = scene();
  const oid = handOver(of);
  const unknown = { kind: 'Unknown', type: 'HandedOver' };
  const [entry] = [...ctx.readLog(of.repository)];
  expect(entry).toMatchObject({ oid, commit_type: unknown, session_id: of.session_id, message: 'Fixed the retry' });
  expect(ctx.showRevision(of.repository, 'HEAD')).toMatchObject({ oid, commit_type: unknown });
  const { healthy, findings } = checkStore(of.repository);
  expect(findings).toMatchObject([
    { severity: 'note', kind: 'version', where: `commit ${oid}`, message: expect.stringContaining('HandedOver') },
  ]);
  expect(healthy).toBe(true);
});

test('a commit type that only a trailer names is damage, and unknown to the log', () => {
  const of = scene();
  of.replace(MAIN, (oid) => of.like(oid, { message: of.commit(oid).message.replace('Normal', 'HandedOver') }));
  expect(checkStore(of.repository).findings).toContainEqual(
    expect.objectContaining({ severity: 'damage', message: 'its Ctx-Type says HandedOver' }),
  );
});

test('what is forgotten goes from a commit of a later ctx, too', () => {
  const of = scene();
  handOver(of);
  of.replace(MAIN, (oid) => of.like(oid, { message: of.commit(oid).message.replace('Ann', 'Checked') }));
  ctx.forget(of.repository, { text: 'Checked' });
  const oid = of.repository.refs.read(MAIN) as string;
  expect(readCommit(of.repository.objects, oid).message).not.toContain('Checked');
  expect(of.text(oid, 'summary.md')).not.toContain('Checked');
  expect(of.text(oid, 'summary.md')).toContain('**How it ended:** Ended as HandedOver.');
});
