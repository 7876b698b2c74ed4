/** Values of sensitive variables of an environment, and the ways in which they may be written down. */
import { kindOfWholeName } from './names.ts';
import { isOpaque, isPlaceholder, isReference } from './shape.ts';

const SHORTEST = 8;
const LONGEST = 4096;
/** A URL with a password keeps it between a colon and an at sign. */
const URL_PASSWORD = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,100}:([^\s/@]{4,200})@/i;

/**
 * The values of an environment that must not be written down: those of variables whose name says so, and passwords in
 * URLs. Too short a value, a path, a word or a number is none: it would be found everywhere.
 */
export function sensitiveValues(environment: Readonly<Record<string, string | undefined>>): string[] {
  const values = new Set<string>();
  for (const [name, raw] of Object.entries(environment)) {
    const value = raw?.trim() ?? '';
    if (value.length < SHORTEST || value.length > LONGEST) continue;
    const password = URL_PASSWORD.exec(value)?.[1];
    if (password !== undefined && isTelling(password)) values.add(password);
    const kind = kindOfWholeName(name);
    if (kind !== null && isTelling(value) && (kind !== 'token' || isOpaque(value))) values.add(value);
  }
  return [...values];
}

/** Whether a value would hardly stand anywhere by chance. */
function isTelling(value: string): boolean {
  if (value.length < SHORTEST || isPlaceholder(value) || isReference(value)) return false;
  return new Set(value).size >= 5 && !/^[A-Za-z]+$|^[0-9.,:-]+$/.test(value);
}

const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);

/** A value as it is, inside JSON, inside JSON inside JSON, and in a URL; each way once. */
export function waysToWrite(value: string): string[] {
  const once = escaped(value);
  const ways = [value, once, escaped(once), encodeURIComponent(value.toWellFormed())];
  return [...new Set(ways)].filter((way) => way.length >= SHORTEST && way.length <= 2 * LONGEST);
}
