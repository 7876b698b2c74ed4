/** Yields every text in a store, for searches whose target is not known yet. */
import { type JsonValue, parseJson } from '../../core/json.ts';
import { type Entry, everyEntry, filesBelow } from '../../git/entries.ts';
import { type Layout, RECORD_LIMIT } from '../../git/layout.ts';
import { readIfWhole } from '../../git/objects/object-lookup.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import { isChunked } from '../../git/objects/payload.ts';
import { readTree } from '../../git/objects/tree-editor.ts';
import { wholeReflog } from '../../git/refs/reflog.ts';
import { below } from '../../platform/below.ts';
import { exists, readIfThere } from '../../platform/files.ts';
import { throwResourceError } from '../../platform/resource-errors.ts';
import { readPending, sessionsWithPending } from '../pending/pending.ts';
import type { Repository } from '../store/repository.ts';
import { inflatedOf, stretchesOf } from './content-match.ts';
import { ownerOf, strangePart } from './file-owner.ts';
import { withPendingObjects } from './pending.ts';
import { allOids } from './store-listing.ts';

/** Overlap of consecutive chunks of a large content, in bytes: no match is longer. */
const OVERLAP = 64 * 1024;

/** Yields each text, and each JSON value in it; some several times. @throws {CtxError} damaged */
export function* everyText(repository: Repository): Generator<JsonValue> {
  const { layout } = repository;
  const objects = withPendingObjects(repository, repository.objects);
  const seen = new Set<string>();
  for (const oid of allOids(layout)) {
    if (seen.has(oid)) continue;
    seen.add(oid);
    yield* textsOfObject(objects, oid);
  }
  for (const session of sessionsWithPending(repository)) {
    for (const { record, objects: needed } of readPending(repository, session)) {
      yield record as unknown as JsonValue;
      for (const oid of needed) yield* textsOfObject(objects, oid);
    }
  }
  for (const name of filesBelow(layout, 'logs')) yield* textsOf(wholeReflog(layout.root, name));
  for (const name of filesBelow(layout, 'oplog'))
    yield* textsOf(readIfThere(below(layout.root, name), RECORD_LIMIT) ?? Buffer.alloc(0));
  for (const entry of everyEntry(layout)) yield* textsOfEntry(layout, entry);
}

/** Yields the part of a name that neither ctx nor Git has chosen, and the texts of a file that is the user's or unknown. */
function* textsOfEntry(layout: Layout, { name, isFolder }: Entry): Generator<JsonValue> {
  const own = strangePart(name);
  if (own !== '') yield own;
  const path = below(layout.root, name);
  if (isFolder || !['user', 'ref', 'nobody'].includes(ownerOf(name)) || !exists(path)) return;
  let isFirst = true;
  for (const stretch of stretchesOf(path, OVERLAP)) {
    yield* textsOf(stretch);
    const inflated = isFirst ? inflatedOf(stretch)?.content : undefined;
    if (inflated) yield* textsOf(inflated);
    isFirst = false;
  }
}

function* textsOfObject(objects: ObjectStore, oid: string): Generator<JsonValue> {
  // If an object that cannot be read is needed, making the plan reports it.
  const object = readIfWhole(objects, oid);
  if (object === null) return;
  if (object.type !== 'tree') {
    yield* textsOf(object.content);
    return;
  }
  const entries = readTree(objects, oid);
  if (!isChunked(entries)) {
    for (const entry of entries) yield entry.name;
    return;
  }
  let tail: Buffer = Buffer.alloc(0);
  for (const entry of entries) {
    const bytes = Buffer.concat([tail, readIfWhole(objects, entry.oid)?.content ?? Buffer.alloc(0)]);
    yield textIn(bytes);
    tail = bytes.subarray(Math.max(0, bytes.length - OVERLAP));
  }
}

function* textsOf(content: Buffer): Generator<JsonValue> {
  const text = textIn(content);
  yield text;
  if (!/^\s*[[{"]/.test(text)) return;
  const whole = parsed(text);
  if (whole !== undefined) yield whole;
  else
    for (const line of text.split('\n')) {
      const value = parsed(line);
      if (value !== undefined) yield value;
    }
}

/** Decodes bytes as UTF-8, or as Latin-1 if they are no UTF-8. */
function textIn(content: Buffer): string {
  const text = content.toString('utf8');
  return text.includes('\ufffd') ? content.toString('latin1') : text;
}

function parsed(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    throwResourceError(error);
    return undefined;
  }
}
