/** What this machine says of itself and of its processes: by /proc where there is one, else by the calls of Node. */
import { readFileSync, readlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Os from 'node:os';
import { errorCode } from './files.ts';

/** A machine as whoever asks after the holder of a lock sees it. */
export interface Machine {
  host: () => string;
  /** Changes with each start of the machine; empty where the system tells none. */
  boot: () => string;
  /** PID namespace of this process; empty where the system has none. */
  namespace: () => string;
  /** When this process started, in the system's own unit; empty where unknown. */
  started: () => string;
  /** What there is of a process of this namespace; undefined where nothing has that number. */
  process: (pid: number) => SeenProcess | undefined;
}

export interface SeenProcess {
  /** Whether it has ended, and its parent has not looked yet. */
  ended: boolean;
  /** When it started, in the unit of `started`; empty where unknown. */
  started: string;
}

export const THIS_MACHINE: Machine = {
  host: hostName,
  boot: () => readSystem('/proc/sys/kernel/random/boot_id'),
  namespace: namespaceOfProcess,
  started: () => startOf(statOf('self')),
  process: seenProcess,
};

/** Loaded when it is needed: a hook would wait for it. */
const os = (): typeof Os => createRequire(import.meta.url)('node:os') as typeof Os;

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
  return told === '' ? os().hostname() : told;
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

function seenProcess(pid: number): SeenProcess | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as somebody else.
    if (errorCode(error) === 'ESRCH') return undefined;
  }
  const fields = statOf(pid);
  return { ended: fields[0] === 'Z' || fields[0] === 'X', started: startOf(fields) };
}
