/** The records that requests have given since the prompt, so that the call behind them does not give them again. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { idOf } from '../shared/fields.ts';
import { keyOf } from '../shared/keys.ts';

const TOUCHED_LIMIT = 32;

/** A hash of a text: a cursor holds no content of files. */
interface TextPrint {
  [key: string]: JsonValue;
  print: string;
  length: number;
}

/** The state of a request's record for a later call: `past` if the file has changed since, so that a change of a part is a later one. */
const STATES = ['open', 'past', 'accounted'] as const;

/** A record that a request has given. */
interface GivenRecord {
  [key: string]: JsonValue;
  word: string;
  /** The call that it belongs to, if that is known. */
  call: string | null;
  exit_code: number | null;
  /** The written text; null if it is unknown, or holds secrets. */
  text: TextPrint | null;
  /** The hash of the whole content of the file now; null if it is unknown. */
  whole: string | null;
  state: (typeof STATES)[number];
}

/** One change of a file by a call: of parts of the file, or of all of it. */
export interface Diff {
  /** Null if there was no file: the new text is all of it. */
  before: string | null;
  now: string | undefined;
}

/** A record that a call claims. */
export interface Claim {
  record: ToolRecord;
  diffs: readonly Diff[];
}

/** Returns a short text that identifies a record. */
function labelOf({ body }: ToolRecord): string {
  const { kind, path, command } = body as { kind: string; path?: string; command?: string };
  return `${kind} ${path ?? command ?? ''}`.slice(0, 256);
}

const exitCodeOf = ({ body }: ToolRecord): number | null => (body as { exit_code?: number | null }).exit_code ?? null;

export const printOf = (text: string): TextPrint => ({ print: keyOf(text), length: text.length });

function readPrint(value: JsonValue | undefined): TextPrint | null {
  const print = textOf(objectOf(value)?.['print']);
  const length = numberOf(objectOf(value)?.['length']);
  return print === undefined || length === undefined ? null : { print, length };
}

function givenOf(memory: JsonObject): GivenRecord[] {
  const list = Array.isArray(memory['touched']) ? memory['touched'] : [];
  return list.filter(isObject).flatMap((item): GivenRecord[] => {
    const word = textOf(item['word']);
    if (word === undefined) return [];
    const { call, exit_code } = item;
    const known = { call: idOf(call) ?? null, exit_code: numberOf(exit_code) ?? null };
    const state = STATES.find((each) => each === item['state']) ?? 'open';
    return [{ word, ...known, text: readPrint(item['text']), whole: idOf(item['whole']) ?? null, state }];
  });
}

/**
 * Returns the memory with records that requests have given.
 * @param about the call that they belong to, and the hash of the written text, if they are known
 */
export function withGiven(
  memory: JsonObject,
  records: readonly ToolRecord[],
  about: { call?: string | null; text?: JsonValue | undefined } = {},
): JsonObject {
  const text = readPrint(about.text);
  const known = { call: about.call ?? null, text, whole: text?.print ?? null, state: 'open' } as const;
  const given = records.map(
    (record): GivenRecord => ({ word: labelOf(record), exit_code: exitCodeOf(record), ...known }),
  );
  return { touched: [...givenOf(memory), ...given].slice(-TOUCHED_LIMIT) };
}

/** Returns whether a call claims exactly the text that a request has written. */
function isSameText({ text }: GivenRecord, { diffs }: Claim): boolean {
  const now = diffs.at(-1)?.now;
  return text !== null && now !== undefined && text.print === keyOf(now);
}

/** Returns whether a call may claim a part of a written text. A change that begins with the whole text came later. */
function mayBePart({ text, state }: GivenRecord, { diffs }: Claim): boolean {
  const last = diffs.at(-1);
  if (text === null || last?.now === undefined) return true;
  if (state === 'past' || last.before === null || last.now.length >= text.length) return false;
  return diffs.every(({ before }) => before === null || keyOf(before) !== text.print);
}

/** Returns the record of a request that a call claims again: one that agrees in all, or else one that nothing contradicts. */
function findClaimed(touched: readonly GivenRecord[], claim: Claim, call: string): GivenRecord | undefined {
  const code = exitCodeOf(claim.record);
  const alike = touched.filter((one) => {
    const isCalls = one.state !== 'accounted' && (one.call === null || one.call === call);
    return one.word === labelOf(claim.record) && isCalls && (code ?? one.exit_code) === (one.exit_code ?? code);
  });
  const isSame = (one: GivenRecord): boolean =>
    isSameText(one, claim) || one.call === call || (code !== null && code === one.exit_code);
  const able = alike.filter((one) => isSameText(one, claim) || mayBePart(one, claim));
  return able.findLast(isSame) ?? able.at(-1);
}

/** Returns a record with the whole new content of the file, if the call replaced the whole old content. */
function completed(touched: readonly GivenRecord[], { record, diffs }: Claim): ToolRecord {
  const [diff] = diffs;
  const isOne = diffs.every(({ before, now }) => before === diff?.before && now === diff?.now);
  if (!isOne || typeof diff?.before !== 'string' || diff.now === undefined) return record;
  const last = touched.findLast(({ word }) => word === labelOf(record));
  return last?.whole === keyOf(diff.before) ? { ...record, content: Buffer.from(diff.now) } : record;
}

/** Returns the record of a request after a call has changed the same file. */
function changed(one: GivenRecord, { content }: ToolRecord): GivenRecord {
  const whole = content === undefined ? null : keyOf(content.toString());
  return { ...one, whole, state: one.state === 'open' ? 'past' : one.state };
}

/** Returns the records of a call that no request has given, and the memory afterwards. */
export function unclaimed(
  memory: JsonObject,
  claims: readonly Claim[],
  call: string,
): { records: ToolRecord[]; memory: JsonObject } {
  let touched = givenOf(memory);
  const records: ToolRecord[] = [];
  for (const claim of claims) {
    const match = findClaimed(touched, claim, call);
    const word = labelOf(claim.record);
    if (match) touched = touched.map((one) => (one === match ? { ...one, state: 'accounted' } : one));
    else {
      const record = completed(touched, claim);
      records.push(record);
      touched = touched.map((one) => (one.word === word ? changed(one, record) : one));
    }
  }
  return { records, memory: { touched } };
}
