/** Records what comes through a pipe: from standard input, or from a command that ctx starts. The bytes are passed on as they are. */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as wait } from 'node:timers/promises';
import { CtxError } from '../../core/errors.ts';
import { ChunkReader } from '../../core/run/chunk.ts';
import { oneLine } from '../../core/text.ts';
import { timeLimit } from '../../platform/clock.ts';
import { errorCode } from '../../platform/files.ts';
import { THIS_MACHINE } from '../../platform/machine.ts';
import type { Recording, RecordResult } from './recording.ts';

/** The variable by which a run that is begun within another one knows that one: its session, and the call behind a blank. */
export const RUN_VARIABLE = 'CTX_RUN';

/** Time in which a command may end after SIGTERM, in milliseconds. */
const GRACE = 300;

export interface Piped extends RecordResult {
  /** The exit code of the command, as a shell says it; null if there was none. */
  exit: number | null;
  aborted: boolean;
  /** Lines that held no chunk. */
  problems: readonly string[];
  /** Why not all was recorded, although all was passed on; null if it was. */
  failure: CtxError | null;
}

export interface PipeOptions {
  /** Standard input, if no command is given. */
  input: Readable;
  command: readonly string[];
  environment: Readonly<Record<string, string | undefined>>;
  directory: string;
  /** Passes bytes on; resolves with false if nobody reads them any more. */
  output: (bytes: Buffer) => Promise<boolean>;
}

/** A command that is recorded. */
interface Started {
  child: ChildProcess;
  output: Readable;
  exit: Promise<number>;
}

/**
 * Records a pipe to its end. A reader of the output that leaves ends nothing.
 * @throws {CtxError} not_found, if the command cannot be started
 */
export async function recordPipe(recording: Recording, options: PipeOptions): Promise<Piped> {
  const started = options.command.length > 0 ? await start(recording, options) : null;
  const source = started?.output ?? options.input;
  let stopped = Promise.resolve();
  const giveUp = (): void => {
    if (started) stopped = stop(started.child, () => recording.subRuns().length > 0);
    else source.destroy();
  };
  recording.signal.addEventListener('abort', giveUp);
  const unlisten = onSignals(recording);
  const reader = new ChunkReader();
  let failure: CtxError | null = null;
  const record = (text: string, isLast = false): void => {
    if (failure) return;
    try {
      const chunks = reader.push(text);
      recording.write(...chunks, ...(isLast ? reader.end() : []));
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      // Chunks that come after an abort are only passed on.
      if (error.code !== 'no_such_move') failure = error;
    }
  };
  try {
    const decoder = new StringDecoder('utf8');
    let isRead = true;
    for await (const bytes of untilGone(source)) {
      record(decoder.write(bytes));
      if (isRead) isRead = await options.output(bytes);
    }
    record(decoder.end(), true);
    const exit = started ? await started.exit : null;
    if (exit !== null && exit !== 0 && !recording.signal.aborted) recording.fail(`the command ended with ${exit}`);
    const result = recording.end();
    await stopped;
    return { ...result, exit, aborted: recording.signal.aborted, problems: reader.problems, failure };
  } finally {
    unlisten();
    recording.signal.removeEventListener('abort', giveUp);
  }
}

/** Yields what a stream brings until it ends, or is destroyed. */
async function* untilGone(source: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const bytes of source) yield bytes as Buffer;
  } catch (error) {
    if (!['ERR_STREAM_PREMATURE_CLOSE', 'ABORT_ERR', 'ERR_STREAM_DESTROYED', 'EIO'].includes(errorCode(error)))
      throw error;
  }
}

/** Starts the command in a group of processes of its own: a terminal that closes does not end it. @throws {CtxError} not_found */
async function start(recording: Recording, { command, environment, directory }: PipeOptions): Promise<Started> {
  const [program = '', ...words] = command;
  const cannotStart = (error: unknown): CtxError => {
    recording.end();
    return new CtxError('not_found', `${oneLine(program, 100)} cannot be started: ${errorCode(error)}`, {
      hint: 'Nothing was recorded. Name a program that is on PATH.',
      cause: error,
    });
  };
  const start = (): ChildProcessByStdio<null, Readable, null> => {
    try {
      return spawn(program, words, {
        cwd: directory,
        stdio: ['inherit', 'pipe', 'inherit'],
        detached: true,
        env: { ...environment, CTX_SESSION: recording.session_id, [RUN_VARIABLE]: recording.session_id },
      });
    } catch (error) {
      throw cannotStart(error);
    }
  };
  const child = start();
  const exit = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
  await once(child, 'spawn').catch((error: unknown) => {
    throw cannotStart(error);
  });
  const pid = child.pid as number;
  recording.noteChild({ pid, started: THIS_MACHINE.process(pid)?.started ?? '' });
  return { child, output: child.stdout as Readable, exit };
}

/**
 * Ends a command: by SIGTERM, and soon by SIGKILL, with all that it has started. Recorders of sub-agents among these have time to end by
 * themselves: each was asked.
 */
async function stop(child: ChildProcess, hasSubRuns: () => boolean): Promise<void> {
  const pid = child.pid as number;
  send(pid, 'SIGTERM');
  await wait(GRACE);
  if (child.exitCode === null && child.signalCode === null) send(pid, 'SIGKILL');
  child.stdout?.destroy();
  for (const left = timeLimit(LONGEST_STOP); hasSubRuns() && left() > 0; ) await wait(LOOK);
  send(-pid, 'SIGKILL');
}

/** Time in which the runs of sub-agents may end, and interval at which they are checked; in milliseconds. */
const LONGEST_STOP = 3000;
const LOOK = 20;

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended, with all of its group.
  }
}

/** Takes a signal that is sent to ctx for an abort; but a terminal that closes is none. @returns what takes that back */
function onSignals(recording: Recording): () => void {
  const abort = (): void => recording.abort('user');
  const ignore = (): void => undefined;
  process.on('SIGINT', abort).on('SIGTERM', abort).on('SIGHUP', ignore);
  return () => void process.off('SIGINT', abort).off('SIGTERM', abort).off('SIGHUP', ignore);
}
