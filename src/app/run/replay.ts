/** `ctx replay`: reads the chunks of a run from its first on, and as they come; after its end, those that its message is made of. */
import { closeSync, openSync, readSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { view } from '../../core/conversation/view.ts';
import { CtxError } from '../../core/errors.ts';
import { type Chunk, isChunk } from '../../core/run/chunk.ts';
import { chunksOf } from '../../core/run/replay.ts';
import { readLog } from '../../history/runs/chunk-log.ts';
import { liveRun, runFiles } from '../../history/runs/run-status.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { loadConversation } from '../conversation/load.ts';
import { wholeMessages } from '../conversation/read.ts';
import { observedSession } from '../session/observe.ts';
import { chainBehind } from '../show.ts';
import { socketOf } from './recording.ts';
import { newsOf } from './run-socket.ts';

export interface ReplayOptions {
  /** True if chunks that come later are waited for, until the run ends. */
  follow?: boolean | undefined;
  /** Ends the wait. */
  signal?: AbortSignal | undefined;
}

/**
 * Reads the chunks of the last run of a session: from its log while it is in flight, else from its message. The reader sets the pace: one
 * that reads nothing costs the run nothing.
 * @param given a session, open or ended; the active one if absent
 * @throws {CtxError} not_found, if the session has no answer yet; ambiguous, no_active_session, damaged
 */
export async function* replayRun(
  repository: Repository,
  given?: string,
  { follow = false, signal }: ReplayOptions = {},
): AsyncGenerator<Chunk> {
  const { session_id } = chainBehind(repository, given ?? observedSession(repository));
  const live = liveRun(repository, session_id);
  const { log } = runFiles(repository.layout, session_id);
  const tail = live ? LogTail.open(log) : null;
  if (live && tail) {
    try {
      yield* tail.more();
      if (!follow) return;
      for await (const _ of newsOf(socketOf(live), signal)) yield* tail.more();
      // The run writes the rest before it closes the socket.
      yield* tail.more();
    } finally {
      tail.close();
    }
    return;
  }
  if (exists(log)) {
    for (const line of readLog(log)) if (isChunk(line)) yield line;
    return;
  }
  yield* lastMessage(repository, session_id);
}

/** The chunks of the last answer of a conversation. */
function* lastMessage(repository: Repository, session: string): Generator<Chunk> {
  const { conversation, trees } = loadConversation(repository, session);
  const answers = [...view(conversation, 'model')].filter(
    ({ message }) => message.role === 'assistant' && message.metadata?.['is_compact_summary'] !== true,
  );
  for (const message of wholeMessages(repository, answers.slice(-1), trees, 'whole')) return yield* chunksOf(message);
  throw new CtxError('not_found', 'The session has no answer that could be replayed.', {
    hint: 'See its messages with: ctx messages',
  });
}

/** Reads a log that grows, also when its name is gone. */
class LogTail {
  readonly #handle: number;
  readonly #decoder = new StringDecoder('utf8');
  readonly #bytes = Buffer.alloc(64 * 1024);
  #rest = '';

  private constructor(handle: number) {
    this.#handle = handle;
  }

  /** Null if there is no log: the run has ended just now. */
  static open(path: string): LogTail | null {
    try {
      return new LogTail(openSync(path, 'r'));
    } catch {
      return null;
    }
  }

  /** Yields the chunks that are whole by now and were not yielded before. */
  *more(): Generator<Chunk> {
    for (let read = this.#read(); read > 0; read = this.#read()) {
      const lines = (this.#rest + this.#decoder.write(this.#bytes.subarray(0, read))).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) {
        const value: unknown = JSON.parse(line);
        if (isChunk(value)) yield value;
      }
    }
  }

  #read(): number {
    return readSync(this.#handle, this.#bytes, 0, this.#bytes.length, null);
  }

  close(): void {
    closeSync(this.#handle);
  }
}
