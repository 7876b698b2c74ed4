/** Writes the rollouts of one conversation of Codex, in several files: it takes turns back by going on in another one. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const ID = '01a1f000-0000-7000-8000-0000000000aa';
/** Noon of the day on which the clock of a project stands. */
export const NOON = Date.parse('2026-01-21T12:00:00Z');

/** Folder of its rollouts, and folder of the agent's work. */
interface Place {
  home: string;
  cwd: string;
}

/** Writes the rollouts of one thread, as Codex does since 0.146. */
export class Thread {
  readonly files: string[] = [];
  readonly #sessions: string;
  readonly #cwd: string;
  readonly #isNumbered: boolean;
  #meta = {};
  #ordinal = 0;
  #tokens = 0;
  /** Seconds since noon. */
  #now = 0;

  readonly #id: string;
  /** True if a file that goes on with another names that itself, as Codex does, or only its thread. */
  readonly #namesFile: boolean;
  #rollout: string;
  #day = 21;

  /** @param isNumbered whether its records tell their ordinals */
  constructor({ home, cwd }: Place, isNumbered = true, id = ID, namesFile = false) {
    this.#id = id;
    this.#namesFile = namesFile;
    this.#rollout = id;
    this.#sessions = join(home, '.codex', 'sessions', '2026', '01');
    this.#cwd = cwd;
    this.#isNumbered = isNumbered;
  }

  /** The next rollout lies in the folder of another day. */
  sleep(): void {
    this.#day += 1;
  }

  /** Begins a file; of the one before it, what came before an ordinal stays, with its tokens. */
  begin(base?: { ordinal: number; tokens?: number }): void {
    const hour = String(12 + this.files.length);
    this.#now = this.files.length * 3600;
    const isFirst = this.files.length === 0;
    const before = this.#namesFile ? this.#rollout : this.#id;
    this.#rollout = isFirst ? this.#id : `01a1f000-0000-7000-8000-0000000000b${this.files.length}`;
    const name = `rollout-2026-01-${this.#day}T${hour}-00-00-${this.#id}${isFirst ? '' : `_${this.#rollout}`}.jsonl`;
    this.files.push(join(this.#sessions, String(this.#day), name));
    mkdirSync(dirname(this.file), { recursive: true });
    this.#ordinal = base?.ordinal ?? 0;
    this.#tokens = base?.tokens ?? this.#tokens;
    const end = { end_ordinal_exclusive: base?.ordinal, end_byte_offset: 1 };
    const told = base ? { history_base: { thread_id: before, ...end } } : {};
    this.#meta = { id: this.#id, cwd: this.#cwd, history_mode: 'paginated', ...told };
    this.resume();
  }

  /** Begins the file, or opens it again: then it tells once more what it is. */
  resume(): void {
    this.#put('session_meta', this.#meta);
  }

  get file(): string {
    return this.files.at(-1) as string;
  }

  /** One turn of so many tokens; gives where it begins. */
  turn(words: string, tokens: number): { ordinal: number; tokens: number } {
    const start = { ordinal: this.#ordinal, tokens: this.#tokens };
    this.#put('event_msg', { type: 'task_started', turn_id: words });
    this.#say('user', words);
    this.#say('assistant', `${words}: done`);
    this.#tokens += tokens;
    const total_token_usage = { input_tokens: this.#tokens, output_tokens: 0 };
    const last_token_usage = { input_tokens: tokens, output_tokens: 0 };
    this.#put('event_msg', { type: 'token_count', info: { total_token_usage, last_token_usage } });
    this.#put('event_msg', { type: 'task_complete', last_agent_message: `${words}: done` });
    return start;
  }

  #say(role: string, text: string): void {
    this.#put('response_item', {
      type: 'message',
      role,
      content: [{ type: `${role === 'user' ? 'in' : 'out'}put_text`, text }],
    });
  }

  #put(type: string, payload: object): void {
    this.#now += 1;
    const timestamp = new Date(NOON + this.#now * 1000).toISOString();
    const ordinal = this.#isNumbered ? { ordinal: this.#ordinal } : {};
    appendFileSync(this.file, `${JSON.stringify({ timestamp, ...ordinal, type, payload })}\n`);
    this.#ordinal += 1;
  }
}
