/** Finds ids in reflogs whose objects are missing: Git reports each such line as damage. A torn id is restored from the neighbouring lines. */
import { dirname } from 'node:path';
import { CtxError } from '../core/errors.ts';
import { lazily } from '../core/lazily.ts';
import { plural } from '../core/text.ts';
import { byteFiles, isByteName, lettersOf, textAt } from '../git/byte-names.ts';
import { filesBelow } from '../git/entries.ts';
import { MAIN } from '../git/layout.ts';
import { kindOf } from '../git/objects/object-lookup.ts';
import { packsWithoutIndex } from '../git/objects/pack-faults.ts';
import { takeRefLock, unlessLocked } from '../git/refs/lock.ts';
import { WHOLE, wholeReflog } from '../git/refs/reflog.ts';
import { NO_OBJECT } from '../git/refs/reflog-end.ts';
import { keepCopy } from '../git/set-aside.ts';
import { isReflog } from '../history/forget/file-owner.ts';
import { allRefs } from '../history/forget/store-listing.ts';
import type { Repository } from '../history/store/repository.ts';
import { below } from '../platform/below.ts';
import { exists, removeFile, writeDurably } from '../platform/files.ts';
import { throwResourceError } from '../platform/resource-errors.ts';

/** An id in a line of a reflog whose object is missing. */
export interface StrayId {
  /** The reflog, by its name from the store's root, and the number of the line. */
  log: string;
  line: number;
  oid: string;
  side: 'old' | 'new';
  /** The original id, from the neighbouring lines; null if they have the same id: then the object itself is gone. */
  instead: string | null;
}

/** A line as Git parses it; Git skips any other. */
const LINE = /^([0-9a-f]{40}) ([0-9a-f]{40}) ([^>]*> 0*[1-9]\d* [+-]\d{4}.*)/i;

interface Line {
  number: number;
  old: string;
  new: string;
  /** The rest of the line: person, time and message. */
  why: string;
}

const linesOf = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => LINE.exec(line))
    .flatMap((match, index) => {
      const [, before = '', after = '', why = ''] = match ?? [];
      return match ? [{ number: index + 1, old: before.toLowerCase(), new: after.toLowerCase(), why }] : [];
    });

const HEAD_LOG = 'logs/HEAD';

/** A reflog with its quoted name from the store's root. */
interface Reflog {
  log: string;
  /** Reads it as bytes; null if it is too large. */
  text: () => string | null;
}

function allReflogs(repository: Repository): Reflog[] {
  const { layout } = repository;
  const named = [...filesBelow(layout, 'logs')].filter(isReflog);
  const others = [...byteFiles(layout, 'logs')].filter(({ name }) => isReflog(lettersOf(name)));
  return [
    ...named.map((log) => ({ log, text: () => textOf(repository, log) })),
    ...others.map(({ name: log, path }) => ({ log, text: () => textAt(path, WHOLE) ?? null })),
  ];
}

/** Returns all ids in reflogs, without duplicates. */
export function loggedIds(repository: Repository): Set<string> {
  const oids = new Set<string>();
  for (const { text } of allReflogs(repository))
    for (const line of linesOf(text() ?? '')) for (const oid of [line.old, line.new]) oids.add(oid);
  oids.delete(NO_OBJECT);
  return oids;
}

/** Reads the text of a reflog as bytes; returns null if it is too large. */
function textOf({ layout }: Repository, log: string): string | null {
  try {
    return wholeReflog(layout.root, log).toString('latin1');
  } catch (error) {
    throwResourceError(error);
    // A reflog that is no file, or far too large, is reported separately.
    if (error instanceof CtxError) return null;
    throw error;
  }
}

/** Yields every such id. Nothing is called missing while a pack has no index. */
export function* strayIds(repository: Repository): Generator<StrayId> {
  if (packsWithoutIndex(repository.layout).length > 0) return;
  const known = new Map<string, boolean>([[NO_OBJECT, true]]);
  const isThere = (oid: string): boolean => {
    const found = known.get(oid) ?? kindOf(repository.objects, oid) !== 'absent';
    known.set(oid, found);
    return found;
  };
  const all = allReflogs(repository);
  const values = valuesOf(repository, new Set(all.map(({ log }) => log)));
  for (const { log, text: read } of all) {
    const text = read();
    if (text === null) continue;
    const lines = linesOf(text);
    // A reflog whose name is no UTF-8 cannot be repaired, so its neighbouring lines do not matter.
    const told = isByteName(log) ? (): undefined => undefined : neighbourIds(text, lines, values.get(log));
    yield* straysIn(log, lines, log === HEAD_LOG ? headLogIds(repository) : told, isThere);
  }
}

/** Returns the expected last id of each reflog. */
function valuesOf({ layout }: Repository, logs: ReadonlySet<string>): Map<string, string> {
  const values = new Map<string, string>();
  for (const { ref, oid } of allRefs(layout)) if (logs.has(`logs/${ref}`)) values.set(`logs/${ref}`, oid);
  return values;
}

/** Returns the id that another place names for a line; undefined if none does. */
type Said = (line: Line, side: StrayId['side'], index: number) => string | undefined;

/**
 * Returns the ids of neighbouring lines: each move of a ref begins at the end of the one before. An invalid line in between
 * may have been a move.
 */
function neighbourIds(text: string, lines: readonly Line[], value: string | undefined): Said {
  const last = text.replace(/\n$/, '').split('\n').length;
  return ({ number }, side, index) => {
    const [before, after] = [lines[index - 1], lines[index + 1]];
    if (side === 'old') {
      if (number === 1) return NO_OBJECT;
      return before?.number === number - 1 ? before.new : undefined;
    }
    if (number === last) return value;
    return after?.number === number + 1 ? after.old : undefined;
  };
}

/**
 * Returns the ids for lines of HEAD's reflog: Git repeats moves of main there; other lines are heads that ctx keeps for Git,
 * each moved from nothing.
 */
function headLogIds(repository: Repository): Said {
  const moves = lazily(() => linesOf(textOf(repository, `logs/${MAIN}`) ?? ''));
  return (line, side) => {
    const other = side === 'old' ? 'new' : 'old';
    const same = moves().filter(({ why, ...move }) => why === line.why && move[other] === line[other]);
    // If two candidates differ, the right one is unknown.
    const [said, ...others] = new Set(same.map((move) => move[side]));
    if (others.length > 0) return undefined;
    return said ?? (side === 'old' ? NO_OBJECT : undefined);
  };
}

function* straysIn(
  log: string,
  lines: readonly Line[],
  said: Said,
  isThere: (oid: string) => boolean,
): Generator<StrayId> {
  for (const [index, line] of lines.entries()) {
    for (const side of ['old', 'new'] as const) {
      const oid = line[side];
      if (isThere(oid)) continue;
      const other = said(line, side, index);
      const isTold = other !== undefined && other !== oid && isThere(other) && (side === 'old' || other !== NO_OBJECT);
      yield { log, line: line.number, oid, side, instead: isTold ? other : null };
    }
  }
}

/** Restores torn ids from the neighbouring lines or the ref; yields a sentence for each reflog. Only under LOCK. */
export function* repairReflogs(repository: Repository): Generator<string> {
  const torn = new Map<string, StrayId[]>();
  for (const stray of strayIds(repository)) {
    if (stray.instead === null) continue;
    const others = torn.get(stray.log);
    if (others) others.push(stray);
    else torn.set(stray.log, [stray]);
  }
  for (const [log, strays] of torn) {
    const said = unlessLocked(log, () => repairedLog(repository, log, strays));
    if (said !== null) yield said;
  }
}

/** Repairs one reflog; returns a sentence. */
function repairedLog(repository: Repository, log: string, strays: readonly StrayId[]): string | null {
  const count = repairLog(repository, log, strays);
  return count === 0
    ? null
    : `Put ${plural(count, 'torn id')} in ${log} right, by the lines beside ${count === 1 ? 'it' : 'them'} or by the ref; the reflog as it was is in lost/.`;
}

/** Repairs one reflog; returns the number of restored ids. */
function repairLog(repository: Repository, log: string, strays: readonly StrayId[]): number {
  const { layout, lockWait: wait, durability } = repository;
  const { root, refMarker: marker } = layout;
  const ref = below(root, log.slice('logs/'.length));
  // Git appends to a reflog while it holds the ref's lock.
  const isLockable = exists(dirname(ref));
  const lock = isLockable
    ? takeRefLock({ path: `${ref}.lock`, marker, content: '', root, wait, durability })
    : undefined;
  try {
    const lines = (textOf(repository, log) ?? '').split('\n');
    let count = 0;
    for (const { line, side, oid, instead } of strays) {
      const at = side === 'old' ? 0 : NO_OBJECT.length + 1;
      const text = lines[line - 1] ?? '';
      if (text.slice(at, at + oid.length).toLowerCase() !== oid) continue;
      lines[line - 1] = text.slice(0, at) + instead + text.slice(at + oid.length);
      count += 1;
    }
    if (count === 0) return 0;
    const path = below(root, log);
    keepCopy(repository, path);
    const temporary = below(root, 'LOCK.reflog.tmp');
    removeFile(temporary);
    writeDurably(path, temporary, Buffer.from(lines.join('\n'), 'latin1'), durability);
    return count;
  } finally {
    lock?.release(true);
  }
}
