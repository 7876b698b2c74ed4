/** The one place that prints: the answer to standard output, the story to standard error, errors worded once. */
import { inWords } from '../app/unreadable.ts';
import { BIDI_CONTROL } from '../core/characters.ts';
import { CtxError } from '../core/errors.ts';
import { harmlessText } from '../core/harmless.ts';
import { writeStream } from '../platform/stdio.ts';
import { bugIn, stackOf } from './bug.ts';
import { EXIT } from './exit-codes.ts';
import type { Theme } from './frame/theme.ts';

/** Whatever a terminal might obey of what JSON leaves as it is. */
const OBEYED = new RegExp(String.raw`[\u007f-\u009f${BIDI_CONTROL}]`, 'g');

/** Whatever a terminal might obey, written as JSON lets it be written: the value is the same. */
function jsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.replace(OBEYED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A JSON text in pieces: what is iterated (and no array) is written item by item as a list. */
function* jsonPieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    yield jsonText(value);
    return;
  }
  if (Symbol.iterator in value) {
    let separator = '[';
    for (const item of value as Iterable<unknown>) {
      yield separator + jsonText(item);
      separator = ',';
    }
    yield separator === '[' ? '[]' : ']';
    return;
  }
  let separator = '{';
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    yield `${separator}${JSON.stringify(key)}:`;
    yield* jsonPieces(item);
    separator = ',';
  }
  yield separator === '{' ? '{}' : '}';
}

/** Writes pieces to standard output, gathered; stops where the reader has gone. */
export function writeAnswer(pieces: Iterable<string>): void {
  let held = '';
  for (const piece of pieces) {
    held += piece;
    if (held.length < 65_536) continue;
    if (!writeStream(1, held)) return;
    held = '';
  }
  if (held !== '') writeStream(1, held);
}

/** `{"ok":true,"result":…}` */
export function printResult(result: unknown): void {
  writeAnswer(envelope(result));
}

function* envelope(result: unknown): Generator<string> {
  yield '{"ok":true,"result":';
  yield* jsonPieces(result);
  yield '}\n';
}

/** Ends a text in one line feed; nothing stays nothing. */
export function* ended(pieces: string | Iterable<string>): Generator<string> {
  let last = '\n';
  for (const piece of typeof pieces === 'string' ? [pieces] : pieces) {
    if (piece === '') continue;
    yield piece;
    last = piece.at(-1) as string;
  }
  if (last !== '\n') yield '\n';
}

/** Formats a line for standard error. Its second and later lines are indented: a name with a line feed in it must not pass for a line of ctx's own. */
const storyLine = (text: string): string => harmlessText(text).replaceAll('\n', '\n  ');

/** Prints a line on standard error. */
export function tell(text: string): void {
  writeStream(2, `${storyLine(text)}\n`);
}

/** Escapes the output of another program for a terminal. Output that would overwrite a line gets an indented line of its own. */
const another = (text: string): string => harmlessText(text.replaceAll(/\r(?!\n)/g, '\n  '));

/** Shows a piece of what another program answers. */
export function showOn(text: string): void {
  writeStream(1, another(text));
}

/** Prints a chunk of another program's output on standard error. */
export function tellOn(text: string): void {
  writeStream(2, another(text));
}

/** An error as ctx knows it; what is neither that nor of the machine is a bug. */
export function asCtxError(caught: unknown): CtxError {
  const error = inWords(caught);
  return error instanceof CtxError ? error : bugIn(error);
}

/** Prints an error and gives its exit code. */
export function printError(caught: unknown, json: boolean, theme: Theme): number {
  const error = asCtxError(caught);
  if (json) {
    const { code, message, hint = null, data = null } = error;
    writeAnswer([`${jsonText({ ok: false, error: { code, message, hint, data } })}\n`]);
  } else {
    writeStream(2, `${theme.bad('error:')} ${storyLine(error.message)}\n`);
    if (error.hint !== undefined) writeStream(2, `${theme.accent('hint:')} ${storyLine(error.hint)}\n`);
  }
  if (process.env.CTX_DEBUG && caught instanceof Error) writeStream(2, `${harmlessText(stackOf(caught))}\n`);
  return EXIT[error.code];
}
