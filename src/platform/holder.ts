/** Who holds a lock: what a lock file says of a process, and whether that process is surely gone. */
import { readFileSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Os from 'node:os';
import { errorCode } from './files.ts';

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

function readSystem(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** The name of this machine; where the system shows it as a file, node:os need not be loaded. */
function hostName(): string {
  const told = readSystem('/proc/sys/kernel/hostname');
  return told === '' ? (createRequire(import.meta.url)('node:os') as typeof Os).hostname() : told;
}

function namespaceOfProcess(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** The fields of proc(5) stat behind the name, which may have blanks and brackets in it; the first is the state. */
function statOf(pid: number | 'self'): string[] {
  const stat = readSystem(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** Start time of a process in clock ticks since boot: field 22 of proc(5) stat, counted behind the name's last bracket. */
const startOf = (fields: readonly string[]): string => fields[19] ?? '';

/** This process as the holder of a lock. */
export function thisProcess(nonce: string): Holder {
  return {
    pid: process.pid,
    host: hostName(),
    boot: readSystem('/proc/sys/kernel/random/boot_id'),
    namespace: namespaceOfProcess(),
    started: startOf(statOf('self')),
    nonce,
  };
}

/** Whether a process of this host and namespace still runs. */
function isAlive(holder: Holder): boolean {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if (errorCode(error) === 'ESRCH') return false;
  }
  const fields = statOf(holder.pid);
  // One that has ended and whose parent has not looked yet holds nothing any more.
  if (fields[0] === 'Z' || fields[0] === 'X') return false;
  // The number may have been given to another process since.
  const started = startOf(fields);
  return holder.started === '' || started === '' || started === holder.started;
}

/** Whether a holder is surely gone: one of this host, of a start of the machine before or of a process that has ended. */
export function isGone(holder: Holder): boolean {
  const self = thisProcess('');
  if (holder.host !== self.host) return false;
  // The machine was started again since: no process of then is left.
  if (holder.boot !== '' && self.boot !== '' && holder.boot !== self.boot) return true;
  return holder.namespace === self.namespace && !isAlive(holder);
}

/** Whether a holder surely runs: on this host, since this start of the machine. */
export function isHere(holder: Holder): boolean {
  const { host, namespace, boot } = thisProcess('');
  return holder.host === host && holder.namespace === namespace && holder.boot === boot && isAlive(holder);
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
