/** The summarizers that settings.json can name: words of the conversation itself, a program of the user, a model behind a server. */
import type { ContextSettings } from '../../core/conversation/settings.ts';
import { asSummary, INSTRUCTIONS } from '../../core/conversation/summary-format.ts';
import { CtxError } from '../../core/errors.ts';
import { oneLine } from '../../core/text.ts';
import type { Repository } from '../../history/store/repository.ts';
import { mayRunPrograms } from '../../history/store/trust.ts';
import { pause, postJson } from '../../platform/http.ts';
import { askProgram } from '../../platform/program.ts';

/** Why there is no summary: for a moment, because the history is too large, or for good. */
export interface Failure {
  kind: 'transient' | 'too_large' | 'final';
  why: string;
  /** Seconds that the server asks to wait. */
  retryAfter?: number | null;
}

export type Summarised = { summary: string } | Failure;

/** Summarises a history that is given as text. */
export type Summarizer = (history: string, task: string) => Promise<Summarised>;

/** The surroundings of a summarizer. */
export interface Surroundings {
  environment?: Readonly<Record<string, string | undefined>> | undefined;
  /** Waits before a summarizer is asked again. */
  wait?: ((milliseconds: number) => Promise<void>) | undefined;
}

/** Longest that Git may take to say whether it tracks the settings, in milliseconds. */
const LONGEST_LOOK = 1000;

/** Returns the program of the user as a summarizer. @throws {CtxError} invalid_settings, if there is none, or the store is not trusted */
export function commandSummarizer(repository: Repository, { command }: ContextSettings): Summarizer {
  if (!command)
    throw new CtxError('invalid_settings', 'settings.json names no program that summarises.', {
      hint: 'Name one: {"context": {"command": {"command": ["<program>"]}}}',
    });
  if (!mayRunPrograms(repository, LONGEST_LOOK))
    throw new CtxError('invalid_settings', 'The summarizer of settings.json was not run: this store is not trusted.', {
      hint: 'Trust it with: ctx init --trust',
    });
  return async (history, task) => {
    const input = `${JSON.stringify({ instructions: INSTRUCTIONS, task, history })}\n`;
    const asked = askProgram(command.command, input, command.timeout * 1000);
    return 'failed' in asked ? { kind: 'transient', why: asked.failed } : checked(asked.answer);
  };
}

/** Returns a model behind a server as a summarizer. @throws {CtxError} invalid_settings, if there is none, or its key is absent */
export function openaiSummarizer({ openai }: ContextSettings, { environment = process.env }: Surroundings): Summarizer {
  if (!openai)
    throw new CtxError('invalid_settings', 'settings.json names no server with a model that summarises.', {
      hint: 'Name one: {"context": {"openai": {"base_url": "http://localhost:11434/v1", "model": "<model>"}}}',
    });
  const { base_url, model, key_variable, max_output_tokens, timeout } = openai;
  const key = key_variable === null ? undefined : environment[key_variable];
  if (key_variable !== null && !key)
    throw new CtxError('invalid_settings', `The variable ${key_variable} holds no key for the summarizer.`, {
      hint: `Set ${key_variable}, or take "key_variable" out of "context.openai".`,
    });
  const url = `${base_url.replace(/\/+$/, '')}/chat/completions`;
  return async (history, task) => {
    const messages = [
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content: `The task: ${task}\n\nThe conversation:\n\n${history}` },
    ];
    const body = { model, messages, temperature: 0.2, max_tokens: max_output_tokens, stream: false };
    const answer = await postJson(url, body, key ? { authorization: `Bearer ${key}` } : {}, timeout * 1000);
    if ('failed' in answer) return { kind: 'transient', why: answer.failed };
    const { status, text, retryAfter } = answer;
    if (status === 200) return readCompletion(text, max_output_tokens);
    return { ...refusal(status, key ? text.replaceAll(key, '…') : text), retryAfter };
  };
}

/** Messages of a server if a history does not fit its model. */
const TOO_LARGE =
  /context.{0,20}(?:length|window|size)|too (?:long|large|many tokens)|maximum.{0,30}tokens|exceed\w*.{0,40}context/i;

function refusal(status: number, text: string): Failure {
  const why = `it answered ${status}${messageIn(text)}`;
  if ([400, 413, 422].includes(status) && (status === 413 || TOO_LARGE.test(text))) return { kind: 'too_large', why };
  const isMoment = status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
  return { kind: isMoment ? 'transient' : 'final', why };
}

/** Longest message of a server that is repeated, in characters. */
const MESSAGE_LENGTH = 200;

/** The message in the answer of a server that refuses, after a colon; empty if there is none. */
function messageIn(text: string): string {
  try {
    const { error } = JSON.parse(text) as { error?: { message?: unknown } | string | null };
    const message = typeof error === 'string' ? error : error?.message;
    return typeof message === 'string' && message !== '' ? `: ${oneLine(message, MESSAGE_LENGTH)}` : '';
  } catch {
    return '';
  }
}

interface Completion {
  choices?: { message?: { content?: unknown }; finish_reason?: unknown }[];
}

/** The thoughts of a model that some servers leave in front of its answer. */
const THOUGHTS = /^\s*<think>[\s\S]*?<\/think>/;

function readCompletion(text: string, limit: number): Summarised {
  let choice: NonNullable<Completion['choices']>[number] | undefined;
  try {
    choice = (JSON.parse(text) as Completion | null)?.choices?.[0];
  } catch {
    return { kind: 'transient', why: 'its answer is no JSON, or half of it' };
  }
  const content = choice?.message?.content;
  if (typeof content !== 'string') return { kind: 'transient', why: 'its answer holds no text' };
  if (choice?.finish_reason === 'length')
    return { kind: 'transient', why: `its answer was cut at ${limit} tokens ("max_output_tokens")` };
  return checked(content.replace(THOUGHTS, ''));
}

function checked(text: string): Summarised {
  const summary = asSummary(text);
  return summary === null ? { kind: 'transient', why: 'its answer is no summary' } : { summary };
}

/** First wait before a summarizer is asked again, in milliseconds; each further one is twice as long. */
const FIRST_WAIT = 500;
/** Longest wait, in seconds, whatever a server asks for. */
const LONGEST_WAIT = 30;

/** Asks a summarizer, and again if it fails for a moment. */
export async function askAgain(
  ask: () => Promise<Summarised>,
  retries: number,
  { wait = pause }: Surroundings,
): Promise<Summarised> {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await ask();
    if ('summary' in answer || answer.kind !== 'transient') return answer;
    if (attempt >= retries)
      return { ...answer, why: `${oneLine(answer.why)}${attempt > 0 ? `, ${attempt + 1} times` : ''}` };
    const seconds = Math.min(LONGEST_WAIT, answer.retryAfter ?? (FIRST_WAIT * 2 ** attempt) / 1000);
    await wait(seconds * 1000);
  }
}
