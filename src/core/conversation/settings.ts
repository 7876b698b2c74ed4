/** The settings of a context: when and how it is compacted (`context`), and what is known of models (`models`). */

import { CtxError } from '../errors.ts';
import { isObject, type JsonValue } from '../json.ts';
import { readDuration } from '../time.ts';

export interface ContextSettings {
  /** Tokens kept free for the next answer; by default 20,000, or the most that the model can put out if that is less. */
  reserve_tokens: number | null;
  /** Number of the last turns that stay as they are. */
  tail_turns: number;
  /** Most of the usable window that these turns may take. */
  tail_budget_pct: number;
  /** True if only the question and the last answer stay of a last turn that is over this budget. */
  split_last_turn: boolean;
  /** Number of times that a summarizer is asked again that failed for a moment. */
  retry_on_transient: number;
  /** Measures that are tried, in this order, if the history is too large for the summarizer. */
  smart_recovery: { prune_tool_outputs: boolean; chunked_summarize: boolean; drop_middle: boolean };
  /** True if ctx compacts by itself where it hands a conversation to a model. */
  auto: boolean;
  summarizer: 'extract' | 'command' | 'openai';
  /** A program of the user that reads the history and writes a summary; seconds. */
  command: { command: string[]; timeout: number } | null;
  /** A model behind a server that speaks the chat completions of OpenAI. */
  openai: {
    base_url: string;
    model: string;
    /** The variable of the environment with the key; none is sent if absent. */
    key_variable: string | null;
    max_output_tokens: number;
    /** Most tokens of a history that the model takes in; null if unknown. */
    max_input_tokens: number | null;
    timeout: number;
  } | null;
}

type Inner = 'smart_recovery' | 'command' | 'openai';

/** The settings as they are given: what is absent has a default. */
export type GivenContext = Omit<Partial<ContextSettings>, Inner> & {
  [Key in Inner]?: Partial<NonNullable<ContextSettings[Key]>>;
};

const DEFAULT_CONTEXT: ContextSettings = {
  reserve_tokens: null,
  tail_turns: 2,
  tail_budget_pct: 0.25,
  split_last_turn: false,
  retry_on_transient: 2,
  smart_recovery: { prune_tool_outputs: true, chunked_summarize: true, drop_middle: false },
  auto: true,
  summarizer: 'extract',
  command: null,
  openai: null,
};

/** Limits of a model, in tokens. */
export interface ModelSettings {
  context?: number | undefined;
  output?: number | undefined;
}

type Check = [passes: (value: JsonValue) => boolean, takes: string];

const isNumber = (value: JsonValue): value is number => typeof value === 'number' && Number.isFinite(value);
const isCount = (value: JsonValue): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const COUNT: Check = [isCount, 'a whole number from 0'];
const SWITCH: Check = [(value) => typeof value === 'boolean', 'true or false'];
const TEXT: Check = [(value) => typeof value === 'string' && value !== '', 'a text'];
/** Reads a time that a program or a server has, in seconds: a number, or a text such as `60s`. */
const secondsOf = (value: JsonValue): number =>
  isNumber(value) ? value : typeof value === 'string' ? (readDuration(value) ?? 0) : 0;
/** A day: a timer of Node's takes 24 days at most, and nobody waits for a summary that long. */
const LONGEST = 86_400;
const SECONDS: Check = [
  (value) => secondsOf(value) > 0 && secondsOf(value) <= LONGEST,
  'seconds above 0, or a duration such as "60s", a day at most',
];
const isWord = (value: JsonValue): boolean => typeof value === 'string' && !value.includes('\0');
const WORDS: Check = [
  (value) => Array.isArray(value) && value.every(isWord) && value[0] !== undefined && value[0] !== '',
  'a list of words: a program and its arguments',
];

const KEYS: Record<keyof ContextSettings, Check> = {
  reserve_tokens: COUNT,
  tail_turns: [(value) => isCount(value) && value !== 0, 'a whole number from 1'],
  tail_budget_pct: [(value) => isNumber(value) && value > 0 && value <= 1, 'a part of 1, such as 0.25'],
  split_last_turn: SWITCH,
  retry_on_transient: [(value) => isCount(value) && (value as number) <= 10, 'a whole number from 0 to 10'],
  smart_recovery: [isObject, 'an object'],
  auto: SWITCH,
  summarizer: [
    (value) => ['extract', 'command', 'openai'].includes(value as string),
    '"extract", "command" or "openai"',
  ],
  command: [isObject, '{"command": ["<program>", …], "timeout": 60}'],
  openai: [isObject, '{"base_url": "http://…", "model": "…"}'],
};

const INNER: Record<string, Record<string, Check>> = {
  smart_recovery: { prune_tool_outputs: SWITCH, chunked_summarize: SWITCH, drop_middle: SWITCH },
  command: { command: WORDS, timeout: SECONDS },
  openai: {
    base_url: [(value) => typeof value === 'string' && /^https?:\/\/[^\s@]+$/.test(value), 'an address: http://…'],
    model: TEXT,
    key_variable: [(value) => typeof value === 'string' && /^[A-Za-z_]\w*$/.test(value), 'the name of a variable'],
    max_output_tokens: [(value) => isCount(value) && value !== 0, 'a whole number from 1'],
    max_input_tokens: [(value) => isCount(value) && value !== 0, 'a whole number from 1'],
    timeout: SECONDS,
  },
};

const NEEDED: Record<string, readonly string[]> = { command: ['command'], openai: ['base_url', 'model'] };

function check(name: string, value: JsonValue, [passes, takes]: Check): void {
  if (!passes(value)) throw new CtxError('invalid_settings', `"${name}" takes ${takes}`);
}

/**
 * Reads the value of the key `context`; undefined if it is no object. Keys that are unknown are passed over.
 * @throws {CtxError} invalid_settings, naming the key within
 */
export function readContextSettings(value: JsonValue): GivenContext | undefined {
  if (!isObject(value)) return undefined;
  for (const [key, given] of Object.entries(value)) {
    const known = KEYS[key as keyof ContextSettings] as Check | undefined;
    if (!known || given === undefined) continue;
    check(`context.${key}`, given, known);
    const inner = INNER[key];
    if (!inner || !isObject(given)) continue;
    for (const [name, one] of Object.entries(inner))
      if (given[name] !== undefined) check(`context.${key}.${name}`, given[name], one);
    const lacking = NEEDED[key]?.find((name) => given[name] === undefined);
    if (lacking) throw new CtxError('invalid_settings', `"context.${key}" lacks "${lacking}"`);
  }
  return value as unknown as GivenContext;
}

/** Reads the value of the key `models`: what is known of each model, by its id; undefined if it is of another kind. */
export function readModels(value: JsonValue): Record<string, ModelSettings> | undefined {
  if (!isObject(value)) return undefined;
  for (const [id, model] of Object.entries(value)) {
    if (!isObject(model))
      throw new CtxError('invalid_settings', `"models.${id}" takes {"context": 200000, "output": 32000}`);
    for (const key of ['context', 'output'])
      if (model[key] !== undefined) check(`models.${id}.${key}`, model[key], COUNT);
  }
  return value as unknown as Record<string, ModelSettings>;
}

/** Most seconds that a summarizer takes. */
const SUMMARIZER_TIMEOUT = 60;
/** Most tokens of a summary. */
const SUMMARY_TOKENS = 2000;

const timeoutOf = ({ timeout = SUMMARIZER_TIMEOUT }: { timeout?: number | string } = {}): number => secondsOf(timeout);

/** The settings with their defaults. */
export function contextSettings(given: GivenContext): ContextSettings {
  const { smart_recovery, command, openai, ...others } = given;
  const server = { key_variable: null, max_output_tokens: SUMMARY_TOKENS, max_input_tokens: null };
  const { base_url, model } = openai ?? {};
  return {
    ...DEFAULT_CONTEXT,
    ...others,
    smart_recovery: { ...DEFAULT_CONTEXT.smart_recovery, ...smart_recovery },
    command: command?.command ? { command: command.command, timeout: timeoutOf(command) } : null,
    openai: base_url && model ? { ...server, ...openai, base_url, model, timeout: timeoutOf(openai) } : null,
  };
}

/** Tokens that are kept free if the settings do not say how many. */
const RESERVE = 20_000;

/** The tokens kept free for the next answer. */
export const reserveOf = ({ reserve_tokens }: ContextSettings, model: ModelSettings | undefined): number =>
  reserve_tokens ?? Math.min(RESERVE, model?.output ?? RESERVE);
