/** The settings of a store: every key optional, durations as `24h`, `7d` or seconds, sizes as bytes or `1MiB`. */
import {
  type GivenContext,
  type ModelSettings,
  readContextSettings,
  readModels,
} from '../../core/conversation/settings.ts';
import { CtxError } from '../../core/errors.ts';
import { isObject, type JsonValue } from '../../core/json.ts';
import { AUTO_PAUSE } from '../../core/listing/status.ts';
import { QUESTIONS, type Questions } from '../../core/session/questions.ts';
import { oneLine } from '../../core/text.ts';
import { readDuration } from '../../core/time.ts';
import type { Layout } from '../../git/layout.ts';
import { type Durability, readIfThere, writeDurably } from '../../platform/files.ts';
import type { IdSource } from '../../platform/ids.ts';
import { DEFAULT_REDACT, type RedactSettings, readRedactSettings, unknownRedactKeys } from '../../secrets/settings.ts';

export interface Settings {
  /** Idle seconds after which ctx asks before it continues a session; 24 h. */
  ask_threshold: number;
  /** Idle seconds after which a session is compacted automatically; 7 d. */
  auto_compact_threshold: number;
  /** Beginning of the message of such a compaction; `{duration}` and `{task}` are replaced. */
  auto_compact_message_template: string;
  /** Idle seconds after which an open session counts as paused, 5 min; null: it never does by itself. */
  auto_pause: number | null;
  /** The folder of the project into which sessions are mirrored when they are paused or end; null: none. */
  conversations: string | null;
  /** Other folders of the project into which sessions were mirrored: what is forgotten is taken out of them. */
  mirrors: readonly string[];
  /** True if a write waits until it is on disk. */
  fsync: boolean;
  /** Largest file content that is stored, in bytes; 1 MiB. */
  snapshot_limit: number;
  /** True if a snapshot of the work tree is taken at each message of the user; or a program that takes them. */
  snapshots: boolean | { command: string[]; timeout: number };
  /** Settings of the redaction before anything is stored; false: nothing is redacted. */
  redact: RedactSettings | false;
  /** When ctx asks the user what becomes of an open session: see `core/session/user-message.ts`. */
  questions: Questions;
  /** A program of the user that classifies messages, and its timeout in seconds; null: ctx classifies them. */
  classifier: { command: string[]; timeout: number } | null;
  /** Command lines of ctx by the names that the user gave them. */
  alias: Readonly<Record<string, string>>;
  /** When and how a context is compacted; what is absent has a default. */
  context: GivenContext;
  /** Facts about models, by their ids. */
  models: Record<string, ModelSettings>;
}

export const DEFAULT_SETTINGS: Settings = {
  ask_threshold: 86_400,
  auto_compact_threshold: 604_800,
  auto_compact_message_template: 'Auto-saved: session idle for {duration}',
  auto_pause: AUTO_PAUSE,
  conversations: null,
  mirrors: [],
  fsync: true,
  snapshot_limit: 1_048_576,
  snapshots: false,
  redact: DEFAULT_REDACT,
  questions: 'unfinished',
  classifier: null,
  alias: {},
  context: {},
  models: {},
};

const SIZE_UNITS: Record<string, number> = { '': 1, kib: 1024, mib: 1_048_576, gib: 1_073_741_824 };

function readSize(value: JsonValue): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  const match = typeof value === 'string' ? /^(\d{1,9})\s*(KiB|MiB|GiB|)$/i.exec(value.trim()) : null;
  return match ? Number(match[1]) * (SIZE_UNITS[(match[2] ?? '').toLowerCase()] ?? 1) : undefined;
}

const duration = (value: JsonValue): number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? readDuration(value) : undefined;

/** Default timeouts of the user's classifier, and of a program that takes and restores snapshots, in seconds. */
const CLASSIFIER_TIMEOUT = 2;
const SNAPSHOT_TIMEOUT = 60;

/** No argument of a program can contain a NUL. */
const isWord = (word: JsonValue): boolean => typeof word === 'string' && !word.includes('\0');

/** Reads a program, and its timeout. */
function readProgram(value: JsonValue, longest: number): { command: string[]; timeout: number } | undefined {
  if (!isObject(value)) return undefined;
  const { command, timeout = longest } = value;
  const seconds = duration(timeout);
  const isCommand = Array.isArray(command) && command.every(isWord) && command[0] !== undefined && command[0] !== '';
  return isCommand && seconds ? { command: command as string[], timeout: seconds } : undefined;
}

/** The name of an alias: a word that no option can be. */
const ALIAS = /^[a-z][\w-]{0,63}$/i;

function readAliases(value: JsonValue): Settings['alias'] | undefined {
  if (!isObject(value)) return undefined;
  const isLine = ([name, line]: [string, unknown]): boolean =>
    ALIAS.test(name) && typeof line === 'string' && line.trim() !== '';
  return Object.entries(value).every(isLine) ? (value as Settings['alias']) : undefined;
}

/** Reads a folder below the project: what it names must not lead out of the project. */
function readFolder(value: JsonValue): string | null | undefined {
  if (value === null) return null;
  const isBelow = typeof value === 'string' && /^[^/\\]/.test(value) && !/(^|[/\\])\.\.?([/\\]|$)|\0/.test(value);
  return isBelow ? value : undefined;
}

function readFolders(value: JsonValue): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const folders = value.map(readFolder);
  return folders.every((folder) => typeof folder === 'string') ? folders : undefined;
}

/** The reader of each key, and a description of its values. */
const KEYS: { [Key in keyof Settings]: [read: (value: JsonValue) => Settings[Key] | undefined, takes: string] } = {
  ask_threshold: [duration, 'a duration: "24h", "7d" or seconds'],
  auto_compact_threshold: [duration, 'a duration: "24h", "7d" or seconds'],
  auto_compact_message_template: [(value) => (typeof value === 'string' ? value : undefined), 'text'],
  auto_pause: [
    (value) => (value === 'off' ? null : duration(value) || undefined),
    'a duration: "5m", "1h" or seconds; or "off"',
  ],
  conversations: [readFolder, 'the name of a folder below the project, or null'],
  mirrors: [readFolders, 'a list of folders below the project'],
  fsync: [(value) => (typeof value === 'boolean' ? value : undefined), 'true or false'],
  snapshot_limit: [readSize, 'a size: bytes, "64KiB" or "1MiB"'],
  snapshots: [
    (value) => (typeof value === 'boolean' ? value : readProgram(value, SNAPSHOT_TIMEOUT)),
    'true, false, or {"command": ["<program>", …], "timeout": "60s"}',
  ],
  redact: [readRedactSettings, '"off", or an object with "off", "allow", "allow_patterns", "patterns" and "content"'],
  questions: [(value) => QUESTIONS.find((name) => name === value), QUESTIONS.map((name) => `"${name}"`).join(', ')],
  classifier: [
    (value) => (value === null ? null : readProgram(value, CLASSIFIER_TIMEOUT)),
    '{"command": ["<program>", …], "timeout": "2s"} or null',
  ],
  alias: [readAliases, 'an object of names and command lines of ctx, such as {"last": "log -1 --stat"}'],
  context: [readContextSettings, 'an object: see docs/settings.md'],
  models: [readModels, 'an object: {"<id>": {"context": 200000}}'],
};

/** Strings with the colon that makes them keys, and brackets: enough to find the keys of valid JSON. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"\s*:?|[[\]{}]/g;

/** Returns the line of a key in the file, for the message; the last one if the key occurs twice. */
function lineOf(text: string, key: string): number {
  let depth = 0;
  let at = 0;
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token.endsWith(':') && JSON.parse(token.slice(0, -1)) === key) at = index;
  }
  return text.slice(0, at).split('\n').length;
}

/** Returns the first line at which a text stops being a prefix of JSON; not every Node reports the position. */
function brokenLine(text: string): number {
  if (text.trim() === '' || isJson(text)) return 1;
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index + 1);
  let first = 0;
  // A broken text stays broken with more lines.
  for (let last = ends.length; first < last; ) {
    const middle = (first + last) >>> 1;
    if (isBroken(text.slice(0, ends[middle]))) last = middle;
    else first = middle + 1;
  }
  return first + 1;
}

/** Returns whether a text is not even a prefix of JSON. */
function isBroken(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return false;
  } catch (error) {
    const { message } = error as Error;
    const told = /position (\d+)/.exec(message)?.[1] ?? (message.includes('end of JSON') ? beginning.length : 0);
    return Number(told) < beginning.length;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Reads a value; an error of the reader is reported with its line. */
function readAs<T>(
  read: (value: JsonValue) => T,
  value: JsonValue,
  refuse: (why: string, hint?: string) => CtxError,
): T {
  try {
    return read(value);
  } catch (error) {
    const { message, hint } = error as CtxError;
    throw refuse(message, hint);
  }
}

/** Parses a file. @throws {CtxError} damaged, naming the line: the meaning of truncated or mistyped settings is unknown */
function parsed(text: string, file: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    const why = text.trim() === '' ? 'it is empty' : oneLine((error as Error).message);
    const hint = 'Correct the line, or write {} into the file: every key is optional and has a default.';
    throw new CtxError('damaged', `${file}, line ${brokenLine(text)}: ${why}`, { hint });
  }
}

/**
 * Reads the text of settings.json.
 * @returns the settings, and the keys that this version does not know
 * @throws {CtxError} damaged, if it is no JSON; invalid_settings, naming file, line and the key's values
 */
export function readSettings(text: string, file = 'settings.json'): { settings: Settings; unknown: string[] } {
  const refuse = (line: number, why: string, hint = 'Correct the line; every key is optional and has a default.') =>
    new CtxError('invalid_settings', `${file}, line ${line}: ${why}`, { hint });
  const document = parsed(text, file);
  if (!isObject(document)) throw refuse(1, 'it is not a JSON object');
  const settings: Settings = { ...DEFAULT_SETTINGS };
  const unknown: string[] = [];
  for (const [key, value] of Object.entries(document)) {
    if (!Object.hasOwn(KEYS, key)) {
      unknown.push(key);
      continue;
    }
    const name = key as keyof Settings;
    const [read, takes] = KEYS[name];
    const result =
      value === undefined
        ? undefined
        : readAs<Settings[keyof Settings] | undefined>(read, value, (why, hint) =>
            refuse(lineOf(text, key), why, hint),
          );
    if (result === undefined)
      throw refuse(lineOf(text, key), `"${key}" takes ${takes}, not ${oneLine(JSON.stringify(value))}`);
    if (name === 'redact' && value !== undefined)
      unknown.push(...unknownRedactKeys(value).map((inner) => `redact.${inner}`));
    Object.assign(settings, { [name]: result });
  }
  if (settings.auto_compact_threshold < settings.ask_threshold) {
    const key = Object.hasOwn(document, 'auto_compact_threshold') ? 'auto_compact_threshold' : 'ask_threshold';
    const why =
      key === 'ask_threshold'
        ? '"ask_threshold" is above "auto_compact_threshold", which is 7d'
        : '"auto_compact_threshold" is below "ask_threshold"';
    throw refuse(lineOf(text, key), why);
  }
  return { settings, unknown };
}

/** Writes one setting into settings.json; the rest of the file stays as it is. */
export function writeSetting<Name extends keyof Settings>(
  { layout, ids, durability }: { layout: Layout; ids: IdSource; durability: Durability },
  name: Name,
  value: Settings[Name],
): void {
  const document = JSON.parse(readIfThere(layout.settings)?.toString('utf8') ?? '{}') as Record<string, unknown>;
  const next = `${JSON.stringify({ ...document, [name]: value }, null, 2)}\n`;
  writeDurably(layout.settings, `${layout.settings}.${ids()}.tmp`, next, durability);
}
