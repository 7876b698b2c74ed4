// Lists the kinds of records that ctx can keep from each agent's transcript: declared beside its fixtures, shown by their contents, and made into a table.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIXTURES, type Transcript } from './corpus.ts';
import type { Shown } from './shown.ts';

/** Kinds of records that can be kept, each with a check if a conversation shows it. */
export const ABILITIES: Record<string, (shown: Shown) => boolean> = {
  prompts: ({ prompts }) => prompts.length > 0,
  answers: ({ answers }) => answers.length > 0,
  reasoning: ({ reasoning }) => reasoning > 0,
  'tool calls': ({ tool_calls }) => Object.keys(tool_calls).length > 0,
  results: ({ results }) => results.given > 0,
  'files read': ({ files_read }) => files_read.length > 0,
  'files written': ({ files_written, files_deleted }) => files_written.length + files_deleted.length > 0,
  commands: ({ commands }) => commands.length > 0,
  'exit codes': ({ commands }) => commands.some(([, code]) => code !== null),
  usage: ({ usage }) => Object.values(usage).some((tokens) => tokens > 0),
  model: ({ models }) => models.length > 0,
  'sub-agents': ({ sub_agent_messages, session }) => sub_agent_messages > 0 || 'parent_agent_session_id' in session,
  compactions: ({ compactions }) => compactions > 0,
  interrupts: ({ interrupts }) => interrupts.length > 0,
  branches: ({ left_behind }) => left_behind > 0,
};

/** `full`; `none`, since the agent does not record it; or what is missing. */
export type Ability = 'full' | 'none' | { partial: string };
export type Abilities = Record<string, Ability>;

export const fileOf = (agent: string): string => join(FIXTURES, agent, 'abilities.json');

/** Reads the abilities beside the fixtures of an agent; null if there are none. */
export function declaredOf(agent: string): Abilities | null {
  const file = fileOf(agent);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Abilities) : null;
}

/** A first draft, by what fixtures show: somebody has to look through it. */
export function draftAbilities(agent: string, fixtures: readonly Shown[]): void {
  const shown = Object.entries(ABILITIES).map(([name, shows]) => [name, fixtures.some(shows) ? 'full' : 'none']);
  writeFileSync(fileOf(agent), `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`);
}

/** Transcripts that show something. */
export const showing = (name: string, files: readonly (readonly [Transcript, Shown])[]): string[] =>
  files.flatMap(([transcript, shown]) => (ABILITIES[name]?.(shown) ? [transcript.name] : []));

const wordOf = (ability: Ability | undefined): string =>
  typeof ability === 'object' ? 'partial' : (ability ?? 'not declared');

/** The table, a column for each agent, and below it what is missing where something is. */
export function tableOf(agents: readonly (readonly [name: string, abilities: Abilities])[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = Object.keys(ABILITIES).map((name) =>
    row([name, ...agents.map(([, abilities]) => wordOf(abilities[name]))]),
  );
  const missing = agents.flatMap(([agent, abilities]) =>
    Object.entries(abilities).flatMap(([name, ability]) =>
      typeof ability === 'object' ? [`- ${agent}, ${name}: ${ability.partial}`] : [],
    ),
  );
  const head = [row(['', ...agents.map(([agent]) => agent)]), row(['---', ...agents.map(() => '---')])];
  return [...head, ...rows, ...(missing.length > 0 ? ['', ...missing] : []), ''].join('\n');
}
