// Makes rollouts in the shape of Codex's out of a list of steps: calls in parallel, rollbacks, compactions, copies and more.
import type { JsonObject } from '../../../src/core/json.ts';
import { fc } from '../../support/property.ts';

/** One step of a session; `pick` chooses among what is there. */
export interface Step {
  kind: (typeof KINDS)[number];
  pick: number;
  count: number;
}

const KINDS = [
  'task',
  'prompt',
  'prompt',
  'answer',
  'answer',
  'think',
  'calls',
  'calls',
  'results',
  'results',
  'ends',
  'ends',
  'tokens',
  'tokens',
  'complete',
  'abort',
  'rollback',
  'compact',
  'noise',
  'repeat',
  'orphan',
  'again',
  'question',
  'search',
] as const;

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), pick: fc.nat(1000), count: fc.integer({ min: 1, max: 3 }) }),
  { minLength: 1, maxLength: 40 },
);

const INPUTS: Record<string, JsonObject> = {
  exec_command: { cmd: 'npm test' },
  shell: { command: ['bash', '-lc', 'ls'] },
  write_stdin: { session_id: 7, chars: '' },
  update_plan: { plan: [{ step: 'look', status: 'completed' }] },
};

const OTHER_MODEL =
  'Another language model started to solve this problem and produced a summary of its thinking process.';

class Maker {
  readonly lines: string[] = [];
  readonly #open: { id: string; name: string }[] = [];
  readonly #closed: { id: string; name: string }[] = [];
  #prompts: JsonObject[] = [];
  #number = 0;
  #time = 1_768_000_000_000;
  #sum = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0, reasoning_output_tokens: 0 };

  put(type: string, payload: JsonObject): void {
    this.#number += 1;
    // Several lines of one time are common.
    if (this.#number % 3 !== 0) this.#time += 1;
    const timestamp = new Date(this.#time).toISOString();
    this.lines.push(JSON.stringify({ timestamp, ordinal: this.#number, type, payload }));
  }

  #item(payload: JsonObject): void {
    this.put('response_item', payload);
  }

  #event(type: string, fields: JsonObject = {}): void {
    this.put('event_msg', { type, ...fields });
  }

  prompt(text: string): void {
    const message = { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
    this.#item(message);
    this.#prompts.push(message);
    this.#event('user_message', { message: text });
  }

  step({ kind, pick, count }: Step): void {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const turn_id = `turn-${this.#number}`;
    if (kind === 'task') {
      this.#event('task_started', { turn_id });
      this.put('turn_context', { cwd: '/home/dev/acme-http', model: `gpt-${pick % 3}` });
    }
    if (kind === 'prompt') this.prompt(`do ${this.#number}`);
    if (kind === 'answer') this.#answer(pick);
    if (kind === 'think')
      this.#item({ type: 'reasoning', summary: [{ type: 'summary_text', text: `hm ${this.#number}` }] });
    if (kind === 'calls') for (const index of numbers) this.#call(pick + index, `call-${this.#number}`);
    if (kind === 'again') this.#call(pick, this.#closed[pick % Math.max(1, this.#closed.length)]?.id ?? 'call-x');
    if (kind === 'results') for (const _ of numbers) this.#result(pick);
    if (kind === 'ends') this.#end(pick);
    if (kind === 'tokens') this.#tokens(pick);
    if (kind === 'complete')
      this.#event('task_complete', { last_agent_message: pick % 3 === 0 ? null : `did ${this.#number}` });
    if (kind === 'abort') this.#event('turn_aborted', { reason: 'interrupted' });
    if (kind === 'rollback') this.#event('thread_rolled_back', { num_turns: count });
    if (kind === 'compact') this.#compact(pick);
    if (kind === 'noise') for (const _ of numbers) this.#noise(pick);
    if (kind === 'repeat') this.lines.push(this.lines[pick % this.lines.length] ?? '');
    if (kind === 'orphan') this.#output(`unseen-${this.#number}`, 'x');
    if (kind === 'question') this.#ask();
    if (kind === 'search')
      this.#item({ type: 'web_search_call', status: 'completed', action: { type: 'search', query: `q ${pick}` } });
  }

  #answer(pick: number): void {
    const text = pick % 4 === 0 ? `Which of ${this.#number}?` : `did ${this.#number}`;
    this.#event('agent_message', { message: text });
    this.#item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
  }

  #call(pick: number, call_id: string): void {
    const names = Object.keys(INPUTS);
    const name = names[pick % names.length] ?? 'shell';
    this.#open.push({ id: call_id, name });
    this.#item({ type: 'function_call', name, arguments: JSON.stringify(INPUTS[name]), call_id });
  }

  #ask(): void {
    const call_id = `ask-${this.#number}`;
    this.#open.push({ id: call_id, name: 'request_user_input' });
    const questions = [{ id: 'a', question: `${this.#number}?` }];
    this.#item({
      type: 'function_call',
      name: 'request_user_input',
      arguments: JSON.stringify({ questions }),
      call_id,
    });
  }

  #output(call_id: string, output: string): void {
    this.#item({ type: 'function_call_output', call_id, output });
  }

  #result(pick: number): void {
    const [call] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
    if (!call) return;
    this.#closed.push(call);
    const head = `Chunk ID: ${this.#number}\nWall time: 0.5 seconds\n`;
    const ends = [
      `${head}Process exited with code ${pick % 4}\nOutput:\nout ${pick}`,
      `${head}Process running with session ID 7\nOutput:\nso far ${pick}`,
      JSON.stringify({ output: `out ${pick}`, metadata: { exit_code: 0, duration_seconds: 0.25 } }),
      '{"answers":{"a":{"answers":["the first"]}}}',
      'aborted by user after 1.2s',
    ];
    this.#output(call.id, ends[pick % ends.length] ?? '');
  }

  #end(pick: number): void {
    const calls = pick % 3 === 0 ? this.#closed : this.#open;
    const call = calls[pick % Math.max(1, calls.length)];
    if (!call) return;
    this.#event('exec_command_end', {
      call_id: call.id,
      command: ['/bin/bash', '-lc', 'npm test'],
      aggregated_output: `all of it ${this.#number}`,
      exit_code: pick % 2,
      duration: { secs: 1, nanos: 500_000_000 },
    });
  }

  #tokens(pick: number): void {
    const before = this.#sum;
    const { input_tokens, output_tokens, cached_input_tokens } = before;
    let last = { ...before, input_tokens: 0, output_tokens: 0, cached_input_tokens: 0, reasoning_output_tokens: 0 };
    if (pick % 5 === 0) this.#sum = last;
    // Begun anew, and more than it was.
    else if (pick % 5 === 2) {
      last = { ...last, input_tokens: input_tokens + 70, output_tokens: output_tokens + 5 };
      last.cached_input_tokens = cached_input_tokens + 30;
      this.#sum = last;
    } else if (pick % 5 !== 1) {
      last = { ...last, input_tokens: 100, cached_input_tokens: 40, output_tokens: pick % 9 };
      this.#sum = {
        ...before,
        input_tokens: input_tokens + 100,
        cached_input_tokens: cached_input_tokens + 40,
        output_tokens: output_tokens + (pick % 9),
      };
    }
    const usage = { ...this.#sum };
    const isTold = pick % 3 !== 0;
    if (pick % 2 === 0) {
      const told = isTold ? { usage: last } : {};
      this.put('token_usage_record', { thread_id: 'session', ...told, thread_token_usage: usage });
    }
    const told = isTold ? { last_token_usage: last } : {};
    this.#event('token_count', { info: pick % 7 === 0 ? null : { total_token_usage: usage, ...told } });
  }

  #compact(pick: number): void {
    const kept = this.#prompts.slice(-(pick % 4)).slice(0, pick % 4);
    const summary = `${OTHER_MODEL} Here is the summary produced by the other language model:\n${this.#number}`;
    const last = { type: 'message', role: 'user', content: [{ type: 'input_text', text: summary }] };
    const replacement = pick % 3 === 0 ? {} : { replacement_history: [...kept, last] };
    this.put('compacted', { message: summary, ...replacement });
  }

  #noise(pick: number): void {
    const environment = `<environment_context>${this.#number}</environment_context>`;
    const kinds: (() => void)[] = [
      () => this.put('world_state', { full: true }),
      () => this.#event('agent_reasoning', { text: 'x' }),
      () => this.#item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: environment }] }),
      () => this.#item({ type: 'ghost_snapshot', ghost_commit: { id: 'x' } }),
      () =>
        this.#item({ type: 'message', role: 'developer', content: [{ type: 'input_text', text: `${this.#number}` }] }),
    ];
    kinds[pick % kinds.length]?.();
  }
}

/** The lines of a session that took these steps. It begins with a prompt, so that it is a session. */
export function rolloutOf(taken: readonly Step[]): string[] {
  const maker = new Maker();
  maker.put('session_meta', { id: 'session', cwd: '/home/dev/acme-http', cli_version: '0.169.0', source: 'cli' });
  maker.prompt('begin');
  for (const step of taken) maker.step(step);
  return maker.lines;
}
