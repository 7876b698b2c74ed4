/** Puts markers where the secrets of a text, or of the texts of a JSON value, were. */
import { type Counts, count, noCounts } from '../counts.ts';
import type { JsonValue } from '../json.ts';
import { isSecretValue } from './assignment.ts';
import { findSecrets } from './find.ts';
import { MARKER_START, markerOf } from './marker.ts';
import { kindOfWholeName } from './names.ts';
import { engineOf, type RedactionOptions } from './options.ts';
import { plainKeyData } from './private-key.ts';

/**
 * Names a secret without telling it: six to ten hexadecimal digits of a hash with a key that only this machine knows.
 * Equal secrets of a rule have equal labels.
 * @param isBegun the secret is not whole: labels of all its beginnings in a row would tell it sign by sign, so they say nothing
 */
export type Label = (secret: string, rule: string, isBegun?: boolean) => string;

export interface Redacted<T> {
  readonly value: T;
  readonly findings: Counts;
}

export interface RedactedText {
  readonly text: string;
  readonly findings: Counts;
}

/** The marker for a secret as it was written. */
export function markerFor(rule: string, secret: string, label: Label, isBegun = false): string {
  return markerOf(rule, label(rule === 'private-key' ? plainKeyData(secret) : secret, rule, isBegun));
}

/** A text with a marker for every secret; nothing else of it changes, and to do it again changes nothing. */
export function redactText(text: string, options: RedactionOptions | undefined, label: Label): RedactedText {
  const findings = noCounts();
  return { text: redacted(text, options, label, findings), findings };
}

function redacted(
  text: string,
  options: RedactionOptions | undefined,
  label: Label,
  findings: Record<string, number>,
  grows = false,
): string {
  const found = findSecrets(text, options, grows);
  if (found.length === 0) return text;
  const parts: string[] = [];
  let past = 0;
  for (const { rule, start, end, begun } of found) {
    parts.push(text.slice(past, start), markerFor(rule, text.slice(start, end), label, begun));
    count(findings, rule);
    past = end;
  }
  parts.push(text.slice(past));
  return parts.join('');
}

/**
 * A JSON value with every text in it redacted. A text counts as the value of its key, of the `name` beside it, or of the
 * flag before it in a list, for a decoded value no longer stands in one text with its name. Keys are redacted too: a map
 * by token is as telling as a list of tokens, and two keys cannot become one, for equal markers mean equal secrets.
 * What has no secret in it is given back as it is, the same object.
 * @param path while a label is made, the keys that lead to its secret
 */
export function redactValue<T extends JsonValue>(
  value: T,
  options: RedactionOptions | undefined,
  label: Label,
  path: string[] = [],
): Redacted<T> {
  const findings = noCounts();
  const { isAllowed, off } = engineOf(options);

  const named = (name: string | undefined, text: string, grows: boolean): string => {
    const kind = name === undefined || text.length > 512 || /\s/.test(text) ? null : kindOfWholeName(name);
    const rule = kind === 'password' ? 'password' : 'secret';
    const inside = redacted(text, options, label, findings, grows);
    if (kind === null || inside !== text || off.has(rule) || text.includes(MARKER_START)) return inside;
    if (!isSecretValue(kind, text) || isAllowed(text)) return text;
    count(findings, rule);
    return markerFor(rule, text, label);
  };

  const within = (key: string, visit: () => JsonValue): JsonValue => {
    path.push(key);
    const visited = visit();
    path.pop();
    return visited;
  };

  const clean = (one: JsonValue, name?: string, grows = false): JsonValue => {
    if (typeof one === 'string') return named(name, one, grows);
    if (typeof one !== 'object' || one === null) return one;
    if (Array.isArray(one)) {
      const items = one.map((item, index) => within(String(index), () => clean(item, flagOf(one[index - 1]) ?? name)));
      return items.every((item, index) => item === one[index]) ? one : items;
    }
    let same = true;
    const entries = Object.entries(one).map(([key, item]): [string, JsonValue] => {
      const nextKey = redacted(key, options, label, findings);
      const isId = options?.isId?.(key, one, path.length) === true;
      const nameOf = key === 'value' ? nameBeside(one) : key;
      const grows = typeof item === 'string' && options?.grows?.(key, one, path) === true;
      const nextItem = isId ? (item as JsonValue) : within(key, () => clean(item as JsonValue, nameOf, grows));
      same &&= nextKey === key && nextItem === item;
      return [nextKey, nextItem];
    });
    return same ? one : Object.fromEntries(entries);
  };
  return { value: clean(value) as T, findings };
}

/** `--token` in a list of arguments names what comes after it. */
const flagOf = (item: JsonValue | undefined): string | undefined =>
  typeof item === 'string' && /^--?[A-Za-z][\w-]{1,60}$/.test(item) ? item : undefined;

/** `{"name": "API_KEY", "value": "…"}`, as containers and their tools write variables. */
function nameBeside(object: { readonly [key: string]: JsonValue | undefined }): string {
  const name = object['name'] ?? object['key'] ?? object['Name'];
  return typeof name === 'string' ? name : 'value';
}
