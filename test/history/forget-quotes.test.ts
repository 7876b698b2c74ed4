// Forgetting takes the subjects of commits that go out of every reflog that quotes them, whoever's ref it is.
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { forget } from '../../src/app/forget/forget.ts';
import { checkStore } from '../../src/app/fsck.ts';
import { compactSession } from '../../src/app/session/compact.ts';
import { flushStep } from '../../src/app/session/flush.ts';
import { observeNote } from '../../src/app/session/observe.ts';
import { startSession } from '../../src/app/session/start.ts';
import { undoOperations } from '../../src/app/undo/undo.ts';
import { fsck, makeProject, type Project } from '../support/store.ts';
import { tracesOf } from '../support/traces.ts';

const SUBJECT = 'Merger with ACME  Secretco, ÄÖ';

/** A session whose commit has a subject, and a reflog of the user's in which a message stands. */
function saved(message = SUBJECT): Project & { id: string; head: string } {
  const project = makeProject();
  startSession(project.repository, 'the task');
  observeNote(project.repository, 'a note');
  flushStep(project.repository);
  const { session_id, oid } = compactSession(project.repository, { message });
  return { ...project, id: session_id, head: oid as string };
}

/** Reads a line of the user's own reflog after the session is forgotten. */
function afterwards(of: Project & { id: string; head: string }, ...messages: string[]): string[] {
  const log = join(of.store, 'logs/refs/heads/mine');
  of.git('update-ref', '--create-reflog', 'refs/heads/mine', of.head);
  for (const message of messages) appendFileSync(log, `${of.head} ${of.head} a <a@b> 1769040000 +0000\t${message}\n`);
  forget(of.open(), { id: of.id });
  expect(fsck(of.store)).toBe('');
  expect(checkStore(of.open(), { full: true }).findings).toEqual([]);
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-messages.length);
  return lines.map((line) => line.slice(line.indexOf('\t') + 1));
}

describe('the subject of a commit that goes', () => {
  it('leaves the reflog of a tag', () => {
    const of = saved();
    of.git('tag', 'v1', 'main');
    of.git('tag', '-a', '-m', 'mine', 'v2', 'main');
    const log = (): string => readFileSync(join(of.store, 'logs/refs/tags/v1'), 'utf8');
    expect(log()).toMatch(/\ttag: tagging [0-9a-f]{7,} \(Merger with ACME Secretco, ÄÖ, /);
    expect(forget(of.open(), { id: of.id }).reflog_lines).toBeGreaterThan(2);
    expect(tracesOf(of.store, 'Secretco', of.head.slice(0, 7))).toEqual([]);
    const tip = of.git('rev-parse', '--short', 'v1').trim();
    expect(log()).toContain(`\ttag: tagging ${tip} ([forgotten], `);
    expect(fsck(of.store)).toBe('');
  });

  it('leaves every message that quotes it, and each keeps the rest of its words', () => {
    const plain = SUBJECT.replace('  ', ' ');
    expect(
      afterwards(
        saved(),
        `commit: ${plain}`,
        `commit (amend): ${plain}`,
        `cherry-pick: ${plain}`,
        `revert: Revert "${plain}"`,
        `merge side: ${plain} (again), ${plain}`,
        'commit: Merger with ACME',
      ),
    ).toEqual([
      'commit: [forgotten]',
      'commit (amend): [forgotten]',
      'cherry-pick: [forgotten]',
      'revert: Revert "[forgotten]"',
      'merge side: [forgotten] (again), [forgotten]',
      'commit: Merger with ACME',
    ]);
  });

  it('of one word leaves the places of subjects alone', () => {
    expect(afterwards(saved('undo'), 'commit: undo', 'undo', 'commit: undo it', 'x: redo (undo, 2026)')).toEqual([
      'commit: [forgotten]',
      'undo',
      'commit: undo it',
      'x: redo ([forgotten], 2026)',
    ]);
  });

  it('leaves a log that is read before the one that names its commit', () => {
    const of = saved();
    undoOperations(of.open());
    compactSession(of.open(), { message: 'Nothing to tell' });
    const other = of.git('commit-tree', '-m', 'mine', 'main~1^{tree}').trim();
    of.git('update-ref', '--create-reflog', '-m', `seen: ${SUBJECT}`, 'refs/heads/early', other);
    forget(of.open(), { id: of.id });
    expect(tracesOf(of.store, 'Secretco')).toEqual([]);
    expect(readFileSync(join(of.store, 'logs/refs/heads/early'), 'utf8')).toContain('\tseen: [forgotten]\n');
  });

  it('leaves what Git keeps of a message that was being written', () => {
    const of = saved();
    writeFileSync(join(of.store, 'COMMIT_EDITMSG'), `${SUBJECT}\n`);
    writeFileSync(join(of.store, 'MERGE_MSG'), 'Another subject\n');
    expect(forget(of.open(), { id: of.id }).files).toEqual(['COMMIT_EDITMSG']);
    expect(tracesOf(of.store, 'Secretco')).toEqual([]);
  });
});
