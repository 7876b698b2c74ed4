/** Records the sessions of a connection of the Agent Client Protocol: lines come in as they are said, and become steps. */
import { acp } from '../../agents/acp/index.ts';
import { Listener } from '../../agents/acp/sessions.ts';
import { CtxError } from '../../core/errors.ts';
import { type JsonObject, objectOf, parseJson, textOf } from '../../core/json.ts';
import { noteHookError } from '../../history/store/hook-errors.ts';
import type { Repository } from '../../history/store/repository.ts';
import { toCtxError } from '../../platform/machine-errors.ts';
import { ingestRecognised } from '../intake/ingest.ts';
import type { TranscriptText } from '../transcript/text.ts';

/** Sender and receiver of a line. */
export type Direction = 'client->agent' | 'agent->client';

/** Most that waits for a store that cannot be written, in UTF-16 code units. */
const WAITING_LIMIT = 64 * 1024 * 1024;
/** Most lines that belong to no session. */
const SHARED_LIMIT = 64;
/** Longest line that is recorded, in UTF-16 code units. */
const LINE_LIMIT = 16 * 1024 * 1024;

/** Returns a line of a recording. @param ts when it was said, as an ISO time */
export const recordedLine = (dir: Direction, ts: string, raw: string): string => JSON.stringify({ dir, ts, raw });

/** Results of one recorder. */
export interface Recorded {
  /** Ids of the sessions in the store. */
  sessions: string[];
  lines: number;
  /** Problems that occurred, once each. */
  problems: string[];
}

/** Records one connection. What cannot be written is tried again with the next lines. */
export class AcpRecorder {
  readonly #open: () => Repository;
  readonly #listener = new Listener();
  /** Lines of no session, which each session begins with: what client and agent are. */
  readonly #shared: string[] = [];
  /** Requests for sessions that have no id yet, by their place in the connection. */
  readonly #unborn = new Map<number, string>();
  /** Lines that are not recorded yet, by session. */
  readonly #waiting = new Map<string, string[]>();
  /** Sessions in which something has come to an end. */
  readonly #due = new Set<string>();
  readonly #begun = new Set<string>();
  /** Sessions in which the user or the agent has said something. */
  readonly #spoken = new Set<string>();
  readonly #sessions = new Set<string>();
  readonly #problems = new Set<string>();
  #size = 0;
  #lines = 0;

  /** @param open opens the store */
  constructor(open: () => Repository) {
    this.#open = open;
  }

  /** Takes one line of a recording, as `recordedLine` makes it. */
  line(text: string): void {
    if (text.trim() === '') return;
    this.#lines += 1;
    if (text.length > LINE_LIMIT || this.#size + text.length > WAITING_LIMIT) {
      this.#problems.add('A part of the connection is not recorded: it is too much for the memory.');
      return;
    }
    this.#listener.take(text);
    const at = this.#listener.owners.length - 1;
    const owner = this.#listener.owners[at] ?? null;
    if (owner === null) {
      if (this.#shared.length < SHARED_LIMIT) this.#shared.push(text);
    } else if (owner === '') this.#unborn.set(at, text);
    else {
      this.#linesOf(owner).push(text);
      this.#size += text.length;
      const { speaks, ends } = meaningOf(text);
      if (speaks) this.#spoken.add(owner);
      if (ends) this.#due.add(owner);
    }
  }

  #linesOf(session: string): string[] {
    const waiting = this.#waiting.get(session) ?? [];
    this.#waiting.set(session, waiting);
    if (this.#begun.has(session)) return waiting;
    this.#begun.add(session);
    waiting.push(...this.#shared);
    for (const [at, text] of this.#unborn) {
      if (this.#listener.owners[at] !== session) continue;
      waiting.push(text);
      this.#unborn.delete(at);
    }
    return waiting;
  }

  /** Writes the sessions in which something has come to an end; with `all`, everything that waits. */
  flush(all = false): void {
    for (const [session, lines] of this.#waiting) {
      // A session without a word begins nothing.
      if (lines.length === 0 || !this.#spoken.has(session) || !(all || this.#due.has(session))) continue;
      if (!this.#write(session, lines)) continue;
      this.#due.delete(session);
      this.#size = Math.max(0, this.#size - lines.reduce((sum, line) => sum + line.length, 0));
      this.#waiting.set(session, []);
    }
  }

  #write(session: string, lines: readonly string[]): boolean {
    let repository: Repository | undefined;
    try {
      repository = this.#open();
      const recognised = { agent: acp, agentSession: session, text: tailText(lines) };
      const result = ingestRecognised(repository, recognised, {});
      if (result.session_id) this.#sessions.add(result.session_id);
      return true;
    } catch (error) {
      const { code, message } = asError(error);
      this.#problems.add(message);
      if (repository && code !== 'busy')
        noteHookError(repository.layout, { at: repository.clock(), agent: 'acp', event: 'recording', code, message });
      return false;
    }
  }

  get result(): Recorded {
    return { sessions: [...this.#sessions], lines: this.#lines, problems: [...this.#problems] };
  }
}

function asError(error: unknown): { code: string; message: string } {
  const known = toCtxError(error);
  return known instanceof CtxError ? known : { code: 'bug', message: String(known) };
}

/** Updates that continue what is said: to write between two of them would cut words, and a secret in them, in two. */
const PIECES = /^(?:agent_message|agent_thought|user_message|compaction_summary)_chunk$/;

/** Meaning of a line of a recording for its session. */
interface Meaning {
  /** True if somebody says something in it. */
  speaks: boolean;
  /** True if it ends something: it is an answer, a question to the user, or an update that is no piece of words. */
  ends: boolean;
}

function meaningOf(line: string): Meaning {
  const message = messageIn(line);
  if (!message) return { speaks: false, ends: false };
  const method = textOf(message['method']);
  const update = objectOf(objectOf(message['params'])?.['update']);
  const kind = textOf(update?.['sessionUpdate']) ?? '';
  if (method === undefined || method === 'session/request_permission') return { speaks: false, ends: true };
  if (method !== 'session/update') return { speaks: method === 'session/prompt', ends: false };
  const isPiece = PIECES.test(kind);
  return { speaks: isPiece, ends: !isPiece && (update?.['status'] ?? 'completed') === 'completed' };
}

function messageIn(line: string): JsonObject | undefined {
  try {
    const raw = textOf(objectOf(parseJson(line))?.['raw']);
    return raw === undefined ? undefined : objectOf(parseJson(raw));
  } catch {
    return undefined;
  }
}

/** Returns a text of new lines, which begin wherever the conversation was read to. */
const tailText = (lines: readonly string[]): TranscriptText => ({
  file: '',
  size: () => Number.MAX_SAFE_INTEGER,
  writtenAt: () => 0,
  *pieces() {
    for (const line of lines) yield Buffer.from(`${line}\n`);
  },
  isTail: true,
  lineInFile: (line) => line,
});
