/** Texts that agents say, read and write in generated transcripts: pieces of this project's own text. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './program.ts';

/** Shorter texts are names, ids, times and the like: they stay, and so does what is JSON again. */
const LEAST = 48;
const isSaid = (text: string, least: number): boolean => text.length >= least && /\s/.test(text) && !/^[[{]/.test(text);

/** Files that an agent works on in one session. */
const FILES = 12;
/** Lines that it reads at a time: a file is read again and again, from where it was read before. */
const LINES = 40;

/** Always the same numbers, from 0 to below a limit. */
export type Chance = (limit: number) => number;

export function chance(): Chance {
  let state = 1;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** Reads the texts that agents read and write: sources, tests and documents, each in parts of some lines to its end. */
export function ownFiles(): string[][] {
  const folders = ['src', 'test', 'docs', 'bench'];
  const paths = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|md)$/.test(name))
      .sort()
      .map((name) => join(ROOT, folder, name)),
  );
  return paths.map((path) => {
    const lines = readFileSync(path, 'utf8').split('\n');
    return Array.from({ length: Math.ceil(lines.length / LINES) }, (_, at) => lines.slice(at * LINES).join('\n'));
  });
}

/** Texts out of the files that one session is about. */
export function piecesOf(files: readonly (readonly string[])[], random: Chance): (length: number) => string {
  const few = Array.from({ length: FILES }, () => files[random(files.length)] ?? []);
  return (length) => {
    let text = '';
    while (text.length < length) {
      const parts = few[random(FILES)] ?? [];
      text += parts[random(parts.length)] ?? '';
    }
    return text.slice(0, length).toWellFormed();
  };
}

/** A copy of a conversation in which everything that somebody has written is something else, the same at each place. */
export function varied(copy: string, piece: (length: number) => string, longer: number, least = LEAST): string {
  const said = new Map<string, string>();
  const vary = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (!isSaid(value, least)) return value;
      const known = said.get(value) ?? piece(value.length * longer);
      said.set(value, known);
      return known;
    }
    if (Array.isArray(value)) return value.map(vary);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, vary(item)]));
  };
  const lines = copy.trimEnd().split('\n');
  return lines.map((line) => `${JSON.stringify(vary(JSON.parse(line)))}\n`).join('');
}
