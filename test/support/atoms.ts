/** Chooses the parts by which keywords are searched for, and writes the table of them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');
/** In characters of each kind: enough to tell what is rare, and little enough to be counted in seconds. */
const SAMPLE = 300_000;

/** Code, transcripts and prose of this project, without what tells of the rules. */
export function ownText(): string {
  const textOf = (folder: string, ends: RegExp): string =>
    (readdirSync(join(PROJECT, folder), { recursive: true }) as string[])
      .filter((name) => ends.test(name) && !/redaction|secrets/.test(name))
      .map((name) => readFileSync(join(PROJECT, folder, name), 'utf8'))
      .join('\n')
      .slice(0, SAMPLE);
  return [textOf('src', /\.ts$/), textOf('fixtures', /\.(?:jsonl?|md)$/), textOf('docs', /\.md$/)].join('\n');
}

/** Some parts, each with the words that it leads to. */
export type AtomGroups = readonly (readonly [atom: string, words: readonly string[]])[];

/** Longest text of a hook, in characters. */
const TEXT = 10_240;
/** Cost of a search of such a text: to begin, and for each place of the first character, in microseconds (measured). */
const CALL = 0.6;
const PLACE = 0.008;

/** Every part of every word, with the words that have it. */
function partsOf(words: readonly string[]): Map<string, Set<string>> {
  const parts = new Map<string, Set<string>>();
  for (const word of words) {
    for (let from = 0; from < word.length; from++) {
      for (let to = from + 1; to <= word.length; to++) {
        const part = word.slice(from, to);
        parts.set(part, (parts.get(part) ?? new Set()).add(word));
      }
    }
  }
  return parts;
}

/** Tells what a search costs in texts like a sample, and in which share of them a part stands. */
function costsIn(sample: string): { scan: (part: string) => number; share: (part: string) => number } {
  const texts = Array.from({ length: Math.ceil(sample.length / TEXT) }, (_, index) =>
    sample.slice(index * TEXT, (index + 1) * TEXT),
  );
  const counts = new Map<string, number>();
  for (const character of sample) counts.set(character, (counts.get(character) ?? 0) + 1);
  const shares = new Map<string, number>();
  return {
    scan: (part) => CALL + ((counts.get(part.charAt(0)) ?? 0) / texts.length) * PLACE,
    share(part) {
      const known = shares.get(part) ?? texts.filter((text) => text.includes(part)).length / texts.length;
      shares.set(part, known);
      return known;
    },
  };
}

/**
 * Covers words with parts of them, those first that cost least a word: the search for the part, and, in the share of texts
 * that have it, for each of its words.
 * @param sample what is searched is like it
 */
export function chooseAtoms(words: readonly string[], sample: string): AtomGroups {
  const { scan, share } = costsIn(sample);
  const parts = partsOf(words);
  const left = new Set(words);
  const chosen: [string, string[]][] = [];
  while (left.size > 0) {
    let best: { atom: string; own: string[]; each: number } | undefined;
    for (const [atom, having] of parts) {
      const own = [...having].filter((word) => left.has(word));
      if (own.length === 0) continue;
      const each = (scan(atom) + share(atom) * own.reduce((sum, word) => sum + scan(word), 0)) / own.length;
      if (!best || each < best.each) best = { atom, own, each };
    }
    if (!best) throw new Error(`No part leads to ${[...left].join(', ')}`);
    chosen.push([best.atom, best.own]);
    for (const word of best.own) left.delete(word);
  }
  return chosen;
}

const quoted = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** The module with the table. */
export function atomsModule(
  tables: Readonly<Record<string, AtomGroups>>,
  follows: Readonly<Record<string, string>>,
): string {
  const lists = Object.entries(tables).map(([name, groups]) => {
    const pairs = groups.map(([atom, words]) => `${quoted(atom)}, ${quoted(words.join('\n'))},`);
    const rows = pairs.flatMap((pair, at) =>
      at % 2 === 0 ? [`    ${[pair, pairs[at + 1]].join(' ').trimEnd()}\n`] : [],
    );
    return `  // biome-ignore format: two atoms a line\n  ${name}: [\n${rows.join('')}  ],\n`;
  });
  const patterns = Object.entries(follows).map(([word, pattern]) => {
    const name = /^[A-Za-z_]\w*$/.test(word) ? word : quoted(word);
    return `    ${name}: ${quoted(pattern)},\n`;
  });
  return [
    '/** Atoms of the keywords of all rules. Made by a test (`UPDATE=1`), which sees that every keyword is led to. */\n',
    "import type { AtomTable } from './prefilter.ts';\n\n",
    `export const ATOMS: AtomTable = {\n${lists.join('')}  // biome-ignore format: a word a line\n  follows: {\n${patterns.join('')}  },\n};\n`,
  ].join('');
}
