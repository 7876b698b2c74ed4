/** Random harms to a store, the same for the same seed: what disks, people and other programs do to files and folders. */
import { chmodSync, lstatSync, mkdirSync, readFileSync, rmSync, type Stats, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { seededRandom } from './program.ts';

type Random = () => number;

/** Something that happens to one file or folder of a store. */
export interface RandomHarm {
  /** Below `.ctx`. */
  path: string;
  what: string;
  /** Does it to the store at `root`; nothing where an earlier harm has left nothing to do it to. */
  inflict: (root: string) => void;
}

/** A whole number from 0 to below `end`. */
export const below = (random: Random, end: number): number => Math.floor(random() * end);
export const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

const bytes = (random: Random, count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, () => below(random, 256)));

/** Harms to the content of a file, by the name of the harm. */
const CONTENTS: Record<string, (content: Buffer, random: Random) => Buffer> = {
  'a byte flipped': (content, random) => flip(content, random, 1),
  'bytes flipped': (content, random) => flip(content, random, 2 + below(random, 7)),
  cut: (content, random) => content.subarray(0, below(random, content.length)),
  emptied: () => Buffer.alloc(0),
  'grown with garbage': (content, random) => Buffer.concat([content, bytes(random, 1 + below(random, 200))]),
  'overwritten with zeros': (content, random) => {
    const from = below(random, content.length);
    return Buffer.from(content).fill(0, from, Math.min(content.length, from + 1 + below(random, 64)));
  },
  'a block doubled': (content, random) => {
    const from = below(random, content.length);
    const to = Math.min(content.length, from + 1 + below(random, 64));
    return Buffer.concat([content.subarray(0, to), content.subarray(from)]);
  },
};

function flip(content: Buffer, random: Random, count: number): Buffer {
  const damaged = Buffer.from(content);
  for (let done = 0; done < count && content.length > 0; done += 1) {
    const at = below(random, content.length);
    damaged[at] = (damaged[at] as number) ^ (1 + below(random, 255));
  }
  return damaged;
}

/** The content of a plain file, or null where there is none any more. */
function contentOf(path: string): Buffer | null {
  return lookAt(path)?.isFile() ? readFileSync(path) : null;
}

/** Returns the entry at a path; nothing below a folder that has become something else. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** Takes away what is there, a folder with all that it holds, and makes something else. */
function replace(path: string, make: () => void): void {
  if (!lookAt(path)) return;
  rmSync(path, { recursive: true, force: true });
  make();
}

/** Harms to a file as a whole. `other` is a second file of the store. */
const WHOLE: Record<string, (path: string, other: string) => void> = {
  deleted: (path) => replace(path, () => undefined),
  'replaced by a folder': (path) => replace(path, () => mkdirSync(path)),
  'replaced by a dangling link': (path) => replace(path, () => symlinkSync('/nonexistent/file', path)),
  'replaced by a link to itself': (path) => replace(path, () => symlinkSync(path, path)),
  'exchanged with': (path, other) => {
    const [one, two] = [contentOf(path), contentOf(other)];
    if (one === null || two === null) return;
    writeFileSync(path, two);
    writeFileSync(other, one);
  },
  'replaced by a copy of': (path, other) => {
    const content = contentOf(other);
    if (content !== null) replace(path, () => writeFileSync(path, content));
  },
  'its folder deleted': (path) => replace(dirname(path), () => undefined),
  'its folder replaced by a file': (path) =>
    replace(dirname(path), () => writeFileSync(dirname(path), 'not a folder\n')),
};

/** The harm that means nothing where root reads what it likes. */
export const UNREADABLE = 'unreadable';

/** Names of the harms, those to contents more often. */
const NAMES = [...Object.keys(CONTENTS), ...Object.keys(CONTENTS), ...Object.keys(WHOLE), UNREADABLE];

/** Files by the folder that they lie in, down to the second one; all loose objects are of one kind. */
function kindsOf(files: readonly string[]): Map<string, string[]> {
  const kinds = new Map<string, string[]>();
  for (const path of files) {
    const kind = path
      .split('/')
      .slice(0, 2)
      .join('/')
      .replace(/^objects\/[0-9a-f]{2}$/, 'objects');
    kinds.set(kind, [...(kinds.get(kind) ?? []), path]);
  }
  return kinds;
}

/** Chooses a harm to one of the files of a store. Kinds of files are equally likely: else nearly all would be objects. */
export function chooseHarm(files: readonly string[], random: Random): RandomHarm {
  const kinds = kindsOf(files);
  const path = pick(random, kinds.get(pick(random, [...kinds.keys()])) ?? files);
  const other = pick(random, files);
  const name = pick(random, NAMES);
  const seed = below(random, 2 ** 31);
  const [contents, whole] = [CONTENTS[name], WHOLE[name]];
  // A file at the top has the store itself for a folder.
  if (name.startsWith('its folder')) return dirname(path) === '.' ? chooseHarm(files, random) : folderHarm(path, name);
  const what = /(with|of)$/.test(name) ? `${name} ${other}` : name;
  return {
    path,
    what,
    inflict: (root) => {
      const file = join(root, path);
      if (whole) return whole(file, join(root, other));
      const content = contentOf(file);
      if (content === null) return;
      if (contents) writeFileSync(file, contents(content, seededRandom(seed)));
      else chmodSync(file, 0o000);
    },
  };
}

const folderHarm = (path: string, name: string): RandomHarm => ({
  path: dirname(path),
  what: name.replace('its folder ', ''),
  inflict: (root) => WHOLE[name]?.(join(root, path), ''),
});
