// Makes transcripts in the shape of Claude Code's out of a list of steps: rewinds, parallel tools, compactions and more.

import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { fc } from '../../support/property.ts';

/** One step of a session; `pick` chooses among what is there. */
export interface Step {
  kind: (typeof KINDS)[number];
  pick: number;
  count: number;
}

const KINDS = [
  'prompt',
  'prompt',
  'answer',
  'answer',
  'tools',
  'tools',
  'tools',
  'results',
  'results',
  'results',
  'rewind',
  'noise',
  'side',
  'compact',
  'interrupt',
  'repeat',
  'orphan',
  'question',
] as const;

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), pick: fc.nat(1000), count: fc.integer({ min: 1, max: 3 }) }),
  { minLength: 1, maxLength: 40 },
);

class Maker {
  readonly lines: string[] = [];
  readonly #nodes: string[] = [];
  readonly #open: { id: string; line: string; name: string }[] = [];
  #leaf: string | null = null;
  #number = 0;
  #messages = 0;

  #id(): string {
    this.#number += 1;
    return `node-${this.#number}`;
  }

  put(record: JsonObject, isMain = true): string {
    const uuid = this.#id();
    const time = new Date(1_768_000_000_000 + this.#number * 1000).toISOString();
    const common = { parentUuid: this.#leaf, sessionId: 'session', cwd: '/home/dev/acme-http', timestamp: time };
    this.lines.push(JSON.stringify({ isSidechain: false, ...common, ...record, uuid }));
    if (isMain) {
      this.#nodes.push(uuid);
      this.#leaf = uuid;
    }
    return uuid;
  }

  #user(content: JsonValue, extra: JsonObject = {}, isMain = true): string {
    return this.put({ type: 'user', message: { role: 'user', content }, ...extra }, isMain);
  }

  #assistant(blocks: JsonObject[], extra: JsonObject = {}, isMain = true): string[] {
    this.#messages += 1;
    const id = `msg_${this.#messages}`;
    return blocks.map((block, index) => {
      const usage = { input_tokens: 3, output_tokens: index === blocks.length - 1 ? 50 : 1 };
      const message = { id, role: 'assistant', model: 'claude', content: [block], stop_reason: null, usage };
      return this.put({ type: 'assistant', message, ...extra }, isMain);
    });
  }

  step({ kind, pick, count }: Step): void {
    const numbers = Array.from({ length: count }, (_, index) => index);
    if (kind === 'prompt') this.#user(`do ${pick}`);
    if (kind === 'answer')
      this.#assistant([{ type: 'text', text: pick % 4 === 0 ? `Which of ${pick}?` : `did ${pick}` }]);
    if (kind === 'question')
      this.#calls([{ name: 'AskUserQuestion', input: { questions: [{ question: `${pick}?` }] } }]);
    if (kind === 'tools') {
      const names = ['Bash', 'Read', 'Write'] as const;
      const inputs = {
        Bash: { command: `run ${pick}` },
        Read: { file_path: 'a' },
        Write: { file_path: 'b', content: 'c' },
      };
      this.#calls(
        numbers.map((index) => ({ name: names[(pick + index) % 3]!, input: inputs[names[(pick + index) % 3]!] })),
      );
    }
    if (kind === 'results') for (const _ of numbers) this.#result(pick);
    if (kind === 'rewind' && this.#nodes.length > 0) {
      this.#leaf = this.#nodes[pick % this.#nodes.length] ?? null;
      this.#user(`rather ${pick}`);
    }
    if (kind === 'noise') for (const _ of numbers) this.#noise(pick);
    if (kind === 'side') this.#side(pick);
    if (kind === 'compact') this.#compact(pick);
    if (kind === 'interrupt') this.#user([{ type: 'text', text: '[Request interrupted by user]' }]);
    if (kind === 'repeat' && this.lines.length > 0) this.lines.push(this.lines[pick % this.lines.length] ?? '');
    if (kind === 'orphan') this.#user([{ type: 'tool_result', tool_use_id: `unseen-${this.#number}`, content: 'x' }]);
  }

  #calls(calls: { name: string; input: JsonObject }[]): void {
    const ids = calls.map((_, index) => `call-${this.#number}-${index}`);
    const blocks = calls.map((call, index) => ({ type: 'tool_use', id: ids[index], ...call }));
    const lines = this.#assistant(blocks);
    for (const [index, line] of lines.entries()) {
      this.#open.push({ id: ids[index] ?? '', line, name: calls[index]?.name ?? '' });
    }
  }

  /** A result hangs on the line of its call, as Claude Code writes it. */
  #result(pick: number): void {
    const [call] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
    if (!call) return;
    this.#leaf = call.line;
    const content = pick % 5 === 0 ? 'Exit code 2\nno' : `output ${pick}`;
    const told = call.name === 'Bash' && pick % 5 !== 0 ? { toolUseResult: { stdout: content, stderr: '' } } : {};
    const result = { type: 'tool_result', tool_use_id: call.id, content, is_error: pick % 5 === 0 };
    this.#user([result], told);
  }

  #noise(pick: number): void {
    const kinds: JsonObject[] = [
      { type: 'system', subtype: 'turn_duration', durationMs: pick },
      { type: 'attachment', attachment: { type: 'date' } },
      { type: 'progress', data: { type: 'bash_progress' } },
      { type: 'system', subtype: 'local_command', content: 'x' },
    ];
    this.put(kinds[pick % kinds.length] ?? {});
  }

  #side(pick: number): void {
    const message = {
      role: 'assistant',
      id: `msg_side_${pick % 7}`,
      content: [{ type: 'text', text: `side ${this.#number}` }],
      usage: { input_tokens: 1, output_tokens: 2 },
    };
    if (pick % 2 === 0)
      this.#assistant([{ type: 'text', text: 'side' }], { isSidechain: true, parentUuid: null }, false);
    else {
      const inner = { type: 'assistant', message, uuid: this.#id() };
      this.put({ type: 'progress', data: { type: 'agent_progress', agentId: 'a', message: inner } });
    }
  }

  #compact(pick: number): void {
    const kept = pick % 2 === 0 && this.#nodes.length > 2 ? this.#nodes.slice(-2) : [];
    const preserved = kept.length > 0 ? { preservedMessages: { uuids: kept } } : {};
    const logical = { parentUuid: null, logicalParentUuid: this.#leaf };
    this.put({
      type: 'system',
      subtype: 'compact_boundary',
      ...logical,
      compactMetadata: { trigger: 'auto', ...preserved },
    });
    this.#user('This session is being continued.', { isCompactSummary: true });
  }
}

/** The lines of a session that took these steps. It begins with a prompt, so that it is a session. */
export function sessionOf(taken: readonly Step[]): string[] {
  const maker = new Maker();
  maker.put({ type: 'user', message: { role: 'user', content: 'begin' } });
  for (const step of taken) maker.step(step);
  return maker.lines;
}
