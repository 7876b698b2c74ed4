/** Makes a folder of transcripts: the conversations of the fixtures of two agents, about pieces of this project's own text. */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { endlessRollout } from './generate-rollout.ts';
import { endlessTranscript } from './generate-transcript.ts';
import { ROOT } from './program.ts';

/** Bytes of one transcript, about. */
const TRANSCRIPT = 10_000_000;
/** Shorter texts are names, ids, times and the like: they stay, and so does what is JSON again. */
const LEAST = 48;
const isSaid = (text: string): boolean => text.length >= LEAST && /\s/.test(text) && !/^[[{]/.test(text);

/**
 * How much longer what is said, read and written is than in the fixture of each agent, which are short so that people can read
 * them. A line then has about as many bytes as in real transcripts on average: 2.4 KB of Claude Code, 0.8 KB of a new rollout of
 * Codex and 1.6 KB of an old one (measured on 12 MB of them).
 */
const LONGER = { claude: 5, codex: 16 };

/** Files that an agent works on in one session. */
const FILES = 12;
/** Lines that it reads at a time: a file is read again and again, from where it was read before. */
const LINES = 40;

/** Always the same numbers, from 0 to below a limit. */
type Chance = (limit: number) => number;

function chance(): Chance {
  let state = 1;
  return (limit) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
}

/** What agents read and write: sources, tests and documents, each in parts of some lines to its end. */
function ownFiles(): string[][] {
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
function piecesOf(files: readonly (readonly string[])[], random: Chance): (length: number) => string {
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
function varied(copy: string, piece: (length: number) => string, longer: number): string {
  const said = new Map<string, string>();
  const vary = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (!isSaid(value)) return value;
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

/** The session of each transcript has an id of its own. */
const withSession = (copy: string, session: string, mine: string): string => copy.replaceAll(session, mine);

/** Writes transcripts of so many bytes in all into a folder, and in each; gives how many bytes they have. */
export function writeFolder(folder: string, bytes: number, each = TRANSCRIPT): number {
  mkdirSync(folder, { recursive: true });
  const files = ownFiles();
  const random = chance();
  let written = 0;
  for (let number = 0; written < bytes; number += 1) {
    const isClaude = number % 2 === 0;
    const { conversation, session } = isClaude ? endlessTranscript() : endlessRollout();
    const longer = isClaude ? LONGER.claude : LONGER.codex;
    const mine = `${number.toString(16).padStart(8, '0')}${session.slice(8)}`;
    const piece = piecesOf(files, random);
    const handle = openSync(join(folder, `${mine}.jsonl`), 'wx');
    const least = written + Math.min(each, bytes - written);
    for (const copy of conversation) {
      if (written >= least) break;
      written += writeSync(handle, varied(withSession(copy, session, mine), piece, longer));
    }
    closeSync(handle);
  }
  return written;
}
