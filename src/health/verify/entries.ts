/** Checks the names and modes in a commit's tree: those of the format, and no others. */
import type { Commit } from '../../core/commit.ts';
import { isTree } from '../../core/tree.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { damage, type Finding } from '../finding.ts';

const FILE = '100644';
const FOLDER = '40000';

/** Names in a tree with their modes; those that end in a question mark are optional. A newer format has a newer version. */
const STEP = { 'session.json': FILE, 'step.jsonl': FILE, 'payload?': FOLDER, 'files?': FOLDER };
const SAVED = {
  'session.json': FILE,
  'summary.md': FILE,
  'notes.jsonl': FILE,
  'edges.jsonl': FILE,
  'payload?': FOLDER,
  'files?': FOLDER,
};

/**
 * Checks the tree of a step.
 * @param ids its records: an entry under `payload/` belongs to one of them or to session.json, or is `paths/`
 */
export function* verifyStepEntries(
  objects: ObjectStore,
  { tree }: Commit,
  ids: Set<string>,
  where: string,
  hint: string,
): Generator<Finding> {
  yield* verifyNames(objects, tree, STEP, where, hint);
  yield* verifyPayloadNames(objects, tree, (name) => name === 'paths' || ids.has(ownerOf(name)), where, hint);
}

export function* verifySavedEntries(
  objects: ObjectStore,
  { tree }: Commit,
  where: string,
  hint: string,
): Generator<Finding> {
  yield* verifyNames(objects, tree, SAVED, where, hint);
  yield* verifyPayloadNames(objects, tree, () => false, where, hint);
}

function* verifyNames(
  objects: ObjectStore,
  tree: string,
  known: Record<string, string>,
  where: string,
  hint: string,
): Generator<Finding> {
  const modes = new Map(Object.entries(known));
  const found = new Set<string>();
  for (const { name, mode } of readTree(objects, tree)) {
    const expected = modes.get(name) ?? modes.get(`${name}?`);
    found.add(name);
    if (expected === undefined) yield damage('tree', where, `${JSON.stringify(name)} does not belong into it`, hint);
    else if (mode !== expected) yield damage('tree', where, `its ${name} has the mode ${mode}, not ${expected}`, hint);
  }
  for (const name of modes.keys())
    if (!name.endsWith('?') && !found.has(name)) yield damage('tree', where, `it has no ${name}`, hint);
}

function* verifyPayloadNames(
  objects: ObjectStore,
  tree: string,
  belongs: (name: string) => boolean,
  where: string,
  hint: string,
): Generator<Finding> {
  const folder = readTree(objects, tree).find((entry) => entry.name === 'payload' && isTree(entry));
  for (const { name, mode } of folder ? readTree(objects, folder.oid) : []) {
    const isKnown = name.startsWith('session-') ? mode === FILE : belongs(name);
    if (isKnown) continue;
    yield damage('tree', where, `nothing in it has a payload ${JSON.stringify(name)}`, hint);
  }
}

/** Returns the record of a payload, by its name. */
const ownerOf = (name: string): string => /^(.{36})[-.]/.exec(name)?.[1] ?? '';
