/** Checks a canonical commit's documents: generated again from the chain, they must be the same. */
import type { Commit } from '../../core/commit.ts';
import { isCommitTypeKind } from '../../core/commit-types/table.ts';
import { CtxError } from '../../core/errors.ts';
import type { StoredRecord } from '../../core/records/record.ts';
import { SUMMARIES, type Summaries } from '../../core/session/compaction.ts';
import { isEnding } from '../../core/session/schema.ts';
import type { Ending } from '../../core/session/session.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { writeCanonical } from '../../history/chain/canonical.ts';
import { readChain, readCommit, readRecords, walkChain } from '../../history/chain/chain.ts';
import { scratchStore } from '../../history/chain/files-tree.ts';
import { readSession } from '../../history/chain/session-document.ts';
import { damage, type Finding } from '../finding.ts';
import { digestAlong, LINES } from './digest.ts';

/** Checks them. @param work head of a chain whose steps all exist */
export function* verifyRemade(
  objects: ObjectStore,
  commit: Commit,
  work: string,
  where: string,
  hint: string,
  summaries: Summaries = SUMMARIES,
): Generator<Finding> {
  const [parent] = commit.parents;
  const { ended, forgotten_at } = readSession(objects, commit.tree, where);
  // A missing ending is reported by another check.
  if (parent === undefined || !isEnding(ended)) return;
  const found = namesOf(objects, commit.tree);
  const made = remade(objects, found, { parent, work, ended }, summaries);
  if (made === null) return;
  if (commit.author !== made.author)
    yield damage('history', where, `its author is ${commit.author}, and that of its session ${made.author}`, hint);
  if (forgotten_at === undefined) yield* verifyChanged(objects, work, ended.files_changed, made.changed, where, hint);
  // A missing file is reported by another check.
  for (const name of ['summary.md', ...LINES, 'payload'])
    if (found.has(name) && made.isKnown(name) && found.get(name) !== made.names.get(name))
      yield damage('history', where, `its ${name} is not what its chain makes of it`, hint);
}

/** A canonical commit as generated from its chain. */
interface Remade {
  author: string;
  /** Object ids in its tree, by name. */
  names: ReadonlyMap<string, string>;
  /** Number of changed files. */
  changed: number;
  /** Returns whether this ctx can generate a file of that name: a newer ctx may render summaries in another way. */
  isKnown: (name: string) => boolean;
}

/** Generates a commit again, in memory; returns null if a step cannot be read, which is reported separately. */
function remade(
  objects: ObjectStore,
  found: ReadonlyMap<string, string>,
  { parent, work, ended }: { parent: string; work: string; ended: Ending },
  summaries: Summaries,
): Remade | null {
  const { type, message, at, summary_version = 1 } = ended;
  const scratch = scratchStore(objects);
  try {
    const [digest, lines] = digestAlong(objects, work, found);
    const chain = readChain(objects, work);
    const input = { parent, chain, type, message, at, summary_version };
    const made = readCommit(scratch, writeCanonical(scratch, input, digest, summaries));
    const names = namesOf(scratch, made.tree);
    for (const name of LINES) names.delete(name);
    for (const [name, oid] of lines) names.set(name, oid);
    const isRendered = isCommitTypeKind(type.kind) && summaries.renderers.has(summary_version);
    const isKnown = (name: string): boolean => name !== 'summary.md' || isRendered;
    return { author: made.author, names, changed: digest.changed.size, isKnown };
  } catch (error) {
    if (error instanceof CtxError && ['damaged', 'newer_version'].includes(error.code)) return null;
    throw error;
  }
}

/** Compares the number of changed files; a forgotten file may still be counted. */
function* verifyChanged(
  objects: ObjectStore,
  work: string,
  told: number,
  changed: number,
  where: string,
  hint: string,
): Generator<Finding> {
  if (told === changed || (told > changed && told <= changed + forgottenChanges(objects, work))) return;
  yield damage('history', where, `it says that ${told} files changed, and its chain says ${changed}`, hint);
}

const namesOf = (objects: ObjectStore, tree: string): Map<string, string> =>
  new Map(readTree(objects, tree).map(({ name, oid }) => [name, oid]));

/** Returns the number of forgotten records of changed files in a chain. */
function forgottenChanges(objects: ObjectStore, head: string): number {
  const isGone = ({ kind, was }: StoredRecord): boolean =>
    kind === 'forgotten' && (was === 'write' || was === 'delete');
  let gone = 0;
  for (const [oid, { tree }] of walkChain(objects, head))
    gone += readRecords(objects, tree, `step ${oid}`, false).filter(isGone).length;
  return gone;
}
