/** Who holds a lock: what a lock file says of a process, and what has become of that process. */
import { type Machine, THIS_MACHINE } from './machine.ts';

/** What a lock file says of its holder. */
export interface Holder {
  pid: number;
  host: string;
  /** Changes with each start of the machine; empty where the system tells none. */
  boot: string;
  /** PID namespace; empty where the system has none. */
  namespace: string;
  /** When the process started, in the system's own unit; empty where unknown. */
  started: string;
  nonce: string;
}

/** What has become of a holder: it surely runs, is surely gone, or nobody here can tell. */
export type Fate = 'runs' | 'gone' | 'unknown';

/**
 * How far two times of one clock may lie on the wrong side of each other, in milliseconds: it is set, and file systems round.
 * No process number comes round in less, and no machine starts in less.
 */
const SLACK = 5000;

/** This process as the holder of a lock. */
export function thisProcess(nonce: string): Holder {
  const { host, boot, namespace, started } = THIS_MACHINE;
  return { pid: process.pid, host: host(), boot: boot(), namespace: namespace(), started: started(), nonce };
}

/**
 * What has become of a holder.
 * @param writtenAt when its lock was written, in milliseconds of the wall clock; asked only where nothing else tells
 */
export function fateOf(holder: Holder, writtenAt: () => number, machine: Machine = THIS_MACHINE): Fate {
  const boot = machine.boot();
  const known = boot !== '' && Boolean(holder.boot);
  // A machine may get another name while it runs, from a network that it joins; its start stays what it was.
  if (!known || holder.boot !== boot) {
    if (holder.host !== machine.host()) return 'unknown';
    // The machine was started again since: no process of then is left.
    if (known) return 'gone';
  }
  // In another namespace, of a container perhaps, the numbers are others.
  if (holder.namespace !== machine.namespace()) return 'unknown';
  const seen = machine.process(holder.pid);
  if (!seen || seen.ended) return 'gone';
  // The number may have been given to another process since.
  if (holder.started && seen.started !== '') return holder.started === seen.started ? 'runs' : 'gone';
  return fateByTime(holder.pid, writtenAt(), !known, machine);
}

/** The same of a process that runs under the holder's number, where only the clock tells whether it is the holder. */
function fateByTime(pid: number, writtenAt: number, mayHaveBooted: boolean, machine: Machine): Fate {
  const age = machine.now() - writtenAt;
  // Nobody else can have got the number so soon: what a busy store asks first costs nothing.
  if (Math.abs(age) <= SLACK) return 'runs';
  // The clock was set back: no time says anything.
  if (age < 0) return 'unknown';
  const listed = machine.listed(pid);
  if (!listed) return mayHaveBooted && machine.bootedAt() > writtenAt + SLACK ? 'gone' : 'unknown';
  if (listed.ended || listed.startedAt > writtenAt + SLACK) return 'gone';
  return listed.startedAt <= writtenAt ? 'runs' : 'unknown';
}

/** What a lock file says, a line of JSON. */
export const encodeHolder = (holder: Holder): string => `${JSON.stringify(holder)}\n`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The holder that a lock file names, or null. */
export function parseHolder(text: string): Holder | null {
  const value = parseJson(text) as Partial<Holder> | null | undefined;
  return value && typeof value.pid === 'number' && typeof value.nonce === 'string' ? (value as Holder) : null;
}

/** How what is written of a holder begins. */
const OPENING = '{"pid":';

/**
 * Whether a text is only the beginning of what is written of a holder, perhaps none of it: its writer was cut off, or is at it
 * still. What is whole ends with the bracket that closes the first one: no beginning of it can be read as JSON.
 */
export function isUnfinished(text: string): boolean {
  // A power cut may leave zeros in the place of what was not written.
  const written = text.replace(/[\0\s]+$/, '');
  return OPENING.startsWith(written) || (written.startsWith(OPENING) && parseJson(written) === undefined);
}

/** Describes the holder for a person. */
export function holderInWords(text: string): string {
  const holder = parseHolder(text);
  return holder ? `process ${holder.pid} on ${holder.host}` : 'a process that did not say who it is';
}
