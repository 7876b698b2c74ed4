// One conversation that reaches ctx by several mouths, in any order: its hooks, its growing transcript, a copy of that, and all of it again.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AGENTS, isHooked } from '../../../src/agents/index.ts';
import { handleHook } from '../../../src/app/intake/hook/hook.ts';
import { ingestTranscript } from '../../../src/app/intake/ingest.ts';
import { handleChoice } from '../../../src/app/intake/message/message.ts';
import { CtxError } from '../../../src/core/errors.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { readSteps } from '../../../src/history/chain/chain.ts';
import { ARCHIVE, SESSIONS } from '../../../src/history/names/layout.ts';
import { sessionsWithChoice } from '../../../src/history/pending/choices.ts';
import { uuidSource } from '../../../src/platform/ids.ts';
import { makeProject, type Project } from '../../support/store.ts';

/** A conversation: what its hooks receive, and its transcript as it grows. */
export interface Day {
  name: string;
  agent: string;
  /** Name of the file of the transcript. */
  file: string;
  /** The folder that it took place in, which is replaced by that of the test. */
  folder: string;
  hooks: { at: number; payload: JsonObject }[];
  /** The text of the transcript, by how much of it is there. */
  texts: string[];
}

/** The next event: so many lines more, the next hook, both reports of it, a reading, one of a copy, or a kill of the next. */
export type Turn =
  | { do: 'write'; lines: number }
  | { do: 'hook' | 'twice' | 'read' | 'copy' }
  | { do: 'kill'; at: number };

/** Stored state of a conversation, over all of its sessions. */
export interface Kept {
  ids: string[];
  /** Number of times that each message was kept, by its id. */
  messages: Map<string, number>;
  /** Lines of the transcript in them, and those that were kept as they are. */
  lines: number;
  /** Number of times that each deed was kept, by its call and what it did; and without its call. */
  deeds: Map<string, number>;
  acts: Map<string, number>;
  calls: Set<string>;
  /** Parts and results that come before their message or call. */
  early: string[];
}

const DEEDS = ['read', 'write', 'delete', 'command', 'plan'];

const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);

export class Conversation {
  readonly project: Project;
  readonly #day: Day;
  readonly #file: string;
  #written = 0;
  #reported = 0;
  #killAt: number | null = null;
  /** Calls whose report was killed. */
  readonly lost = new Set<number>();
  readonly errors: string[] = [];

  constructor(day: Day) {
    this.#day = day;
    this.project = makeProject();
    mkdirSync(join(this.project.folder, '.git'));
    this.#file = join(this.project.folder, 'agents', day.file);
    mkdirSync(dirname(this.#file));
    this.project.clock.now = day.hooks[0]?.at ?? this.project.clock.now;
  }

  /** Takes turns, then all that is left, the hooks first or the transcript; at last everything is read once more. */
  async run(turns: readonly Turn[], isHooksFirst: boolean): Promise<void> {
    for (const turn of turns) await this.#take(turn);
    if (!isHooksFirst) this.#write(Number.POSITIVE_INFINITY);
    while (this.#reported < this.#day.hooks.length) await this.#report(1);
    this.#write(Number.POSITIVE_INFINITY);
    this.#read(this.#file);
    this.#read(this.#copy());
  }

  async runHooks(): Promise<void> {
    while (this.#reported < this.#day.hooks.length) await this.#report(1);
  }

  runTranscript(): void {
    this.#write(Number.POSITIVE_INFINITY);
    this.#read(this.#file);
  }

  async #take(turn: Turn): Promise<void> {
    if (turn.do === 'write') this.#write(turn.lines);
    else if (turn.do === 'kill') this.#killAt = turn.at;
    else if (turn.do === 'read') this.#read(this.#file);
    else if (turn.do === 'copy') this.#read(this.#copy());
    else await this.#report(turn.do === 'twice' ? 2 : 1);
  }

  #write(lines: number): void {
    this.#written = Math.min(this.#day.texts.length, this.#written + lines);
    const text = this.#day.texts[this.#written - 1];
    if (text === undefined) return;
    writeFileSync(this.#file, this.#here(text));
    this.project.clock.now = Math.max(this.project.clock.now, timeOf(text));
  }

  #copy(): string {
    const copy = join(this.project.folder, 'copies', basename(this.#file));
    mkdirSync(dirname(copy), { recursive: true });
    if (existsSync(this.#file)) cpSync(this.#file, copy);
    return copy;
  }

  readonly #here = (text: string): string => text.replaceAll(this.#day.folder, this.project.folder);

  async #report(times: number): Promise<void> {
    const index = this.#reported;
    const hook = this.#day.hooks[index];
    if (!hook) return;
    this.#reported += 1;
    this.project.clock.now = Math.max(this.project.clock.now, hook.at);
    const { transcript_path, ...rest } = JSON.parse(this.#here(JSON.stringify(hook.payload))) as JsonObject;
    const payload = JSON.stringify({
      ...rest,
      cwd: this.project.folder,
      transcript_path: transcript_path === null ? null : this.#file,
    });
    for (let time = 0; time < times; time += 1) {
      const killed = await this.#killable(async (options) => {
        const { folder, clock } = this.project;
        await handleHook(this.#day.agent, payload, { directory: folder, clock, environment: {}, ...options });
      });
      if (killed) this.lost.add(index);
    }
  }

  #read(file: string): void {
    if (!existsSync(file)) return;
    void this.#killable((options) => {
      for (const id of sessionsWithChoice(this.project.open())) this.#answer(id);
      try {
        ingestTranscript(this.project.open(options), file, { agent: this.#day.agent });
      } catch (error) {
        // Nothing of a conversation is there yet.
        if (!(error instanceof CtxError) || error.code !== 'invalid_input') throw error;
      }
    });
  }

  /** Answers a question of ctx's, which would block an ingest. */
  #answer(session: string): void {
    try {
      handleChoice({ ...this.project.open(), session }, 'continue');
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== 'no_choice') throw error;
    }
  }

  /** Does something that a kill may cut off: before an id that it makes, or before it removes what it has flushed. */
  #killable(work: (options: { ids?: () => string }) => Promise<void> | void): Promise<boolean> {
    const at = this.#killAt;
    this.#killAt = null;
    if (at === null) return Promise.resolve(work({})).then(() => false);
    const { store } = this.project;
    const [pending, before] = [join(store, 'pending'), join(this.project.folder, `before-${uuidSource()()}`)];
    if (existsSync(pending)) cpSync(pending, before, { recursive: true });
    const after = (): boolean => {
      if (at % 2 === 1 && existsSync(before)) cpSync(before, pending, { recursive: true, force: false });
      if (at % 3 === 0) rmSync(join(store, 'cache'), { recursive: true, force: true });
      rmSync(before, { recursive: true, force: true });
      return at % 2 === 0;
    };
    const ids = at % 2 === 0 ? { ids: cutOff(at / 2) } : {};
    try {
      return Promise.resolve(work(ids)).then(after, (error) => {
        if (!(error instanceof Killed)) throw error;
        return after();
      });
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      return Promise.resolve(after());
    }
  }

  /** Returns the stored state of all sessions. */
  kept(): Kept {
    const repository = this.project.open();
    const kept: Kept = {
      ids: [],
      messages: new Map(),
      lines: 0,
      deeds: new Map(),
      acts: new Map(),
      calls: new Set(),
      early: [],
    };
    const ids = [SESSIONS, ARCHIVE].flatMap((prefix) => [...repository.refs.list(prefix).keys()]);
    for (const ref of ids) {
      const head = repository.refs.read(ref) as string;
      for (const { records } of readSteps(repository.objects, head, true))
        for (const record of records) take(kept, record as unknown as JsonObject);
    }
    // A part is of a message of its own session, or of one before it.
    kept.early = kept.early.filter((id) => !kept.messages.has(id));
    return kept;
  }
}

/** When the last line of a transcript was written, in Unix seconds; 0 if it does not say. */
function timeOf(text: string): number {
  const [, timestamp] = /"timestamp": ?"([^"]+)"/.exec(text.trimEnd().split('\n').at(-1) ?? '') ?? [];
  return timestamp === undefined ? 0 : Math.floor(Date.parse(timestamp) / 1000);
}

class Killed extends Error {}

/** Ids of which one is never made: whoever asks for it is killed. */
function cutOff(after: number): () => string {
  const ids = uuidSource();
  let left = after;
  return () => {
    left -= 1;
    if (left < 0) throw new Killed('killed');
    return ids();
  };
}

function take(kept: Kept, record: JsonObject): void {
  const { id, kind, message, part, lines, message_id, tool_call_id, path, command } = record as unknown as {
    id: string;
    kind: string;
    message?: { id: string; metadata: { lines?: unknown[] } };
    part?: JsonObject;
    lines?: unknown[];
    message_id?: string;
    tool_call_id?: string;
    path?: string;
    command?: string;
  };
  kept.ids.push(id);
  kept.lines += kind === 'raw' ? 1 : (message?.metadata.lines?.length ?? lines?.length ?? 0);
  if (message) count(kept.messages, message.id);
  if (part && message_id !== undefined && !kept.messages.has(message_id)) kept.early.push(message_id);
  if (!DEEDS.includes(kind)) return;
  const act = `${kind} ${path ?? command ?? ''}`;
  count(kept.acts, act);
  count(kept.deeds, `${tool_call_id} ${act}`);
  if (tool_call_id !== undefined) kept.calls.add(tool_call_id);
}

/**
 * Makes the ids of calls unique, as real models' are: those of a recorded server are numbers, and a hook that reports a number
 * after its turn has ended is taken for another call.
 */
const withUniqueCalls = (text: string): string =>
  text
    .replaceAll('toolu_0000', 'toolu_01Ab')
    .replaceAll(
      /\bcall_(\d+b?)(?:_(\d+))?(?!\w)/g,
      (_, number: string, part = '') => `call_${`${number}x${part}`.padStart(18, '0a')}`,
    );

/** Days of recorded payloads whose transcripts are there, in files of lines. */
export function* recordedDays(shared: string, agent: string): Generator<Day> {
  const payloads = withUniqueCalls(readFileSync(join(shared, 'payloads', `${agent}.jsonl`), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; at_ms: number | null; payload: JsonObject });
  const folder = join(shared, 'transcripts', `${agent}-current`);
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.jsonl'))) {
    const lines = withUniqueCalls(readFileSync(join(folder, file), 'utf8'))
      .trimEnd()
      .split('\n');
    const texts = lines.map((_, index) => `${lines.slice(0, index + 1).join('\n')}\n`);
    const hooks = payloads
      .filter(({ payload }) => {
        const id = String(payload['session_id'] ?? payload['sessionId'] ?? '-');
        return file.includes(id) || (agent === 'gemini' && file.includes(id.slice(0, 8)));
      })
      .flatMap(({ at_ms, payload }) => {
        const own = agent === 'pi' ? ofExtension(payload) : payload;
        const at = at_ms ?? Number(payload['t']) * 1000;
        return own ? [{ at: Math.floor(at / 1000), payload: own }] : [];
      });
    if (hooks.length > 0) yield { name: `${agent} ${file}`, agent, file, folder: '/home/dev/project', hooks, texts };
  }
}

/** Returns the events that ctx's own extension passes on for an event of pi's. */
function ofExtension({ event, sessionId, body }: JsonObject): JsonObject | null {
  const of = { session_id: sessionId ?? null };
  const { text, toolName, toolCallId, input, content, isError, reason, messages } = (body ?? {}) as JsonObject;
  const words = (parts: unknown): string =>
    (Array.isArray(parts) ? parts : []).map((part) => String((part as JsonObject)['text'] ?? '')).join('');
  if (event === 'session_start') return { hook_event_name: event, ...of, source: reason ?? 'startup' };
  if (event === 'input') return { hook_event_name: 'prompt', ...of, prompt: text ?? '' };
  if (event === 'tool_result') {
    const told = { tool_name: toolName ?? '', tool_call_id: toolCallId ?? '', tool_input: input ?? null };
    return { hook_event_name: event, ...of, ...told, tool_output: words(content), failed: isError === true };
  }
  if (event === 'agent_end') {
    const last = (Array.isArray(messages) ? messages : []).at(-1) as JsonObject | undefined;
    return { hook_event_name: 'turn_end', ...of, text: words(last?.['content']) };
  }
  return event === 'session_shutdown' ? { hook_event_name: 'end', ...of } : null;
}

/** A day of opencode's, made of a document: it grows by a message at a time, and its plugin reports what happens in it. */
export function dayOfDocument(path: string): Day {
  type Part = {
    type: string;
    text?: string;
    tool?: string;
    callID?: string;
    synthetic?: boolean;
    state?: { status: string; input: JsonObject; output?: string; metadata?: JsonObject };
  };
  const { info, messages } = JSON.parse(withUniqueCalls(readFileSync(path, 'utf8'))) as {
    info: { id: string; directory: string };
    messages: { info: { role: string; time: { created: number } }; parts: Part[] }[];
  };
  const texts = messages.map((_, index) => JSON.stringify({ info, messages: messages.slice(0, index + 1) }));
  const of = { session_id: info.id, sub_agent: null, transcript_path: null };
  const hooks = messages.flatMap(({ info: { role, time }, parts }) => {
    const at = Math.floor(time.created / 1000);
    const text = parts
      .filter((part) => part.type === 'text' && !part.synthetic)
      .map((part) => part.text)
      .join('\n');
    if (role === 'user') return [{ at, payload: { hook_event_name: 'prompt', ...of, prompt: text } as JsonObject }];
    const tools = parts.filter(({ type, state }) => type === 'tool' && state?.status === 'completed');
    const reports = tools.map(({ tool = '', callID = '', state }) => ({
      ...{ hook_event_name: 'tool_result', ...of, tool_name: tool, tool_call_id: callID },
      ...{ tool_input: state?.input ?? null, tool_output: state?.output ?? '', tool_told: state?.metadata ?? {} },
    }));
    const ends = text === '' ? [] : [{ hook_event_name: 'turn_end', ...of, text }];
    return [...reports, ...ends].map((payload) => ({ at, payload: payload as JsonObject }));
  });
  return {
    name: `opencode ${basename(path)}`,
    agent: 'opencode',
    file: 'door.json',
    folder: info.directory,
    hooks,
    texts,
  };
}

/** Checks if hooks of this agent name the calls of its tools. */
export const namesCalls = (agent: string): boolean =>
  agent !== 'gemini' && AGENTS.some((known) => isHooked(known) && known.name === agent);

/** A short day of Claude Code's, of our own: two turns with a command each, the first of which also writes a file. */
export function dayOfOurs(): Day {
  const folder = '/home/dev/acme';
  const session = 'dddddddd-1111-4111-8111-111111111111';
  const started = 1_769_040_000;
  const lines: JsonObject[] = [];
  const hooks: Day['hooks'] = [];
  const hook = (hook_event_name: string, fields: JsonObject): void =>
    void hooks.push({ at: started + lines.length, payload: { hook_event_name, session_id: session, ...fields } });
  const line = (type: 'user' | 'assistant', content: string | JsonObject[], more: JsonObject = {}): void => {
    const at = lines.length;
    const of = { sessionId: session, cwd: folder, version: '2.1.0', isSidechain: false };
    const timestamp = new Date((started + at) * 1000).toISOString();
    const message = { role: type, content, ...(type === 'assistant' && { id: `msg_${at}`, model: 'model' }) };
    const parentUuid = at === 0 ? null : `u${at - 1}`;
    lines.push({ type, uuid: `u${at}`, parentUuid, timestamp, ...of, message, ...more });
  };
  const tool = (id: string, name: string, input: JsonObject, response: JsonObject): void => {
    line('assistant', [{ type: 'tool_use', id, name, input }]);
    line('user', [{ type: 'tool_result', tool_use_id: id, content: 'ok' }], { toolUseResult: response });
    hook('PostToolUse', { tool_name: name, tool_use_id: id, tool_input: input, tool_response: response });
  };
  const shell = { stdout: 'ok', stderr: '', interrupted: false, isImage: false };
  hook('SessionStart', { source: 'startup' });
  for (const [turn, prompt] of ['Add retry to the client', 'Also add a log of each try'].entries()) {
    hook('UserPromptSubmit', { prompt, prompt_id: `prompt-${turn}` });
    line('user', prompt);
    tool(`toolu_01Command0000000000${turn}`, 'Bash', { command: 'npm test' }, shell);
    const file = `${folder}/src/retry-${turn}.ts`;
    const written = { type: 'create', filePath: file, content: 'export {};\n' };
    tool(`toolu_01Written0000000000${turn}`, 'Write', { file_path: file, content: 'export {};\n' }, written);
    line('assistant', [{ type: 'text', text: 'It is in.' }]);
    hook('Stop', { last_assistant_message: 'It is in.' });
  }
  hook('SessionEnd', { reason: 'other' });
  const texts = lines.map(
    (_, index) =>
      `${lines
        .slice(0, index + 1)
        .map((each) => JSON.stringify(each))
        .join('\n')}\n`,
  );
  return { name: 'claude-code', agent: 'claude-code', file: `${session}.jsonl`, folder, hooks, texts };
}
