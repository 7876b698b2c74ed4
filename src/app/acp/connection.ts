/** `ctx acp`: runs an agent of the Agent Client Protocol between a client and itself, and a recorder beside it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import { CtxError } from '../../core/errors.ts';
import { oneLine } from '../../core/text.ts';
import { errorCode } from '../../platform/files.ts';
import { type Direction, recordedLine } from './recorder.ts';
import { Relay, type StoredSession } from './relay.ts';

export interface ConnectionOptions {
  /** The program of the agent, and its words. */
  agent: readonly string[];
  directory: string;
  environment: Readonly<Record<string, string | undefined>>;
  /** The streams of the client. */
  input: Readable;
  output: Writable;
  /** The program of the recorder, and its words; null if nothing is recorded. */
  recorder: readonly string[] | null;
  stored: (sessionId: string) => StoredSession | null;
  offersLoad: boolean;
  /** Says what went wrong beside the connection. */
  warn: (problem: string) => void;
}

/** Signals that are meant for the agent. */
const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** Most that waits for the recorder, in bytes. */
const WAITING_LIMIT = 64 * 1024 * 1024;

/** Longest wait for the recorder after the agent has ended, in milliseconds. */
const RECORDER_TIME = 10_000;

/**
 * Passes on all that client and agent send each other, until the agent ends.
 * @returns its exit code; what a shell would say if a signal ended it
 * @throws {CtxError} not_found, if the program is not installed
 */
export async function connectAgent(options: ConnectionOptions): Promise<number> {
  const { agent, input, output, warn, stored, offersLoad } = options;
  const child = startAgent(options);
  const exited = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  exited.catch(() => undefined);
  await once(child, 'spawn').catch((error: unknown) => {
    throw cannotStart(agent, error);
  });
  const recorder = options.recorder && new RecorderProcess(options.recorder, options);
  const relay = new Relay({
    toAgent: writerOf(child.stdin, input),
    toClient: writerOf(output, child.stdout),
    tap: (direction, line) => recorder?.take(direction, line),
    stored: (id) => {
      try {
        return stored(id);
      } catch (error) {
        warn(`The session ${id} could not be read: ${error instanceof Error ? error.message : String(error)}`);
        return null;
      }
    },
    offersLoad,
  });
  input.on('data', (chunk: Buffer) => relay.client(chunk));
  input.on('end', () => {
    relay.endClient();
    child.stdin.end();
  });
  child.stdout.on('data', (chunk: Buffer) => relay.agent(chunk));
  child.stdout.on('end', () => relay.endAgent());
  // A side that is gone takes nothing more; the other one notices by its own stream.
  child.stdin.on('error', () => undefined);
  output.on('error', () => child.stdin.end());
  const passOn = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    const [code, signal] = await exited;
    await flushed(output);
    await recorder?.end();
    return signal === null ? (code ?? 1) : 128 + constants.signals[signal];
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
    input.removeAllListeners('data');
    input.pause();
    (input as { unref?: () => void }).unref?.();
  }
}

/** Starts the program of the agent. @throws {CtxError} not_found, if its line cannot even be tried */
function startAgent({ agent, directory, environment }: ConnectionOptions) {
  const [program = '', ...words] = agent;
  try {
    return spawn(program, words, {
      cwd: directory,
      env: environment as NodeJS.ProcessEnv,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
  } catch (error) {
    throw cannotStart(agent, error);
  }
}

/** Describes that a program cannot be started. */
function cannotStart([program = '']: readonly string[], error: unknown): CtxError {
  const code = errorCode(error);
  const why = code === 'ENOENT' ? 'is not installed here, or is not on PATH' : `cannot be started (${code})`;
  return new CtxError('not_found', `${oneLine(program, 100)} ${why}.`, {
    hint: 'Name the agent as you would type it: ctx acp -- gemini --acp',
    cause: error,
  });
}

/** Returns a function that writes to a stream, and lets the source wait while the stream is full. */
function writerOf(to: Writable, from: Readable): (bytes: Buffer) => void {
  to.on('drain', () => from.resume());
  return (bytes) => {
    if (to.writable && !to.write(bytes)) from.pause();
  };
}

/** Waits until the reader of a stream has all that was written, or is gone: the process ends after it. */
const flushed = (stream: Writable): Promise<void> =>
  new Promise((resolve) => {
    if (!stream.writable) resolve();
    else stream.write('', () => resolve());
  });

/** The recorder, in a process of its own: nothing that happens to it reaches the connection. */
class RecorderProcess {
  readonly #child: ChildProcess;
  readonly #warn: (problem: string) => void;
  readonly #exited: Promise<unknown>;
  #isOver = false;

  constructor([program = '', ...words]: readonly string[], { directory, environment, warn }: ConnectionOptions) {
    this.#warn = warn;
    // In a group of its own: a signal that ends the client's programs does not end what is still to be written.
    this.#child = spawn(program, words, {
      cwd: directory,
      env: environment as NodeJS.ProcessEnv,
      stdio: ['pipe', 'ignore', 'inherit'],
      detached: true,
    });
    this.#exited = once(this.#child, 'close').catch(() => undefined);
    this.#child.on('error', () => this.#stop('The recorder could not be started'));
    this.#child.on('exit', (code) => {
      if (!this.#isOver) this.#stop(`The recorder ended (${code})`);
    });
    this.#child.stdin?.on('error', () => undefined);
  }

  take(direction: Direction, line: Buffer): void {
    const stdin = this.#child.stdin;
    if (this.#isOver || !stdin) return;
    if (stdin.writableLength > WAITING_LIMIT) {
      this.#stop('The recorder is too slow');
      stdin.end();
      return;
    }
    stdin.write(`${recordedLine(direction, new Date().toISOString(), line.toString('utf8').replace(/\r?\n$/, ''))}\n`);
  }

  #stop(why: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#warn(`${why}: nothing more of this connection is recorded. What was recorded stays.`);
  }

  /** Ends the recorder, and waits a while for what it still writes. */
  async end(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#child.stdin?.end();
    let late: NodeJS.Timeout | undefined;
    const enough = new Promise((resolve) => {
      late = setTimeout(resolve, RECORDER_TIME);
    });
    await Promise.race([this.#exited, enough]);
    clearTimeout(late);
    this.#child.unref();
  }
}
