/** `ctx abort`: ends the run of a session, and those of its sub-agents. Nothing else does: a reader that leaves is only gone. */
import { setTimeout as wait } from 'node:timers/promises';
import { CtxError } from '../../core/errors.ts';
import { type LiveRun, liveRun, liveRuns, runFiles, runStatus } from '../../history/runs/run-status.ts';
import type { Repository } from '../../history/store/repository.ts';
import { transact } from '../../history/transaction.ts';
import { timeLimit } from '../../platform/clock.ts';
import { exists } from '../../platform/files.ts';
import { stateOfHolder } from '../../platform/holder.ts';
import { requireActive } from '../session/active.ts';
import { observedSession } from '../session/observe.ts';
import { chainBehind } from '../show.ts';
import { socketOf } from './recording.ts';
import { askToAbort } from './run-socket.ts';

export interface AbortResult {
  session_id: string;
  /** The runs that were ended: that of the session first, then those of its sub-agents. */
  aborted: {
    session_id: string;
    pid: number;
    /** Means that ended it: a request, or a signal to its process. */
    by: 'request' | 'SIGTERM' | 'SIGKILL';
  }[];
}

/** Milliseconds that a process may take to end after it was asked, and after SIGTERM. */
const ASKED = 5000;
const TERMINATED = 2000;
/** Milliseconds between two looks at it meanwhile. */
const LOOK = 15;

/**
 * Aborts the run of a session, and every run that it has started as a sub-agent's. The messages stay as they are.
 * @param given a session; the active one if absent
 * @throws {CtxError} no_such_move, if no run is in flight; not_found, ambiguous, no_active_session, damaged
 */
export async function abortRun(repository: Repository, given?: string): Promise<AbortResult> {
  const { session_id } = chainBehind(repository, given ?? observedSession(repository));
  const runs = withSubAgents(repository, session_id);
  if (runs.length === 0) {
    saveDead(repository, session_id);
    const { state } = runStatus(repository, session_id);
    throw new CtxError('no_such_move', `No run of the session ${session_id} is in flight: it is ${state}.`, {
      hint: 'See every run with: ctx run status --all; give the session itself up with: ctx stage abort',
    });
  }
  const [first] = runs as [LiveRun];
  // The run of a session aborts those of its sub-agents itself; one whose parent is gone is asked here.
  const isAsked = await askToAbort(socketOf(first), 'user');
  for (const run of runs.slice(1))
    if (!isAsked || first.session_id !== session_id) void askToAbort(socketOf(run), 'parent');
  const result: AbortResult = { session_id, aborted: [] };
  for (const run of runs)
    result.aborted.push({ session_id: run.session_id, pid: run.holder.pid, by: await ended(repository, run) });
  for (const { session_id: each } of runs) saveDead(repository, each);
  return result;
}

/** Checks if the active session has runs, or has had one: what is aborted is then a run, and not the session itself. */
export function hasRuns(repository: Repository): boolean {
  const { session } = requireActive(repository);
  const { session_id, last_run } = session;
  const isLogged = exists(runFiles(repository.layout, session_id).log);
  return last_run !== undefined || isLogged || withSubAgents(repository, session_id).length > 0;
}

/** Returns the run of a session, and those that it has started, directly or not. */
function withSubAgents(repository: Repository, session: string): LiveRun[] {
  const own = liveRun(repository, session);
  const others = liveRuns(repository);
  const known = new Set([session]);
  const found: LiveRun[] = own ? [own] : [];
  for (const parent of known)
    for (const run of others) {
      if (run.status?.parent !== parent || known.has(run.session_id)) continue;
      known.add(run.session_id);
      found.push(run);
    }
  return found;
}

/** Waits until a run has ended; one that does not is ended by signals. */
async function ended(repository: Repository, run: LiveRun): Promise<AbortResult['aborted'][number]['by']> {
  if (await isGone(repository, run, ASKED)) return 'request';
  signal(run, 'SIGTERM');
  if (await isGone(repository, run, TERMINATED)) return 'SIGTERM';
  signal(run, 'SIGKILL');
  await isGone(repository, run, TERMINATED);
  return 'SIGKILL';
}

async function isGone(repository: Repository, { session_id, holder }: LiveRun, limit: number): Promise<boolean> {
  const left = timeLimit(limit);
  for (;;) {
    if (liveRun(repository, session_id)?.holder.nonce !== holder.nonce) return true;
    if (left() === 0) return false;
    await wait(LOOK);
  }
}

/** Sends a signal to the process of a run, and to the group of the program that it has started. */
function signal({ holder, status }: LiveRun, name: 'SIGTERM' | 'SIGKILL'): void {
  // Another process may have got the number since.
  const runs = (one: typeof holder): boolean => stateOfHolder(one, () => Date.now()) === 'runs';
  const child = status?.child ?? null;
  if (child && name === 'SIGKILL' && runs({ ...holder, ...child })) send(-child.pid, name);
  if (runs(holder)) send(holder.pid, name);
}

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** Saves what a run has left whose process was killed: every change begins with that. */
function saveDead(repository: Repository, session: string): void {
  if (!exists(runFiles(repository.layout, session).log) || liveRun(repository, session)) return;
  transact(repository, { command: 'abort', message: 'abort' }, () => null);
}
