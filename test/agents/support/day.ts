/** An agent's day, as its hooks and its transcript tell it: payloads and lines of the recorded shapes, through the real program. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { git, NOON, type Result, type RunOptions, run, start } from '../../support/cli.ts';
import { gitBytes } from '../../support/store.ts';

export interface Told extends RunOptions {
  /** True if standard output may say something; what it says is looked at by the caller. */
  speaks?: boolean;
}

/** The answer to the agent on stdout. */
export interface Reply {
  hookSpecificOutput: { hookEventName: string; additionalContext: string };
}

/** A conversation of Claude Code's. */
export class Conversation {
  readonly id: string;
  readonly dir: string;
  readonly transcript: string;
  /** Recorded time of what happens next, Unix seconds. */
  now = NOON;
  /** Texts of the messages that stand in the transcript, in order. */
  readonly said: string[] = [];
  #count = 0;
  #parent: string | null = null;

  constructor(dir: string, id: string, transcripts = join(dir, '..', 'transcripts')) {
    this.id = id;
    this.dir = dir;
    this.transcript = join(transcripts, `${id}.jsonl`);
  }

  /** Runs one hook to its end; it must end with 0 and say nothing that the agent would not understand. */
  hook(event: string, fields: object = {}, options: Told = {}): Reply | null {
    const ran = run(['hook', 'claude-code'], { ...this.#options(options), input: this.payload(event, fields) });
    return replyOf(ran, event);
  }

  /** Starts one, for several at once. */
  async hookBeside(event: string, fields: object = {}, options: Told = {}): Promise<Reply | null> {
    return replyOf(
      await start(['hook', 'claude-code'], { ...this.#options(options), input: this.payload(event, fields) }),
      event,
    );
  }

  #options({ speaks: _, ...options }: Told): RunOptions {
    return { cwd: this.dir, now: this.now, ...options };
  }

  payload(event: string, fields: object): string {
    const { id: session_id, transcript: transcript_path, dir: cwd } = this;
    return `${JSON.stringify({ session_id, transcript_path, cwd, hook_event_name: event, ...fields })}\n`;
  }

  prompt(prompt: string, options: Told = {}): Reply | null {
    return this.hook('UserPromptSubmit', { permission_mode: 'default', prompt }, options);
  }

  stop(last_assistant_message: string | null, options: Told = {}): Reply | null {
    return this.hook('Stop', { stop_hook_active: false, last_assistant_message, background_tasks: [] }, options);
  }

  /** A tool has come back. */
  tool(name: string, tool_input: object, tool_response: unknown, id: string, more: object = {}): Reply | null {
    return this.hook('PostToolUse', toolFields(name, tool_input, tool_response, id, more));
  }

  /** One more line of the transcript. */
  line(record: object, end = '\n'): void {
    this.#count += 1;
    const uuid = `${this.id.slice(0, 8)}-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
    const about = { isSidechain: false, userType: 'external', cwd: this.dir, sessionId: this.id, version: '2.1.330' };
    const timestamp = new Date(this.now * 1000 + this.#count).toISOString();
    this.write(`${JSON.stringify({ parentUuid: this.#parent, ...about, ...record, uuid, timestamp })}${end}`);
    this.#parent = uuid;
  }

  write(text: string): void {
    mkdirSync(dirname(this.transcript), { recursive: true });
    appendFileSync(this.transcript, text);
  }

  /** Writes the file anew. */
  rewrite(text: string): void {
    writeFileSync(this.transcript, text);
  }

  lineOfUser(text: string): void {
    this.said.push(text);
    this.line({ type: 'user', message: { role: 'user', content: text } });
  }

  lineOfAgent(text: string): void {
    this.said.push(text);
    this.line({ type: 'assistant', message: this.#message([{ type: 'text', text }], 'end_turn') });
  }

  lineOfCall(name: string, input: object, id: string): void {
    this.line({ type: 'assistant', message: this.#message([{ type: 'tool_use', id, name, input }], 'tool_use') });
  }

  lineOfResult(id: string, content: string, toolUseResult: unknown, is_error = false): void {
    const block = { tool_use_id: id, type: 'tool_result', content, is_error };
    this.line({ type: 'user', message: { role: 'user', content: [block] }, toolUseResult });
  }

  lineOfInterrupt(): void {
    const content = [{ type: 'text', text: '[Request interrupted by user]' }];
    this.line({ type: 'user', message: { role: 'user', content } });
  }

  #message(content: object[], stop_reason: string): object {
    const usage = { input_tokens: 100, output_tokens: 20, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const id = `msg_${this.id.slice(0, 8)}_${this.#count}`;
    return { id, type: 'message', role: 'assistant', model: 'claude-opus-5-5', content, stop_reason, usage };
  }

  /** A whole turn: the prompt, a command, and the answer, which is written only after the hook of the turn's end. */
  turn(prompt: string, command: string, answer: string): void {
    const id = `toolu_${this.id.slice(0, 4)}_${this.#count}`;
    this.prompt(prompt);
    this.lineOfUser(prompt);
    this.lineOfCall('Bash', { command }, id);
    this.tool('Bash', { command }, shell('ok'), id);
    this.lineOfResult(id, 'ok', shell('ok'));
    this.stop(answer);
    this.lineOfAgent(answer);
  }
}

export const shell = (stdout: string, stderr = ''): object => ({ stdout, stderr, interrupted: false, isImage: false });

export const toolFields = (
  name: string,
  tool_input: object,
  tool_response: unknown,
  id: string,
  more = {},
): object => ({
  tool_name: name,
  tool_input,
  tool_response,
  tool_use_id: id,
  duration_ms: 31,
  ...more,
});

function replyOf(ran: Result, event: string): Reply | null {
  expect(ran, ran.stderr).toMatchObject({ code: 0, stderr: '' });
  if (ran.stdout === '') return null;
  const reply = JSON.parse(ran.stdout) as Reply;
  expect(ran.stdout).toBe(`${JSON.stringify(reply)}\n`);
  const { hookSpecificOutput: said, ...rest } = reply;
  expect(rest).toEqual({});
  expect(Object.keys(said)).toEqual(['hookEventName', 'additionalContext']);
  expect(said.hookEventName).toBe(event);
  return reply;
}

/** A record as a step holds it. */
export interface Kept {
  kind: string;
  [key: string]: unknown;
}

/** Every record of a session's chain in order; long texts are left out. */
export function recordsOf(dir: string, revision: string): Kept[] {
  const names = git(dir, '--git-dir=.ctx', 'log', '--reverse', '--format=%H:step.jsonl', revision);
  // A commit that is no step has none: a line says so.
  const files = gitBytes(join(dir, '.ctx'), ['cat-file', '--batch'], names);
  const records: Kept[] = [];
  for (let at = 0; at < files.length; ) {
    const end = files.indexOf('\n', at);
    const size = / blob (\d+)$/.exec(files.toString('utf8', at, end))?.[1];
    at = end + 1;
    if (size === undefined) continue;
    const text = files.toString('utf8', at, at + Number(size)).trim();
    if (text !== '') records.push(...text.split('\n').map((line) => JSON.parse(line) as Kept));
    at += Number(size) + 1;
  }
  return records;
}

/** Texts of the messages among records, in order. */
export function messagesOf(records: readonly Kept[]): string[] {
  return records.flatMap((record) => {
    if (record.kind !== 'message') return [];
    const { parts } = record['message'] as { parts: { type: string; text?: string }[] };
    return parts.flatMap((part) => (part.type === 'text' && part.text !== undefined ? [part.text] : []));
  });
}

/** Lists the story of a session, a line each: moves and what was done. */
export function storyOf(records: readonly Kept[]): string[] {
  return records.flatMap((record) => {
    const { kind } = record;
    if (kind === 'task') return [`task ${record['content']}`];
    if (kind === 'transition') return [`${record['by']} → ${(record['to'] as { kind: string }).kind}`];
    if (kind === 'note') return [`note ${record['content']}`];
    if (kind === 'command') return [`run ${record['command']} → ${record['exit_code']}`];
    return kind === 'read' || kind === 'write' || kind === 'delete' ? [`${kind} ${record['path']}`] : [];
  });
}
