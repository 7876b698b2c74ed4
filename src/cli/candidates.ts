/** Finds what may follow on a command line that is being typed. */
import {
  type ArgumentSpec,
  type Command,
  type Completes,
  GLOBAL_OPTIONS,
  namesOf,
  type OptionSpec,
  takesValue,
} from './frame/command.ts';
import { commandMeant, optionOf, withoutOptions } from './quick.ts';

/** A word that may be typed, and its meaning. */
export interface Candidate {
  value: string;
  description: string;
}

/** Words that may follow: some of ours, or paths, which the shell completes. */
export type Candidates = readonly Candidate[] | 'files' | 'folders';

/** Words that only the store and the agents know. */
export interface Known {
  aliases: Readonly<Record<string, string>>;
  groups: Readonly<Record<string, string>>;
  sessions: (openOnly: boolean) => readonly Candidate[];
  agents: () => readonly string[];
}

const plain = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, description: '' }));

function valuesOf(completes: Completes | undefined, known: Known): Candidates {
  if (completes === undefined) return [];
  if (completes === 'files' || completes === 'folders') return completes;
  if (completes === 'agents') return plain(known.agents());
  if (completes === 'sessions' || completes === 'open sessions') return known.sessions(completes === 'open sessions');
  return plain(completes);
}

const optionValues = ({ choices, completes }: OptionSpec, known: Known): Candidates =>
  valuesOf(completes ?? choices, known);

/** Returns the options that may be typed, each by its long name, and by its short one if that is what was begun. */
function optionNames(specs: readonly OptionSpec[], current: string): Candidate[] {
  return specs.flatMap(({ flags, description }) => {
    const names = flags.split(/[ ,]+/).filter((name) => name.startsWith('-'));
    const wanted = names.filter((name) => name.startsWith('--') || (current.length === 2 && name === current));
    return wanted.map((value) => ({ value, description }));
  });
}

/** Returns the words that continue the name of a command: its first ones, or those of a group. */
function commandWords(words: readonly string[], commands: readonly Command[], known: Known): Candidate[] {
  const found = new Map<string, string>();
  for (const command of commands) {
    for (const name of namesOf(command)) {
      const named = name.split(' ');
      if (named.length <= words.length || !words.every((word, index) => named[index] === word)) continue;
      const next = named[words.length] as string;
      const isGroup = words.length === 0 && named.length > 1;
      if (!found.has(next) || !isGroup) found.set(next, isGroup ? (known.groups[next] ?? '') : command.summary);
    }
  }
  if (words.length === 0)
    for (const [name, line] of Object.entries(known.aliases)) if (!found.has(name)) found.set(name, line);
  return [...found].map(([value, description]) => ({ value, description }));
}

/** Returns the argument that the next word is given to. */
const argumentAt = (specs: readonly ArgumentSpec[], index: number): ArgumentSpec | undefined =>
  specs[index] ?? (specs.at(-1)?.rest ? specs.at(-1) : undefined);

/** Returns the candidates for the last word, whatever of it is typed. @param words those behind `ctx`; the last one is being typed */
export function candidatesFor(words: readonly string[], commands: readonly Command[], known: Known): Candidates {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? '';
  const meant = commandMeant(withoutOptions(before, GLOBAL_OPTIONS), commands)?.command;
  const specs = [...(meant?.options ?? []), ...GLOBAL_OPTIONS];
  if (!before.includes('--')) {
    const [, name, typed] = /^(--[a-z-]+)=(.*)$/s.exec(current) ?? [];
    if (name !== undefined && typed !== undefined) {
      const spec = optionOf(specs, name);
      const values = spec ? optionValues(spec, known) : [];
      return typeof values === 'string'
        ? values
        : matching(values, typed).map((one) => ({ ...one, value: `${name}=${one.value}` }));
    }
    const last = optionOf(specs, before.at(-1) ?? '');
    if (last && takesValue(last)) return chosen(optionValues(last, known), current);
    if (current.startsWith('-')) return matching(optionNames(specs, current), current);
  }
  const own = withoutOptions(before, specs);
  if (!meant) return matching(commandWords(own[0] === 'help' ? own.slice(1) : own, commands, known), current);
  const length = commandMeant(own, commands)?.length ?? 0;
  const argument = argumentAt(meant.arguments ?? [], own.length - length);
  const isFirst = own.length === length;
  return argument && (isFirst || argument.rest !== 'words') ? chosen(valuesOf(argument.completes, known), current) : [];
}

const chosen = (values: Candidates, current: string): Candidates =>
  typeof values === 'string' ? values : matching(values, current);

/** Returns what begins with the word that is typed; else the sessions whose title has it. */
function matching(values: readonly Candidate[], current: string): readonly Candidate[] {
  const begun = values.filter(({ value }) => value.startsWith(current));
  if (begun.length > 0 || current.length < 2) return begun;
  const wanted = current.toLowerCase();
  return values.filter(({ value, description }) => IS_ID.test(value) && description.toLowerCase().includes(wanted));
}

const IS_ID = /^[0-9a-f-]{6,}$/;
