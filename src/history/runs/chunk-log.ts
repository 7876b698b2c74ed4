/** The log of a run: one line of JSON for each chunk. Read while it grows, and turned into records of the chain once the run is over. */
import { isObject, type JsonValue } from '../../core/json.ts';
import { readLines } from '../../core/lines.ts';
import { type AnyBody, makeRecord } from '../../core/records/record.ts';
import { foldLog, type LoggedRun, recordsOfRun } from '../../core/run/log.ts';
import type { Session } from '../../core/session/session.ts';
import { archiveRef, sessionRef } from '../../git/layout.ts';
import { exists, removeFile, syncFolder } from '../../platform/files.ts';
import { readPiecesIfThere } from '../../platform/pieces.ts';
import { readChain, type StepRecord } from '../chain/chain.ts';
import { compactRecord } from '../chain/record-payloads.ts';
import { type Flushed, flushInto } from '../flush.ts';
import type { Repository } from '../store/repository.ts';
import { liveRun, runFiles, sessionsWithRuns } from './run-status.ts';

/** Bytes that are read at once. */
const PIECE = 256 * 1024;

/** Yields the lines of a log; a last line that a kill or a power cut has torn does not count, nor anything after it. */
export function* readLog(path: string): Generator<JsonValue> {
  for (const { text } of readLines(readPiecesIfThere(path, PIECE))) {
    let line: JsonValue;
    try {
      line = JSON.parse(text ?? '') as JsonValue;
    } catch {
      return;
    }
    if (isObject(line)) yield line;
  }
}

/** Returns the run that the log of a session has; null if there is no log. */
export function loggedRun({ layout }: Pick<Repository, 'layout'>, session: string): LoggedRun | null {
  const { log } = runFiles(layout, session);
  return exists(log) ? foldLog(readLog(log)) : null;
}

/** A log in a step that no pointer names yet. */
export interface SettledRun extends Flushed {
  run: LoggedRun;
  /** Whether there is anything new in the step. */
  isNew: boolean;
}

/**
 * Puts what a log has into a step, with what was pending. A log that is in the chain already, because its removal was cut off, adds nothing.
 * Only under LOCK.
 * @param prepare makes what is stored of a record
 * @param more what else changes in the session
 */
export function settleInto(
  repository: Repository,
  { head, ref }: { head: string; ref: string },
  prepare: (body: AnyBody) => AnyBody = (body) => body,
  more: (run: LoggedRun, session: Session) => Partial<Session> = () => ({}),
): SettledRun | null {
  const { objects, ids } = repository;
  const chain = readChain(objects, head, ref);
  const run = loggedRun(repository, chain.session.session_id);
  if (!run) return null;
  const at = repository.clock();
  const isKnown = run.id === null || chain.session.last_run === run.id;
  const own = isKnown
    ? []
    : recordsOfRun(run).map((body): StepRecord => {
        const whole = makeRecord(ids(), at, prepare(body));
        const { redacted } = body as { redacted?: Record<string, number> };
        if (redacted) whole.redacted = redacted;
        return { ...compactRecord(objects, whole), whole };
      });
  const session = isKnown
    ? chain.session
    : { ...chain.session, last_run: run.id as string, ...more(run, chain.session) };
  const flushed = flushInto(repository, chain, at, { own, session, leavesMissed: true, always: !isKnown });
  return { ...flushed, run, isNew: flushed.chain.head !== head };
}

/** Removes a log whose run is in the chain. */
export function removeLog({ layout, durability }: Repository, session: string): void {
  const { folder, log } = runFiles(layout, session);
  if (removeFile(log)) syncFolder(folder, durability);
}

/** Saves what runs have left whose process is gone. Only under LOCK. @returns a sentence for each */
export function* settleDeadRuns(repository: Repository): Generator<string> {
  for (const id of sessionsWithRuns(repository)) {
    if (!exists(runFiles(repository.layout, id).log) || liveRun(repository, id)) continue;
    if (settleDead(repository, id)) yield `Saved what a run of the session ${id} had brought, which was cut off.`;
  }
}

function settleDead(repository: Repository, id: string): boolean {
  const { refs } = repository;
  const [ref, head] =
    [sessionRef(id), archiveRef(id)].map((name) => [name, refs.read(name)] as const).find(([, oid]) => oid !== null) ??
    [];
  if (ref === undefined || head == null) return false;
  const settled = settleInto(repository, { head, ref });
  if (!settled) return false;
  const move = { pointer: ref, old: head, new: settled.chain.head };
  if (settled.isNew) refs.move(move, { at: repository.clock(), message: 'end of a run' });
  settled.clean();
  removeLog(repository, id);
  return settled.isNew;
}
