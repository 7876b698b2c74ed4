/** Verdicts on stores: what is, byte for byte, a store that was judged before is not judged again. */
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isUnfinished, parseHolder } from '../../src/platform/holder.ts';

/** Locks of ours, and second ones, which are named after what the first one says. */
const LOCK = /^(LOCK[^/]*?)(\.[0-9a-f]{16}\.break)?$/;

/** A lock says who holds it: that is a process which is gone, whatever its number was. */
function withoutHolder(content: Buffer): Buffer {
  const text = content.toString('utf8');
  if (isUnfinished(text)) return content;
  const holder = parseHolder(text);
  return holder ? Buffer.from(JSON.stringify({ ...holder, pid: 0, started: '' })) : content;
}

/** A file as it counts: without the number of a dead process, and without the place of this copy of the project. */
function contentOf(path: string, name: string, project: string): Buffer {
  const content = readFileSync(path);
  if (name.startsWith('.ctx/LOCK')) return withoutHolder(content);
  return content.includes(project)
    ? Buffer.from(content.toString('latin1').replaceAll(project, '#'), 'latin1')
    : content;
}

/** Tells projects apart: names, contents, modes, and which names are of one file. */
export function digestOf(project: string): string {
  const hash = createHash('sha1');
  const firsts = new Map<number, string>();
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(project, folder)).sort()) {
      const name = folder === '' ? entry : `${folder}/${entry}`;
      const path = join(project, name);
      const stat = lstatSync(path);
      const shown =
        folder === '.ctx'
          ? `.ctx/${entry.replace(LOCK, (_, lock, second) => (second ? `${lock}.break` : lock))}`
          : name;
      hash.update(`${shown}\0${stat.mode}\0`);
      // A socket of a process that was killed holds nothing.
      if (stat.isSocket()) continue;
      if (stat.isDirectory()) {
        walk(name);
        continue;
      }
      const first = firsts.get(stat.ino);
      firsts.set(stat.ino, first ?? shown);
      const content = first === undefined ? contentOf(path, name, project) : Buffer.from(`the same as ${first}`);
      hash.update(`${content.length}\0`).update(content);
    }
  };
  walk('');
  return hash.digest('hex');
}

/** The verdicts on the stores that one command leaves. The folder is everybody's who runs that command. */
export class Verdicts {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Judges a project, unless one like it was: `asked` is all that the verdict hangs on beside. */
  async of(project: string, asked: unknown, judge: () => Promise<string[]>): Promise<string[]> {
    const key = createHash('sha1')
      .update(`${digestOf(project)} ${JSON.stringify(asked)}`)
      .digest('hex');
    const path = join(this.#folder, key);
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as string[];
    const verdict = await judge();
    // Others look for it at the same time: it is there as a whole, or not.
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(verdict));
    renameSync(`${path}.${process.pid}`, path);
    return verdict;
  }
}
