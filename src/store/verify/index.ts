/** The whole check of a store: config, pointers, history, chains, what waits, operations, leftovers, and on request every object. */
import { join } from 'node:path';
import { trailersOf } from '../../core/commit.ts';
import { forbiddenEntries, parseConfig } from '../../core/config-file.ts';
import { plural } from '../../core/text.ts';
import { DOCUMENT_LIMIT, exists, listFolder, readIfThere } from '../../platform/files.ts';
import { readChain, readCommit } from '../chain.ts';
import { entriesOf, strangeEntries } from '../guard.ts';
import { ARCHIVE, MAIN, RECORD_LIMIT, SESSIONS, sessionRef } from '../layout.ts';
import type { ObjectStore } from '../objects.ts';
import { decodeOperation } from '../operation.ts';
import { isStuck } from '../oplog.ts';
import { missingObjects, readPending, sessionsWithPending } from '../pending.ts';
import type { Repository } from '../repository.ts';
import { verifyChain } from './chain.ts';
import { damage, type Finding, findingOf, guarded } from './finding.ts';
import { verifyHistory } from './history.ts';
import { verifyPacks } from './packs.ts';

export type { Finding } from './finding.ts';

const REPAIR = 'ctx fsck --repair';

/** Checks everything that is reachable; with `full` every object of the store besides. */
export function* verifyStore(repository: Repository, full: boolean): Generator<Finding> {
  const seen = new Set<string>();
  yield* verifyConfig(repository);
  yield* verifyPointers(repository, seen);
  yield* verifyPending(repository);
  yield* verifyOperations(repository);
  yield* verifyEntries(repository);
  yield* verifyLeftovers(repository);
  if (full) {
    yield* verifyPacks(repository.layout);
    yield* verifyEveryObject(repository, seen);
  }
}

function* verifyConfig(repository: Repository): Generator<Finding> {
  const { config } = repository.layout;
  const text = readIfThere(config, DOCUMENT_LIMIT)?.toString('utf8') ?? '';
  try {
    for (const entry of forbiddenEntries(parseConfig(text))) {
      const message = `line ${entry.line}: ${entry.key} = ${entry.value} may not stand in the config of a store`;
      yield damage('config', 'config', message, `Remove the line from ${config}, if you did not put it there.`);
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    yield damage('config', 'config', error.message, `Correct ${config}`);
  }
  for (const key of repository.unknownSettings) {
    const message = `"${key}" is no setting of this version`;
    yield { severity: 'note', kind: 'settings', where: 'settings.json', message, hint: 'Correct or remove it.' };
  }
}

function* verifyPointers(repository: Repository, seen: Set<string>): Generator<Finding> {
  const { refs, objects } = repository;
  const line = new Set<string>();
  yield* guarded('pointer', MAIN, function* () {
    const main = refs.read(MAIN);
    if (main === null) yield damage('pointer', MAIN, 'it is missing', REPAIR);
    else
      yield* verifyHistory(
        objects,
        main,
        seen,
        line,
        new Set(refs.names(ARCHIVE).map((ref) => ref.slice(ARCHIVE.length))),
      );
  });
  for (const prefix of [SESSIONS, ARCHIVE]) {
    yield* guarded('pointer', prefix, function* () {
      for (const ref of refs.names(prefix)) yield* verifySession(repository, ref, seen, line);
    });
  }
  yield* guarded('pointer', 'STAGE', function* () {
    const stage = refs.stage();
    if (stage !== null && refs.read(stage) === null) {
      yield damage(
        'pointer',
        'STAGE',
        `it names ${stage}, which does not exist`,
        `${REPAIR}, or: ctx stage switch <session>`,
      );
    }
  });
}

function* verifySession(
  { refs, objects }: Repository,
  ref: string,
  seen: Set<string>,
  line: ReadonlySet<string>,
): Generator<Finding> {
  yield* guarded('pointer', ref, function* () {
    const head = refs.read(ref);
    if (head === null) return;
    yield* verifyChain(objects, ref, head, seen);
    const { session } = readChain(objects, head, ref);
    if (!line.has(session.base)) yield baseOffLine(objects, ref, session.base);
  });
}

/** A session may begin at a commit that an undo takes off the main line later; at anything else it could not begin. */
function baseOffLine(objects: ObjectStore, ref: string, base: string): Finding {
  const hint = 'See: ctx op log';
  if (!trailersOf(readCommit(objects, base).message).has('Ctx-Type'))
    return damage('chain', ref, `its base ${base} is no commit of the main line`, hint);
  const message = `its base ${base} is not on the main line any more: it was taken back`;
  return { severity: 'note', kind: 'chain', where: ref, message, hint };
}

function* verifyPending(repository: Repository): Generator<Finding> {
  for (const id of sessionsWithPending(repository)) {
    yield* guarded('pending', `pending/${id}`, function* () {
      const pending = readPending(repository, id);
      for (const oid of missingObjects(repository, id, pending)) {
        yield damage(
          'pending',
          `pending/${id}/objects/${oid}`,
          'a record that waits needs it, and it is missing or torn',
          'ctx fsck --repair',
        );
      }
      const known = [sessionRef(id), ARCHIVE + id].some((ref) => repository.refs.read(ref) !== null);
      if (!known && pending.length > 0) {
        yield damage(
          'pending',
          `pending/${id}`,
          `${pending.length} records wait for a session that does not exist`,
          'ctx stage list',
        );
      }
    });
  }
}

function* verifyOperations(repository: Repository): Generator<Finding> {
  const { oplog } = repository.layout;
  for (const name of listFolder(oplog).filter((entry) => entry.endsWith('.json'))) {
    const where = `oplog/${name}`;
    try {
      const text = readIfThere(join(oplog, name), RECORD_LIMIT)?.toString('utf8');
      // Finished by its process since the listing.
      if (text === undefined) continue;
      decodeOperation(text, where);
    } catch (error) {
      yield findingOf(error, 'operation', where);
      continue;
    }
    if (name !== 'begun.json') continue;
    const message = 'an operation was cut off; the next command that writes finishes it';
    if (isStuck(repository))
      yield damage('operation', where, 'it was cut off, and a pointer of it has moved on', REPAIR);
    else yield { severity: 'leftover', kind: 'operation', where, message, hint: REPAIR };
  }
}

/** What no store of ours has in it: Git would follow it or wait for it. */
function* verifyEntries(repository: Repository): Generator<Finding> {
  for (const [name, what] of strangeEntries(repository.layout))
    yield damage(
      'file',
      name,
      `it is ${what}`,
      `Remove ${join(repository.layout.root, name)}, if you did not put it there.`,
    );
}

/** Files that a killed process may leave: harmless, and worth a word. */
function* verifyLeftovers(repository: Repository): Generator<Finding> {
  const { layout } = repository;
  const temporary = (path: string): boolean => /(\.tmp$|^tmp_obj_|^LOCK\.)/.test(path.split('/').at(-1) ?? '');
  const left = [...filesBelow(layout.root, '')].filter(temporary);
  if (left.length > 0) {
    const message = `${plural(left.length, 'temporary file')} of processes that were killed; nothing needs ${left.length === 1 ? 'it' : 'them'}`;
    const hint = `${REPAIR} removes those that are more than a day old`;
    yield { severity: 'leftover', kind: 'temporary', where: left[0] as string, message, hint };
  }
  if (exists(layout.lock)) {
    const message = 'a command holds it just now, or one was killed while it did; the next one tells';
    yield {
      severity: 'note',
      kind: 'lock',
      where: 'LOCK',
      message,
      hint: 'ctx fsck --break-lock, if no ctx is running',
    };
  }
}

function* filesBelow(root: string, folder: string): Generator<string> {
  for (const entry of entriesOf(join(root, folder))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else yield path;
  }
}

function* verifyEveryObject(repository: Repository, seen: Set<string>): Generator<Finding> {
  for (let byte = 0; byte < 256; byte += 1) {
    const prefix = byte.toString(16).padStart(2, '0');
    for (const oid of repository.objects.withPrefix(prefix, Number.POSITIVE_INFINITY)) {
      if (seen.has(oid)) continue;
      yield* guarded('object', oid, () => {
        repository.objects.read(oid);
        return [];
      });
    }
  }
}
