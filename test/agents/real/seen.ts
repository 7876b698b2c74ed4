/** One conversation as two parties tell it: the model server, and ctx. */
import type { ModelServer } from './server.ts';
import { chapterBy, STORY } from './story.ts';
import type { Turn } from './wire.ts';

/** Texts that both have, in order. */
export interface Told {
  prompts: string[];
  answers: string[];
  /** Commands that were called, and what came back. */
  calls: string[];
}

/**
 * Reads the conversation from the model's requests and answers: the last request holds the whole conversation but for the answer to it. Gemini CLI
 * leaves a prompt that was broken off out of what it goes on with: every request tells of prompts.
 */
export function toldByServer({ asked }: ModelServer, shell: (command: string) => object): Told {
  const turns = asked.at(-1)?.turns ?? [];
  const every = asked.flatMap((one) => one.turns);
  const prompts = new Set(every.flatMap((turn) => (turn.type === 'user' ? (chapterBy(turn.text) ?? []) : [])));
  const commands = STORY.flatMap(({ command }) => (command === undefined ? [] : [command]));
  return {
    prompts: [...prompts].map(({ prompt }) => prompt),
    answers: [...turns.flatMap((turn) => (turn.type === 'assistant' ? [turn.text] : [])), STORY.at(-1)?.answer ?? ''],
    calls: turns.flatMap((turn) => {
      if (turn.type !== 'call') return [];
      const command = commands.find((one) => JSON.stringify(shell(one)) === JSON.stringify(turn.input)) ?? '';
      return [`${command} → ${resultOf(turns, turn.id)}`];
    }),
  };
}

function resultOf(turns: readonly Turn[], id: string): string {
  const result = turns.find((turn) => turn.type === 'result' && turn.id === id);
  return result?.type === 'result' ? ownLine(result.text) : 'nothing';
}

/** Finds the output of our command within an output: agents put words and lines of their own around it. */
const ownLine = (text: string): string => /\S+ tests pass$/m.exec(text)?.[0] ?? text;

interface Part {
  type: string;
  text?: string;
}

/** A record as `ctx show --json` gives it. */
export interface Shown {
  kind: string;
  message?: { role: string; parts: Part[] };
  [key: string]: unknown;
}

export function toldByCtx(records: readonly Shown[]): Told {
  const texts = (role: string): string[] =>
    records.flatMap(({ message }) =>
      message?.role === role ? message.parts.flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])) : [],
    );
  return {
    prompts: texts('user').filter((text) => chapterBy(text)),
    answers: texts('assistant'),
    calls: records
      .filter(({ kind }) => kind === 'command')
      .map(({ command, output }) => `${command} → ${String(output ?? '').trimEnd()}`),
  };
}
