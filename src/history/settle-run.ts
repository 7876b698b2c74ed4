/** Turns the log of a run into records of the chain, once the run is over or its process is gone. */
import { type AnyBody, makeRecord } from '../core/records/record.ts';
import { type LoggedRun, recordsOfRun, viewOfRun } from '../core/run/log.ts';
import type { Session } from '../core/session/session.ts';
import { exists } from '../platform/files.ts';
import { readChain, type StepRecord } from './chain/chain.ts';
import { compactRecord } from './chain/record-payloads.ts';
import { type Flushed, flushInto } from './flush.ts';
import { archiveRef, sessionRef } from './names/layout.ts';
import { loggedRun, removeLog } from './runs/chunk-log.ts';
import { liveRun, runFiles, sessionsWithRuns } from './runs/run-status.ts';
import type { Repository } from './store/repository.ts';

/** A log in a step that no pointer names yet. */
export interface SettledRun extends Flushed {
  run: LoggedRun;
  /** True if there is anything new in the step. */
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
  more: (run: LoggedRun) => Partial<Session> = () => ({}),
): SettledRun | null {
  const { objects, ids } = repository;
  const chain = readChain(objects, head, ref);
  const run = loggedRun(repository, chain.session.session_id);
  if (!run) return null;
  const at = repository.clock();
  const isKnown = run.id === null || chain.session.last_run === run.id;
  const own = isKnown
    ? []
    : [...recordsOfRun(run), ...viewOfRun(run)].map((body): StepRecord => {
        const whole = makeRecord(ids(), at, prepare(body));
        const { redacted } = body as { redacted?: Record<string, number> };
        if (redacted) whole.redacted = redacted;
        return { ...compactRecord(objects, whole), whole };
      });
  const changes = isKnown ? {} : more(run);
  const isNew = own.length > 0 || Object.keys(changes).length > 0;
  const session = isNew ? { ...chain.session, last_run: run.id as string, ...changes } : chain.session;
  const flushed = flushInto(repository, chain, at, { own, session, leavesMissed: true, always: isNew });
  return { ...flushed, run, isNew: flushed.chain.head !== head };
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
