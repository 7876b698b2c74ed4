/** Derives the state of a run from the lock that its process holds. */
// INV-6: the state of a session's run is ephemeral. It is derived from a lock that a living process holds, and from what that process has
// written beside it; it does not survive the process, nor a restart of the machine: then the run is `idle`. What is durable is the
// conversation, with whatever the run had brought, and the cursor at which its provider continues.
import { CtxError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { IN_FLIGHT, isInFlight, type RunState } from '../../core/run/states.ts';
import type { Layout } from '../../git/layout.ts';
import { below } from '../../platform/below.ts';
import { exists, LINES_LIMIT, listFolder, readIfThere } from '../../platform/files.ts';
import { type Holder, parseHolder, stateOfHolder } from '../../platform/holder.ts';
import { writtenAt } from '../../platform/lock.ts';
import { THIS_MACHINE } from '../../platform/machine.ts';
import { isSessionId } from '../names/layout.ts';
import type { Repository } from '../store/repository.ts';

type Store = Pick<Repository, 'layout'>;

/** The files of a run. */
export interface RunFiles {
  folder: string;
  /** Held by the process of the run while it runs. */
  lock: string;
  /** File with the status that the process last wrote of itself. */
  status: string;
  /** The chunks, until they are in the message. */
  log: string;
  /** Socket at which readers wait for more. */
  socket: string;
}

export function runFiles({ runs }: Layout, session: string): RunFiles {
  const folder = below(runs, session);
  const file = (name: string): string => below(folder, name);
  return {
    folder,
    lock: file('lock'),
    status: file('status.json'),
    log: file('chunks.ndjson'),
    socket: file('socket'),
  };
}

/** Status of a run as its process writes it. */
export interface StoredStatus {
  /** The id of the run. */
  run: string;
  state: RunState;
  attempt: number | null;
  message: string | null;
  /** Milliseconds since 1970. */
  started_at: number;
  pid: number;
  /** The start of the machine that it is of. */
  boot: string;
  /** The path of the socket. */
  socket: string | null;
  /** The process that is recorded, if ctx has started it. */
  child: Pick<Holder, 'pid' | 'started'> | null;
  /** The session whose run has started this one as a sub-agent's, and the call that did. */
  parent: string | null;
  call: string | null;
}

/** The state of the run of a session. */
export interface RunStatus {
  session_id: string;
  state: RunState;
  /** Number of the attempt, while it is retrying. */
  attempt: number | null;
  /** Message for the user, while it is retrying or after it failed. */
  message: string | null;
  /** Milliseconds since 1970; null while it is idle. */
  started_at: number | null;
  pid: number | null;
}

/** A run whose process lives. */
export interface LiveRun {
  session_id: string;
  holder: Holder;
  /** Null for a moment, while the run begins. */
  status: StoredStatus | null;
}

export function readStatus({ layout }: Store, session: string): StoredStatus | null {
  const text = readIfThere(runFiles(layout, session).status, LINES_LIMIT)?.toString('utf8');
  if (text === undefined) return null;
  try {
    const value = parseJson(text);
    return isObject(value) && typeof value['run'] === 'string' ? (value as unknown as StoredStatus) : null;
  } catch {
    return null;
  }
}

/** Returns the run of a session if its process lives; null otherwise. Safe against a number that another process has got since. */
export function liveRun(store: Store, session: string): LiveRun | null {
  const { lock } = runFiles(store.layout, session);
  const text = readIfThere(lock, LINES_LIMIT)?.toString('utf8');
  const holder = text === undefined ? null : parseHolder(text);
  if (!holder || stateOfHolder(holder, () => writtenAt(lock)) === 'gone') return null;
  return { session_id: session, holder, status: readStatus(store, session) };
}

/** Returns the state of the run of a session. */
export function runStatus(store: Store, session: string): RunStatus {
  const idle: RunStatus = {
    session_id: session,
    state: 'idle',
    attempt: null,
    message: null,
    started_at: null,
    pid: null,
  };
  const status = readStatus(store, session);
  const live = liveRun(store, session);
  if (!live) {
    // The state of a run that has ended by itself is known until the next run, or until the machine restarts.
    if (!status || isInFlight(status.state) || status.boot !== THIS_MACHINE.boot()) return idle;
    const { state, message, started_at } = status;
    return { ...idle, state, message, started_at };
  }
  const { pid } = live.holder;
  if (!status || status.pid !== pid || !isInFlight(status.state)) return { ...idle, state: 'starting', pid };
  const { state, attempt, message, started_at } = status;
  return { ...idle, state, attempt, message, started_at, pid };
}

/** Returns the sessions that have a folder of runs. */
export const sessionsWithRuns = ({ layout }: Store): string[] =>
  exists(layout.runs) ? listFolder(layout.runs).filter(isSessionId) : [];

/** Returns every run whose process lives. */
export const liveRuns = (store: Store): LiveRun[] =>
  sessionsWithRuns(store).flatMap((session) => liveRun(store, session) ?? []);

/** Words that a run is in flight, with its process and since when. */
export function runInFlight(code: 'busy' | 'no_such_move', status: RunStatus): CtxError {
  const { session_id, state, pid, started_at } = status;
  const since = started_at === null ? '' : ` since ${new Date(started_at).toISOString()}`;
  return new CtxError(code, `A run of the session is in flight: it is ${state}${since}, in process ${pid}.`, {
    hint: `Wait for its end, or abort it with: ctx abort ${session_id}`,
    data: { ...status },
  });
}

/** Refuses what a run in flight must not be disturbed by. @throws {CtxError} no_such_move */
export function checkNoRun(store: Store, session: string): void {
  const status = runStatus(store, session);
  if ((IN_FLIGHT as readonly RunState[]).includes(status.state)) throw runInFlight('no_such_move', status);
}
