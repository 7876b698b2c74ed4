/** Reads the readable parts of a store that may be damaged, piece by piece: a repair may add to it, and take nothing away. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CtxError } from '../../src/core/errors.ts';
import { decodeLoose } from '../../src/git/objects/loose.ts';
import { readRecords, walkChain } from '../../src/history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../../src/history/names/layout.ts';
import { missingObjects, pendingNames, readPending, sessionsWithPending } from '../../src/history/pending/pending.ts';
import type { Repository } from '../../src/history/store/repository.ts';
import { openProject, runHere } from './in-process.ts';
import type { Patient } from './patients.ts';

/** Pieces by name: `object <oid>`, `record <id>`, `log <oid>`, `show <session or commit>`; the value is what they say. */
export type Readable = Map<string, string>;

/** The value of what can be read, or undefined where it is damaged. Anything but a CtxError goes on. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** Reads everything that the sound store held, and what has come since. */
export async function readPointerState(patient: Patient, project: string): Promise<Readable> {
  const found: Readable = new Map();
  const repository = attempt(() => openProject(project));
  if (repository === undefined) return found;
  for (const oid of patient.objects) if (holdsObject(repository, project, oid)) found.set(`object ${oid}`, '');
  readWaiting(repository, found);
  readChains(patient, repository, found);
  const { result } = await runHere(project, ['log']);
  for (const entry of (result ?? []) as { oid: string }[]) found.set(`log ${entry.oid}`, JSON.stringify(entry));
  const { picture } = patient;
  for (const name of [...picture.line, ...picture.sessions.keys(), ...picture.archive.keys()]) {
    const shown = (await runHere(project, ['show', name])).result as { summary: unknown; message: unknown } | null;
    // A session goes on: what is shown of it may change. A commit of the main line says the same for ever.
    if (shown)
      found.set(`show ${name}`, picture.line.includes(name) ? JSON.stringify([shown.message, shown.summary]) : '');
  }
  return found;
}

/** Checks if an object is whole, in `objects/` or beside a record that waits. */
function holdsObject(repository: Repository, project: string, oid: string): boolean {
  if (attempt(() => repository.objects.read(oid))) return true;
  return (attempt(() => sessionsWithPending(repository)) ?? []).some((id) => {
    try {
      decodeLoose(readFileSync(join(project, '.ctx', 'pending', id, 'objects', oid)), oid);
      return true;
    } catch {
      return false;
    }
  });
}

function readWaiting(repository: Repository, found: Readable): void {
  // One that has lost an object can never be flushed: it goes to lost/ with a repair.
  for (const id of attempt(() => sessionsWithPending(repository)) ?? [])
    for (const name of attempt(() => pendingNames(repository, id)) ?? [])
      for (const item of attempt(() => readPending(repository, id, [name])) ?? [])
        if (attempt(() => missingObjects(repository, id, [item]))?.length === 0)
          found.set(`record ${item.record.id}`, JSON.stringify(item.record));
}

/** Every chain that a pointer leads to. A list of pointers may be damaged while each of them can be read. */
function readChains(patient: Patient, repository: Repository, found: Readable): void {
  const { sessions, archive } = patient.picture;
  const ids = [...sessions.keys(), ...archive.keys()];
  for (const prefix of [SESSIONS, ARCHIVE]) {
    const listed = attempt(() => repository.refs.names(prefix)) ?? [];
    for (const ref of new Set([...listed, ...ids.map((id) => prefix + id)])) readChain(repository, ref, found);
  }
}

function readChain({ refs, objects }: Repository, ref: string, found: Readable): void {
  attempt(() => {
    const head = refs.read(ref);
    for (const [oid, commit] of head === null ? [] : walkChain(objects, head))
      for (const record of attempt(() => readRecords(objects, commit.tree, `step ${oid}`, false)) ?? [])
        found.set(`record ${record.id}`, JSON.stringify(record));
  });
}

/** Lists the parts that could be read before and cannot now, or say something else. */
export function lostSince(before: Readable, now: Readable): string[] {
  const lost: string[] = [];
  for (const [name, value] of before) {
    const since = now.get(name);
    if (since === undefined) lost.push(`${name} can no longer be read`);
    else if (since !== value) lost.push(`${name} says ${since.slice(0, 200)}, not ${value.slice(0, 200)}`);
  }
  return lost;
}
