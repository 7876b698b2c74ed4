/** Checks of what a canonical commit tells of its session: it is made anew from the chain, and must come out the same. */
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

/** @param work head of a chain whose steps are all there */
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
  // What does not say how it ended is named by another check.
  if (parent === undefined || !isEnding(ended)) return;
  const found = namesOf(objects, commit.tree);
  const made = remade(objects, found, { parent, work, ended }, summaries);
  if (made === null) return;
  if (commit.author !== made.author)
    yield damage('history', where, `its author is ${commit.author}, and that of its session ${made.author}`, hint);
  if (forgotten_at === undefined) yield* verifyChanged(objects, work, ended.files_changed, made.changed, where, hint);
  // What is missing is named by another check.
  for (const name of ['summary.md', ...LINES, 'payload'])
    if (found.has(name) && made.isKnown(name) && found.get(name) !== made.names.get(name))
      yield damage('history', where, `its ${name} is not what its chain makes of it`, hint);
}

/** A canonical commit as its chain makes it. */
interface Remade {
  author: string;
  /** Object ids in its tree, by name. */
  names: ReadonlyMap<string, string>;
  /** How many files changed. */
  changed: number;
  /** Whether this ctx knows how a file of that name is made: a newer one may render summaries in another way. */
  isKnown: (name: string) => boolean;
}

/** Makes a commit anew, in memory alone; null where a step cannot be read, which is named where it stands. */
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

/** Of a file that was changed and forgotten nobody can tell any more which one it was: it may count still. */
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

/** How many records of changed files were forgotten in a chain. */
function forgottenChanges(objects: ObjectStore, head: string): number {
  const isGone = ({ kind, was }: StoredRecord): boolean =>
    kind === 'forgotten' && (was === 'write' || was === 'delete');
  let gone = 0;
  for (const [oid, { tree }] of walkChain(objects, head))
    gone += readRecords(objects, tree, `step ${oid}`, false).filter(isGone).length;
  return gone;
}
