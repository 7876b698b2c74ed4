// Makes sessions in the shape of pi's out of a list of steps: branches, compactions, copies, results that come late or never.
import type { JsonObject } from '../../../src/core/json.ts';
import { fc } from '../../support/property.ts';

const KINDS = [
  ...['prompt', 'prompt', 'answer', 'answer', 'calls', 'calls', 'results', 'results', 'orphan', 'repeat'],
  ...['branch', 'root', 'lost', 'compact', 'summary', 'label', 'custom', 'bash', 'abort', 'odd'],
] as const;

export interface Step {
  kind: (typeof KINDS)[number];
  pick: number;
}

export const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ kind: fc.constantFrom(...KINDS), pick: fc.nat(1000) }),
  { minLength: 1, maxLength: 40 },
);

class Maker {
  readonly lines: string[] = [];
  readonly #ids: string[] = [];
  readonly #open: { id: string; name: string }[] = [];
  #leaf: string | null = null;
  #number = 0;
  #time = 1_768_000_000_000;
  readonly #isOld: boolean;

  constructor(isOld: boolean) {
    this.#isOld = isOld;
    const place = { id: '01a1f100-0000-7000-8000-00000000000a', cwd: '/home/dev' };
    this.#write({ type: 'session', ...(isOld ? {} : { version: 3 }), ...place, timestamp: this.#stamp() });
  }

  #write(record: JsonObject): void {
    this.lines.push(JSON.stringify(record));
  }

  #stamp(): string {
    // Several lines of one time are common.
    if (this.#number % 3 !== 0) this.#time += 1;
    return new Date(this.#time).toISOString();
  }

  put(type: string, fields: JsonObject): void {
    this.#number += 1;
    const timestamp = this.#stamp();
    const id = `n${this.#number}`;
    const place = this.#isOld ? {} : { id, parentId: this.#leaf };
    this.#write({ type, ...place, timestamp, number: this.#number, ...fields });
    this.#ids.push(id);
    this.#leaf = id;
  }

  #message(role: string, content: JsonObject[], fields: JsonObject = {}): void {
    this.put('message', { message: { role, content, ...fields } });
  }

  #call(pick: number): JsonObject {
    const id = `call_${pick % 7 === 0 ? 1 : this.#number}_${this.#open.length}`;
    const name = ['bash', 'read', 'edit', 'odd'][pick % 4] ?? 'odd';
    this.#open.push({ id, name });
    return { type: 'toolCall', id, name, arguments: { command: 'npm test', path: `src/${pick}.ts` } };
  }

  take({ kind, pick }: Step): void {
    const usage = { input: pick, output: pick % 7, cacheRead: 3, cacheWrite: 0 };
    const text = { type: 'text', text: `words ${pick}` };
    const at = this.#ids[pick % Math.max(1, this.#ids.length)] ?? null;
    const made: Partial<Record<Step['kind'], () => void>> = {
      prompt: () => this.#message('user', [text]),
      answer: () => this.#message('assistant', [text], { usage, stopReason: 'stop', model: 'm' }),
      calls: () => {
        const calls = [this.#call(pick), this.#call(pick + 1)];
        this.#message('assistant', [text, ...calls], { usage, stopReason: 'toolUse' });
      },
      abort: () => this.#message('assistant', [], { usage, stopReason: 'aborted' }),
      results: () => {
        const [call] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
        if (call) this.#result(call.id, call.name, pick);
      },
      orphan: () => this.#result(`nobody_${pick}`, 'bash', pick),
      repeat: () => this.lines.push(this.lines[pick % this.lines.length] ?? ''),
      branch: () => this.#goTo(at),
      root: () => pick % 5 === 0 && this.#goTo(null),
      lost: () => this.#goTo(`lost_${pick}`),
      compact: () => {
        const keeps = this.#isOld
          ? { firstKeptEntryIndex: pick % (this.#number + 2) }
          : { firstKeptEntryId: at ?? 'x' };
        this.put('compaction', { summary: `sum ${pick}`, ...keeps, ...(pick % 2 ? { usage } : {}) });
      },
      summary: () => this.put('branch_summary', { summary: `given up ${pick}` }),
      label: () => this.put('label', { label: 'here' }),
      custom: () => this.put('custom_message', { content: `put in ${pick}` }),
      bash: () => this.#message('bashExecution', [], { command: 'ls', output: 'a', exitCode: pick % 2 }),
      odd: () => this.put('brand_new', { pick }),
    };
    made[kind]?.();
  }

  #goTo(leaf: string | null): void {
    if (!this.#isOld) this.#leaf = leaf;
  }

  #result(toolCallId: string, toolName: string, pick: number): void {
    const content = [{ type: 'text', text: pick % 2 ? 'ok' : 'no\n\nCommand exited with code 3' }];
    this.#message('toolResult', content, { toolCallId, toolName, isError: pick % 2 === 0 });
  }
}

/** The lines of a session that these steps make; older ones have no ids. */
export function sessionOf(taken: readonly Step[], isOld: boolean): string[] {
  const maker = new Maker(isOld);
  for (const step of taken) maker.take(step);
  return maker.lines;
}

// biome-ignore lint/suspicious/noExplicitAny: a second opinion does not share the types of the first
type Loose = any;

export interface Opinion {
  /** Texts that the model sees: those of messages that have any. */
  sees: string[];
  usage: Record<string, number>;
  apiMessages: number;
  calls: number;
  results: number;
}

const TEXTS = ['user', 'assistant'];

function textsOf(entry: Loose): string[] {
  if (['compaction', 'branch_summary'].includes(entry.type)) return [entry.summary];
  if (entry.type === 'custom_message') return [entry.content];
  if (entry.type !== 'message' || !TEXTS.includes(entry.message.role)) return [];
  const { content } = entry.message;
  const blocks: Loose[] = Array.isArray(content) ? content : [{ type: 'text', text: content }];
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text);
  return texts.length > 0 ? [texts.join('|')] : [];
}

/** A second opinion, worked out in another way: the whole file as one array of entries. */
export function treeOpinion(lines: readonly string[]): Opinion {
  const entries: Loose[] = [...new Set(lines)].map((line) => JSON.parse(line));
  const old = entries[0]?.version === undefined;
  const parents = new Map<string, Loose>();
  let before: Loose = null;
  for (const [index, entry] of entries.entries()) {
    entry.at = old ? String(index) : entry.id;
    if (entry.type === 'session') continue;
    const isKnown =
      entry.parentId === null ||
      entries.slice(0, index).some(({ id, type }) => id === entry.parentId && type !== 'session');
    entry.above = old || !isKnown ? before : entry.parentId;
    parents.set(entry.at, entry);
    before = entry.at;
  }
  let path: Loose[] = [];
  for (let at = before; at !== null && at !== undefined; at = parents.get(at)?.above) path.unshift(parents.get(at));
  const last = path.findLastIndex(({ type }) => type === 'compaction');
  if (last >= 0) {
    const { firstKeptEntryId, firstKeptEntryIndex } = path[last];
    const from = path.findIndex(({ at }) => at === (firstKeptEntryId ?? String(firstKeptEntryIndex)));
    const kept = from < 0 ? [] : path.slice(from, Math.max(from, last));
    path = [...kept.filter(({ type }) => type !== 'compaction'), ...path.slice(last)];
  }
  const used = entries.flatMap(
    (entry) => entry.message?.usage ?? (entry.type === 'compaction' ? entry.usage : null) ?? [],
  );
  const sum = (key: string): number => used.reduce((all, usage) => all + usage[key], 0);
  const blocks = entries.flatMap((entry) => (entry.message?.role === 'assistant' ? entry.message.content : []));
  return {
    sees: path.flatMap(textsOf).sort(),
    usage: { input: sum('input'), output: sum('output'), cache_read: sum('cacheRead'), cache_write: sum('cacheWrite') },
    apiMessages: used.length,
    calls: new Set(blocks.filter(({ type }) => type === 'toolCall').map(({ id }) => id)).size,
    results: new Set(entries.filter(({ message }) => message?.role === 'toolResult').map((e) => e.message.toolCallId))
      .size,
  };
}
