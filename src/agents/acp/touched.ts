/** What requests have told since the prompt, so that the call which made them does not tell it once more. */

import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { idOf } from '../shared/fields.ts';
import { keyOf } from '../shared/keys.ts';

const TOUCHED_LIMIT = 32;

/** A text to know again: a cursor holds no content of files. */
interface TextPrint {
  [key: string]: JsonValue;
  print: string;
  length: number;
}

/** What a request's deed is to a call that comes back: `past` where others have changed the file since, and a part of it tells of something later. */
const STATES = ['open', 'past', 'accounted'] as const;

/** A deed that a request has told. */
interface Touched {
  [key: string]: JsonValue;
  word: string;
  /** The call whose it is, where that is known. */
  call: string | null;
  exit_code: number | null;
  /** All that was written; null where that is not told, or holds secrets. */
  text: TextPrint | null;
  /** Print of all that is in the file by now; null where that is not known. */
  whole: string | null;
  state: (typeof STATES)[number];
}

/** One change of a file, as a call tells it: in parts of the file, or in all of it. */
export interface Diff {
  /** Null where nothing was there before: what is there now is all of it. */
  before: string | null;
  now: string | undefined;
}

/** A deed as a call tells it. */
export interface Claim {
  deed: ToolRecord;
  diffs: readonly Diff[];
}

/** A deed in a word, to know it again. */
function wordOf({ body }: ToolRecord): string {
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

function touchedOf(memory: JsonObject): Touched[] {
  const list = Array.isArray(memory['touched']) ? memory['touched'] : [];
  return list.filter(isObject).flatMap((item): Touched[] => {
    const word = textOf(item['word']);
    if (word === undefined) return [];
    const { call, exit_code } = item;
    const known = { call: idOf(call) ?? null, exit_code: numberOf(exit_code) ?? null };
    const state = STATES.find((each) => each === item['state']) ?? 'open';
    return [{ word, ...known, text: readPrint(item['text']), whole: idOf(item['whole']) ?? null, state }];
  });
}

/**
 * What is remembered of deeds that were told by requests.
 * @param about the call that they are of, and the print of what was written, where those are known
 */
export function withTouched(
  memory: JsonObject,
  deeds: readonly ToolRecord[],
  about: { call?: string | null; text?: JsonValue | undefined } = {},
): JsonObject {
  const text = readPrint(about.text);
  const known = { call: about.call ?? null, text, whole: text?.print ?? null, state: 'open' } as const;
  const told = deeds.map((deed): Touched => ({ word: wordOf(deed), exit_code: exitCodeOf(deed), ...known }));
  return { touched: [...touchedOf(memory), ...told].slice(-TOUCHED_LIMIT) };
}

/** Whether a call tells of a file just what a request has written there. */
function isSameText({ text }: Touched, { diffs }: Claim): boolean {
  const now = diffs.at(-1)?.now;
  return text !== null && now !== undefined && text.print === keyOf(now);
}

/** Whether a call may tell of parts of what a request has written. One that begins with all of that came later. */
function mayBePart({ text, state }: Touched, { diffs }: Claim): boolean {
  const last = diffs.at(-1);
  if (text === null || last?.now === undefined) return true;
  if (state === 'past' || last.before === null || last.now.length >= text.length) return false;
  return diffs.every(({ before }) => before === null || keyOf(before) !== text.print);
}

/** The deed of a request that a call tells once more: one that agrees in all, or else one that nothing in it speaks against. */
function toldBefore(touched: readonly Touched[], claim: Claim, call: string): Touched | undefined {
  const code = exitCodeOf(claim.deed);
  const alike = touched.filter((one) => {
    const isCalls = one.state !== 'accounted' && (one.call === null || one.call === call);
    return one.word === wordOf(claim.deed) && isCalls && (code ?? one.exit_code) === (one.exit_code ?? code);
  });
  const isSame = (one: Touched): boolean =>
    isSameText(one, claim) || one.call === call || (code !== null && code === one.exit_code);
  const able = alike.filter((one) => isSameText(one, claim) || mayBePart(one, claim));
  return able.findLast(isSame) ?? able.at(-1);
}

/** A deed with all that is in the file now, where a call tells of one change that began with all that was in it. */
function completed(touched: readonly Touched[], { deed, diffs }: Claim): ToolRecord {
  const [diff] = diffs;
  const isOne = diffs.every(({ before, now }) => before === diff?.before && now === diff?.now);
  if (!isOne || typeof diff?.before !== 'string' || diff.now === undefined) return deed;
  const last = touched.findLast(({ word }) => word === wordOf(deed));
  return last?.whole === keyOf(diff.before) ? { ...deed, content: Buffer.from(diff.now) } : deed;
}

/** What is known of requests once a call has done something else there. */
function changed(one: Touched, { content }: ToolRecord): Touched {
  const whole = content === undefined ? null : keyOf(content.toString());
  return { ...one, whole, state: one.state === 'open' ? 'past' : one.state };
}

/** What is left of a call's deeds once requests have told of some, and what is to be remembered of those then. */
export function accounted(
  memory: JsonObject,
  claims: readonly Claim[],
  call: string,
): { deeds: ToolRecord[]; memory: JsonObject } {
  let touched = touchedOf(memory);
  const deeds: ToolRecord[] = [];
  for (const claim of claims) {
    const told = toldBefore(touched, claim, call);
    const word = wordOf(claim.deed);
    if (told) touched = touched.map((one) => (one === told ? { ...one, state: 'accounted' } : one));
    else {
      const deed = completed(touched, claim);
      deeds.push(deed);
      touched = touched.map((one) => (one.word === word ? changed(one, deed) : one));
    }
  }
  return { deeds, memory: { touched } };
}
