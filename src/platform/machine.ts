/** Identifies this machine and its processes: by /proc if there is one, else by Node's calls and `ps`. */
import { readFileSync, readlinkSync } from 'node:fs';
import type * as Os from 'node:os';
import { builtIn } from './built-in.ts';
import { errorCode } from './files.ts';
import { askProgram } from './program.ts';

/** A machine, as far as it is needed to judge the holder of a lock. */
export interface Machine {
  host: () => string;
  /** Changes with each start of the machine; empty if the system has no such id. */
  boot: () => string;
  /** PID namespace of this process; empty if the system has none. */
  namespace: () => string;
  /** Start time of this process in the system's own unit; empty if unknown. */
  started: () => string;
  /** Returns a process of this namespace; undefined if no process has that number. */
  process: (pid: number) => SeenProcess | undefined;
  /** Returns the same by running a program, for machines without /proc; undefined if it does not answer. */
  listed: (pid: number) => ListedProcess | undefined;
  /** When the machine started, in milliseconds of its wall clock. */
  bootedAt: () => number;
  /** Milliseconds of the wall clock. */
  now: () => number;
}

export interface SeenProcess {
  /** True if it has ended and its parent has not collected it yet. */
  ended: boolean;
  /** When it started, in the unit of `started`; empty if unknown. */
  started: string;
}

export interface ListedProcess {
  ended: boolean;
  /** When it started, in milliseconds of the wall clock. */
  startedAt: number;
}

/** Longest wait for `ps`, in milliseconds. */
const LISTING = 2000;

export const THIS_MACHINE: Machine = {
  host: hostName,
  boot: () => readSystem('/proc/sys/kernel/random/boot_id'),
  namespace: namespaceOfProcess,
  started: () => startOf(statOf('self')),
  process: seenProcess,
  listed: listedProcess,
  bootedAt: () => Date.now() - os().uptime() * 1000,
  now: () => Date.now(),
};

/** Loaded on first use, since a hook would wait for it. */
const os = (): typeof Os => builtIn('node:os') as typeof Os;

function readSystem(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
}

/** Returns the name of this machine; if the system has it as a file, node:os need not be loaded. */
function hostName(): string {
  const name = readSystem('/proc/sys/kernel/hostname');
  return name === '' ? os().hostname() : name;
}

function namespaceOfProcess(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** Returns the fields of proc(5) stat behind the name, which may contain blanks and brackets; the first is the state. */
function statOf(pid: number | 'self'): string[] {
  const stat = readSystem(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/**
 * Returns the start time of a process in clock ticks since boot: field 22 of proc(5) stat, counted from the name's last
 * bracket.
 */
const startOf = (fields: readonly string[]): string => fields[19] ?? '';

function seenProcess(pid: number): SeenProcess | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if (errorCode(error) === 'ESRCH') return undefined;
  }
  const fields = statOf(pid);
  return { ended: fields[0] === 'Z' || fields[0] === 'X', started: startOf(fields) };
}

function listedProcess(pid: number): ListedProcess | undefined {
  // Sets zone and language: otherwise the time is printed in the user's.
  const words = ['env', 'TZ=UTC', 'LC_ALL=C', 'ps', '-o', 'stat=', '-o', 'lstart=', '-p', String(pid)];
  const ran = askProgram(words, '', LISTING);
  return 'answer' in ran ? parseListed(ran.answer) : undefined;
}

/** Parses a line such as `Ss   Thu Sep 17 18:24:52 2026`. */
function parseListed(line: string): ListedProcess | undefined {
  const [, state = '', start = ''] = /^\s*(\S+)\s+(\S.*\d{4})\s*$/.exec(line) ?? [];
  const startedAt = Date.parse(`${start} UTC`);
  return Number.isNaN(startedAt) ? undefined : { ended: state.startsWith('Z'), startedAt };
}
