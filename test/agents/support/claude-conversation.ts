/** A conversation of Claude Code in a project of the test's own: its transcript grows line by line, and its hooks tell of it. */
import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { handleHook } from '../../../src/app/intake/hook/hook.ts';
import { type Project, temporaryFolder } from '../../support/store.ts';

const ID = 'aaaaaaaa-1111-4111-8111-111111111111';
const uuid = (of: number): string => `aaaaaaaa-0000-4000-8000-${String(of).padStart(12, '0')}`;

export class ClaudeConversation {
  readonly transcript: string;
  readonly #project: Project;
  #count = 0;

  constructor(project: Project) {
    this.#project = project;
    const folder = join(temporaryFolder(), 'transcripts');
    mkdirSync(folder);
    this.transcript = join(folder, `${ID}.jsonl`);
  }

  get #now(): string {
    return new Date(this.#project.clock.now * 1000).toISOString();
  }

  /** A line of the conversation. */
  line(fields: object): void {
    this.#count += 1;
    const parentUuid = this.#count === 1 ? null : uuid(this.#count - 1);
    const own = { uuid: uuid(this.#count), parentUuid, timestamp: this.#now, isSidechain: false, version: '2.1.0' };
    this.append({ ...own, sessionId: ID, cwd: this.#project.folder, ...fields });
  }

  append(record: object): void {
    appendFileSync(this.transcript, `${JSON.stringify(record)}\n`);
  }

  user(content: unknown): void {
    this.line({ type: 'user', message: { role: 'user', content } });
  }

  assistant(...content: object[]): void {
    this.line({ type: 'assistant', message: { id: `m${this.#count}`, role: 'assistant', model: 'm', content } });
  }

  /** A line of the queue of what is typed while the agent works. */
  queue(operation: string, content?: string): void {
    this.append({ type: 'queue-operation', operation, timestamp: this.#now, sessionId: ID, content });
  }

  hook(hook_event_name: string, fields: object = {}): Promise<unknown> {
    this.#project.clock.now += 2;
    const { folder, clock } = this.#project;
    const about = { session_id: ID, transcript_path: this.transcript, cwd: folder, hook_event_name };
    return handleHook('claude-code', JSON.stringify({ ...about, ...fields }), { directory: folder, clock });
  }

  async prompt(text: string): Promise<void> {
    await this.hook('UserPromptSubmit', { prompt: text });
    this.user(text);
  }

  /** The last words are not in the transcript yet when the hook comes. */
  async stop(text: string): Promise<void> {
    await this.hook('Stop', { last_assistant_message: text });
    this.assistant({ type: 'text', text });
  }

  async tool(id: string, command: string): Promise<void> {
    const input = { command };
    this.assistant({ type: 'tool_use', id, name: 'Bash', input });
    const tool_response = { stdout: 'ok' };
    await this.hook('PostToolUse', { tool_name: 'Bash', tool_use_id: id, tool_input: input, tool_response });
    this.user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }]);
  }
}
