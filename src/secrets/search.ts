/** Finds the secrets of a content without changing it: JSON in one line is searched decoded. */
import { isObject, type JsonObject, type JsonValue, parseJson } from '../core/json.ts';
import type { RedactionOptions } from './options.ts';
import { type Label, redactValue } from './redact.ts';
import { redactedText } from './stream.ts';

/** The place of a secret. */
export interface Place {
  /** From 1. */
  line: number;
  /** The keys that lead to it, if the line is JSON; those of a JSON file that takes many lines are not known. */
  field: readonly string[] | null;
  /** The id that such a line has, as records do. */
  id: string | null;
}

type Report = (rule: string, secret: string, place: Place) => void;

/** Takes a content in pieces of text, and reports what it finds. */
export interface Search {
  push(piece: string): void;
  end(): void;
}

/** A line of JSON longer than this is looked at as text. */
const LONGEST_LINE = 16 * 1024 * 1024;
/** The text in place of a secret if secrets are only reported. */
const ANY: string = '000000';

export function searchText(options: RedactionOptions | undefined, report: Report): Search {
  const stream = redactedText(
    options,
    () => ANY,
    (rule, secret, line) => report(rule, secret, { line, field: null, id: null }),
  );
  let line = 1;
  /** The beginning of a line whose end is yet to come. */
  let held = '';
  /** The line is too long to be held. */
  let isLong = false;

  const takeLine = (text: string, end: string): void => {
    const value = isLong ? undefined : jsonOf(text);
    if (value === undefined) stream.push(text + end);
    else {
      const path: string[] = [];
      const id = idOf(value);
      const label: Label = (secret, rule) => {
        report(rule, secret, { line, field: [...path], id });
        return ANY;
      };
      redactValue(value, options, label, path);
      stream.push(end);
    }
    isLong = false;
    line += 1;
  };

  return {
    push(piece) {
      let from = 0;
      for (let at = piece.indexOf('\n'); at >= 0; at = piece.indexOf('\n', from)) {
        takeLine(held + piece.slice(from, at), '\n');
        held = '';
        from = at + 1;
      }
      held += piece.slice(from);
      if (!isLong && held.length <= LONGEST_LINE) return;
      isLong = true;
      stream.push(held);
      held = '';
    },
    end() {
      takeLine(held, '');
      stream.end();
    },
  };
}

/** The id of a record, also of one that waits in an envelope. */
function idOf(value: JsonValue): string | null {
  if (!isObject(value)) return null;
  return typeof value.id === 'string' ? value.id : idOf(value.record ?? null);
}

/** The object or list that a line is; undefined if it is none. */
function jsonOf(line: string): JsonObject | JsonValue[] | undefined {
  if (!/^\s{0,100}[[{]/.test(line)) return undefined;
  try {
    return parseJson(line) as JsonObject | JsonValue[];
  } catch {
    return undefined;
  }
}
