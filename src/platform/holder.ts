/** The holder of a lock: the process that a lock file names, and whether that process still runs. */
import { type Machine, THIS_MACHINE } from './machine.ts';

/** The content of a lock file. */
export interface Holder {
  pid: number;
  host: string;
  /** Changes with each start of the machine; empty if the system has no such id. */
  boot: string;
  /** PID namespace; empty if the system has none. */
  namespace: string;
  /** Start time of the process in the system's own unit; empty if unknown. */
  started: string;
  nonce: string;
}

/** State of a holder: it certainly runs, is certainly gone, or cannot be judged from here. */
export type HolderState = 'runs' | 'gone' | 'unknown';

/**
 * Tolerance between two times of one clock, in milliseconds: the clock may be set, and file systems round. Process numbers
 * are not reused, and no machine restarts, in less time.
 */
const SLACK = 5000;

/** Returns this process as the holder of a lock. */
export function thisProcess(nonce: string): Holder {
  const { host, boot, namespace, started } = THIS_MACHINE;
  return { pid: process.pid, host: host(), boot: boot(), namespace: namespace(), started: started(), nonce };
}

/**
 * Returns the state of a holder.
 * @param writtenAt when its lock was written, in milliseconds of the wall clock; called only if nothing else decides
 */
export function stateOfHolder(holder: Holder, writtenAt: () => number, machine: Machine = THIS_MACHINE): HolderState {
  const boot = machine.boot();
  const known = boot !== '' && Boolean(holder.boot);
  // A machine's name may change when it joins a network; its boot id does not.
  if (!known || holder.boot !== boot) {
    if (holder.host !== machine.host()) return 'unknown';
    // The machine was restarted since: no process of that time is left.
    if (known) return 'gone';
  }
  // Process numbers of another namespace, of a container perhaps, mean nothing here.
  if (holder.namespace !== machine.namespace()) return 'unknown';
  const seen = machine.process(holder.pid);
  if (!seen || seen.ended) return 'gone';
  // The number may have been given to another process since.
  if (holder.started && seen.started !== '') return holder.started === seen.started ? 'runs' : 'gone';
  return fateByTime(holder.pid, writtenAt(), !known, machine);
}

/** Returns the state of a holder from the clock alone, when a process runs under the holder's number. */
function fateByTime(pid: number, writtenAt: number, mayHaveBooted: boolean, machine: Machine): HolderState {
  const age = machine.now() - writtenAt;
  // No other process can have got the number so soon; on a busy store this check costs nothing.
  if (Math.abs(age) <= SLACK) return 'runs';
  // The clock was set back: times decide nothing.
  if (age < 0) return 'unknown';
  const listed = machine.listed(pid);
  if (!listed) return mayHaveBooted && machine.bootedAt() > writtenAt + SLACK ? 'gone' : 'unknown';
  if (listed.ended || listed.startedAt > writtenAt + SLACK) return 'gone';
  return listed.startedAt <= writtenAt ? 'runs' : 'unknown';
}

/** Encodes a holder as a line of JSON for a lock file. */
export const encodeHolder = (holder: Holder): string => `${JSON.stringify(holder)}\n`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the content of a lock file; returns null if it names no holder. */
export function parseHolder(text: string): Holder | null {
  const value = parseJson(text) as Partial<Holder> | null | undefined;
  return value && typeof value.pid === 'number' && typeof value.nonce === 'string' ? (value as Holder) : null;
}

/** First characters of every encoded holder. */
const OPENING = '{"pid":';

/**
 * Returns whether a text is an incomplete prefix of an encoded holder, perhaps empty: its writer was killed or is still
 * writing. A complete one ends with the bracket that closes the first one, so no proper prefix parses as JSON.
 */
export function isUnfinished(text: string): boolean {
  // A power cut may leave zeros in the place of unwritten bytes.
  const written = text.replace(/[\0\s]+$/, '');
  return OPENING.startsWith(written) || (written.startsWith(OPENING) && parseJson(written) === undefined);
}

/** Describes the holder for a person. */
export function describeHolder(text: string): string {
  const holder = parseHolder(text);
  return holder ? `process ${holder.pid} on ${holder.host}` : 'a process that did not say who it is';
}
