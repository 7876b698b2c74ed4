/** Losses of a written transcript: found by reading it back and comparing it with the conversation by message. */
import { CtxError } from '../errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Message, Part } from '../message.ts';
import { outputOf } from './output.ts';
import { carried, type Instructions, isMark, isSummaryMessage } from './spoken.ts';

/** One kind of loss. `message_ids` are of the conversation, in its order, each once. */
export interface Loss {
  kind: string;
  count: number;
  message_ids: string[];
}

/** Notes losses by kind, in the order in which they were first met. */
class Losses {
  readonly #found = new Map<string, { count: number; ids: Set<string> }>();

  note(kind: string, id: string, count = 1): void {
    if (count <= 0) return;
    const found = this.#found.get(kind) ?? { count: 0, ids: new Set() };
    found.count += count;
    found.ids.add(id);
    this.#found.set(kind, found);
  }

  get all(): Loss[] {
    return [...this.#found].map(([kind, { count, ids }]) => ({ kind, count, message_ids: [...ids] }));
  }
}

/** Messages that are compared. */
export interface Compared extends Instructions {
  /** The view that was written. */
  source: readonly Message[];
  /** The messages that a reader finds in the file, in the order in which a model is sent them. */
  written: readonly Message[];
  /** Number of messages that were added before the others. */
  added: number;
}

const mismatch = (why: string): CtxError =>
  new CtxError('bug', `The transcript that was written differs from the conversation: ${why}`, {
    hint: 'Nothing was written. Export the session for another agent, or as text: ctx export --to markdown',
  });

/** Returns what was lost. @throws {CtxError} bug, if a message, a role or a text is not there */
export function lossesOf({ source, written, added, ...instructions }: Compared): Loss[] {
  const losses = new Losses();
  const expected = carried(source, instructions);
  const kept = new Set(expected);
  for (const message of source) {
    // No agent is given the system prompt of another one.
    const isLeft = isMark(message) || (message.role === 'system' && !instructions.isOwn);
    if (!kept.has(message) && !isLeft) losses.note('instructions', message.id);
  }
  const found = carried(written, { isOwn: true, keepsSystem: true }).slice(added);
  if (found.length !== expected.length) throw mismatch(`${found.length} messages instead of ${expected.length}`);
  for (const [index, message] of expected.entries()) compare(losses, message, found[index] as Message);
  return losses.all;
}

function compare(losses: Losses, message: Message, found: Message): void {
  if (message.role !== found.role && !isSummaryMessage(message))
    throw mismatch(`message ${message.id} has the role ${found.role} instead of ${message.role}`);
  if (!isSaid(message, found)) throw mismatch(`a text of message ${message.id} is not there`);
  // No provider takes it: a short text is in its place.
  if (message.parts.every(isBlank) && textsIn(found).length > 0) losses.note('blank', message.id);
  comparePlain(losses, message, found);
  compareCalls(losses, message, found);
  compareMetadata(losses, message, found);
}

const isBlank = (part: Part): boolean => part.type === 'text' && String(part['text']).trim() === '';

/** Returns whether the texts of a message are there, in their order. */
function isSaid(message: Message, found: Message): boolean {
  const there = textsIn(found);
  // Some agents keep a summary as one text.
  const whole = isSummaryMessage(message) ? there.join('\n\n') : null;
  let at = 0;
  return textsIn(message).every((text) => {
    const index = whole === null ? there.indexOf(text, at) : whole.indexOf(text, at);
    at = index + (whole === null ? 1 : text.length);
    return index >= 0;
  });
}

/** Returns the texts of a message that are not blank; a summary is a text. */
function textsIn({ parts }: Message): string[] {
  return parts.flatMap((part) => {
    const fields = part as unknown as JsonObject;
    const data = fields['data'];
    if (part.type === 'data-compaction' && isObject(data) && typeof data['summary'] === 'string')
      return [data['summary']];
    return part.type === 'text' && String(fields['text']).trim() !== '' ? [String(fields['text'])] : [];
  });
}

const partsOfType = ({ parts }: Message, type: string): JsonObject[] =>
  parts.filter((part) => part.type === type) as unknown as JsonObject[];

/** Notes thoughts, files and data that are not there. */
function comparePlain(losses: Losses, message: Message, found: Message): void {
  const types = new Set(message.parts.map(({ type }) => type));
  for (const type of types) {
    if (type === 'text' || type === 'dynamic-tool') continue;
    if (type === 'data-compaction') continue;
    const there = partsOfType(found, type).map(contentOf);
    let missing = 0;
    for (const part of partsOfType(message, type)) {
      const at = there.indexOf(contentOf(part));
      if (at < 0) missing += 1;
      else there.splice(at, 1);
    }
    losses.note(type, message.id, missing);
  }
}

/** Returns what a part says, without what its agent notes beside it. */
const contentOf = ({ type, text, url, data }: JsonObject): string =>
  sorted(type === 'reasoning' ? (text ?? null) : type === 'file' ? (url ?? null) : (data ?? null));

const isCall = (part: Part): boolean => part.type === 'dynamic-tool' && !('is_orphan' in part);

function compareCalls(losses: Losses, message: Message, found: Message): void {
  const there = found.parts.filter(isCall) as unknown as JsonObject[];
  const orphans = message.parts.filter((part) => part.type === 'dynamic-tool' && !isCall(part));
  losses.note('call', message.id, orphans.length);
  for (const [index, part] of message.parts.filter(isCall).entries()) {
    const other = there[index];
    if (other === undefined) losses.note('call', message.id);
    else for (const kind of differences(part, other)) losses.note(kind, message.id);
  }
}

/** Returns the kinds of differences between a call and what was written of it. */
function differences(part: Part, other: JsonObject): string[] {
  const call = part as unknown as JsonObject;
  const [before, after] = [outputOf(part), outputOf(other as unknown as Part)];
  const isSame = (key: string): boolean => sorted(call[key] ?? null) === sorted(other[key] ?? null);
  const checks: [string, boolean][] = [
    ['call-id', isSame('toolCallId')],
    ['tool-name', isSame('toolName')],
    ['input', isSame('input')],
    ['output', before.isMissing || before.text === after.text],
    ['output-failed', before.isMissing || before.failed === after.failed],
    ['structured-output', !('result' in call) || isSame('result')],
  ];
  const files = before.files.length - after.files.length;
  return [
    ...checks.flatMap(([kind, holds]) => (holds ? [] : [kind])),
    ...Array.from({ length: Math.max(0, files) }, () => 'output-file'),
  ];
}

/** Keys of the metadata that a model or a person may ask for. */
const METADATA = ['model', 'usage'] as const;

function compareMetadata(losses: Losses, message: Message, found: Message): void {
  for (const key of METADATA) {
    const value = message.metadata?.[key] as JsonValue | undefined;
    if (value === undefined) continue;
    if (sorted(value) !== sorted((found.metadata?.[key] as JsonValue | undefined) ?? null))
      losses.note(key, message.id);
  }
  const [at, other] = [message.metadata?.created_at, found.metadata?.created_at];
  if (at !== undefined && at !== other) losses.note('time', message.id);
}

/** Returns a value as JSON whose keys are sorted at any depth. */
function sorted(value: JsonValue): string {
  return JSON.stringify(value, (_key, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );
}
