// Runs a reader as the application does: in one go or in increments, and puts together what it gave.

import { claudeCode } from '../../../src/agents/claude-code/index.ts';
import type { Agent, Resume, TranscriptEvent } from '../../../src/agents/contract/agent.ts';
import type { JsonObject, JsonValue } from '../../../src/core/json.ts';
import { checkBody } from '../../../src/core/records/check.ts';
import type { AnyBody } from '../../../src/core/records/record.ts';

/** A message as it stands once every part is put in. */
export interface Assembled {
  id: string;
  role: string;
  parts: JsonObject[];
  metadata: JsonObject;
}

export interface Replay {
  events: TranscriptEvent[];
  bodies: AnyBody[];
  messages: Map<string, Assembled>;
  /** Ids of the messages that are neither hidden nor of a sub-agent, in order. */
  visible: string[];
  /** Ids of those that are hidden. */
  hidden: string[];
  usage: Record<string, number>;
  apiMessages: number;
  problems: { line: number; message: string }[];
  /** Records that follow from calls, with what is known of their content. */
  derived: JsonObject[];
  moves: string[];
  about: JsonObject;
  /** Number of times that a reader looked into what is kept. */
  looks: number;
  cursor: JsonValue;
}

export function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** Reads lines in parts that begin at the given lines (from 0), each with a reader of its own. */
export function replay(
  lines: readonly string[],
  starts: readonly number[] = [],
  isOdd = false,
  agent: Agent = claudeCode,
): Replay {
  const events: TranscriptEvent[] = [];
  let resume: Resume | null = null;
  let looks = 0;
  const bounds = [0, ...[...starts].sort((a, b) => a - b), lines.length];
  let cursor: JsonValue = null;
  const all = () => lines.map((text, index) => ({ text, number: index + 1 }));
  for (let part = 0; part + 1 < bounds.length; part += 1) {
    const from = bounds[part] ?? 0;
    const to = bounds[part + 1] ?? 0;
    if (part > 0 && from === to) continue;
    const given = bodiesOf(events);
    const kept = (): AnyBody[] => {
      looks += 1;
      return structuredClone(given);
    };
    resume = part === 0 ? null : { cursor: JSON.parse(JSON.stringify(cursor)), kept, rewritten: false, lines: all };
    const reader = agent.reader(resume);
    for (let index = from; index < to; index += 1) events.push(...reader.line(lines[index] ?? '', index + 1));
    events.push(...reader.end());
    cursor = reader.cursor();
  }
  return assemble(events, cursor, looks, isOdd);
}

/** Reads lines as those of a file that was rewritten since `before`. */
export function replayRewritten(
  before: Replay,
  lines: readonly string[],
  agent: Agent = claudeCode,
): TranscriptEvent[] {
  const kept = (): AnyBody[] => structuredClone(before.bodies);
  const all = () => lines.map((text, index) => ({ text, number: index + 1 }));
  const reader = agent.reader({ cursor: before.cursor, kept, rewritten: true, lines: all });
  const events = lines.flatMap((line, index) => [...reader.line(line, index + 1)]);
  return [...events, ...reader.end()];
}

export function bodiesOf(events: readonly TranscriptEvent[]): AnyBody[] {
  return events.flatMap((event) => (event.type === 'record' ? [event.body] : []));
}

const DERIVED = ['read', 'write', 'delete', 'command', 'plan'];

function putPart(message: Assembled, id: string, part: JsonObject): void {
  const index = message.parts.findIndex((each) => each['toolCallId'] === id || each['id'] === id);
  const before = message.parts[index];
  if (!before) message.parts.push(part);
  else if (part['type'] !== 'dynamic-tool') message.parts[index] = part;
  else message.parts[index] = { ...part, input: part['input'] ?? before['input'] ?? null };
}

/** `isOdd`: the file is nonsense, so that one id may stand for two messages. */
export function assemble(events: TranscriptEvent[], cursor: JsonValue = null, looks = 0, isOdd = false): Replay {
  const bodies = bodiesOf(events);
  const messages = new Map<string, Assembled>();
  const hidden = new Set<string>();
  const usage: Record<string, number> = {};
  let apiMessages = 0;
  const seqs = new Map<string, number>();
  for (const body of bodies) {
    const check = checkBody(body);
    if (!check.ok) throw new Error(`${check.problem} in ${JSON.stringify(body).slice(0, 300)}`);
    const fields = body as JsonObject;
    if (body.kind === 'message') {
      const message = structuredClone(fields['message']) as unknown as Assembled;
      if (messages.has(message.id) && !isOdd) throw new Error(`message ${message.id} was given twice`);
      messages.set(message.id, message);
    } else if (body.kind === 'part') {
      const message = messages.get(String(fields['message_id']));
      if (!message) throw new Error(`a part of a message that was never given: ${fields['message_id']}`);
      const key = `${fields['message_id']}/${fields['part_id']}`;
      const seq = Number(fields['seq']);
      if (seq <= (seqs.get(key) ?? 0)) throw new Error(`seq ${seq} of ${key} is not higher`);
      seqs.set(key, seq);
      putPart(message, String(fields['part_id']), structuredClone(fields['part']) as JsonObject);
      if (fields['usage']) message.metadata['usage'] = fields['usage'];
    } else if (body.kind === 'overlay') overlay(fields, [...messages.keys()], hidden);
    else if (body.kind === 'usage') {
      for (const [key, value] of Object.entries(fields['usage'] as object))
        usage[key] = (usage[key] ?? 0) + Number(value);
      apiMessages += Number(fields['messages']);
    }
  }
  const visible = [...messages.values()].filter(({ id, metadata }) => !hidden.has(id) && !metadata['is_sidechain']);
  const problems = events.flatMap((event) => (event.type === 'problem' ? [event] : []));
  const about: JsonObject = {};
  for (const event of events) if (event.type === 'about') Object.assign(about, event.session);
  return {
    events,
    bodies,
    messages,
    visible: visible.map(({ id }) => id),
    hidden: [...hidden],
    usage,
    apiMessages,
    problems: problems.map(({ line, message }) => ({ line, message })),
    derived: derivedOf(events),
    moves: events.flatMap(moveOf),
    about,
    looks,
    cursor,
  };
}

function overlay(fields: JsonObject, order: string[], hidden: Set<string>): void {
  const range = fields['range'] as { from: string; to: string } | undefined;
  const ids = range ? order.slice(order.indexOf(range.from), order.indexOf(range.to) + 1) : (fields['ids'] as string[]);
  if (range && (!order.includes(range.from) || !order.includes(range.to))) throw new Error('a range without its ends');
  for (const id of ids) {
    if (fields['op'] === 'hide') hidden.add(id);
    if (fields['op'] === 'show') hidden.delete(id);
  }
}

function derivedOf(events: readonly TranscriptEvent[]): JsonObject[] {
  return events.flatMap((event) => {
    if (event.type !== 'record' || !DERIVED.includes(event.body.kind)) return [];
    const content = event.content?.toString('utf8');
    return [{ ...(event.body as JsonObject), at: event.at, ...(content === undefined ? {} : { content }) }];
  });
}

function moveOf(event: TranscriptEvent): string[] {
  if (event.type === 'prompt') return [`prompt ${event.text.split('\n')[0]?.slice(0, 60)}`.trim()];
  if (event.type === 'move') return [`${event.verb} ${event.text.split('\n')[0]?.slice(0, 60)}`.trim()];
  return event.type === 'turn' ? ['turn'] : [];
}

/** Lines that stand in a message, a part or a raw record. */
export function linesKept(read: Replay): number {
  return read.bodies.reduce((sum, body) => {
    if (body.kind === 'raw') return sum + 1;
    const fields = body as { message?: { metadata: { lines: unknown[] } }; lines?: unknown[] };
    return sum + (fields.message?.metadata.lines.length ?? fields.lines?.length ?? 0);
  }, 0);
}
