/** Runs programs through a small process, which is begun at the first of them: this one is large, and each fork of it takes long. */
import { type ChildProcess, fork, type SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LAUNCHER = fileURLToPath(new URL('launcher.cjs', import.meta.url));

/** A program to be run to its end. */
export interface Launch {
  file: string;
  words: readonly string[];
  options: Pick<SpawnOptions, 'cwd' | 'env' | 'timeout' | 'killSignal' | 'uid' | 'gid'>;
  /** Typed text. */
  input?: string | undefined;
}

/** The end of a process, and its output. */
export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

type Reply = { id: number } & ({ ended: Ended } | { error: string });

interface Waiting {
  resolve: (ended: Ended) => void;
  reject: (error: Error) => void;
}

let launcher: ChildProcess | undefined;
let launches = 0;
const waiting = new Map<number, Waiting>();

/** Runs a program to its end. @throws where it cannot be begun */
export function launch(order: Launch): Promise<Ended> {
  launcher ??= begin();
  const id = ++launches;
  const ended = new Promise<Ended>((resolve, reject) => waiting.set(id, { resolve, reject }));
  launcher.ref();
  launcher.channel?.ref();
  launcher.send({ id, order });
  return ended;
}

function begin(): ChildProcess {
  const child = fork(LAUNCHER, { execArgv: [], stdio: 'inherit' });
  child.on('message', (reply: Reply) => {
    const { resolve, reject } = waiting.get(reply.id) as Waiting;
    waiting.delete(reply.id);
    if ('ended' in reply) resolve(reply.ended);
    else reject(new Error(reply.error));
    if (waiting.size > 0) return;
    // Whoever waits for nothing more may end.
    child.unref();
    child.channel?.unref();
  });
  child.on('exit', (code) => {
    for (const { reject } of waiting.values()) reject(new Error(`the launcher ended with ${code}`));
    waiting.clear();
    launcher = undefined;
  });
  return child;
}
