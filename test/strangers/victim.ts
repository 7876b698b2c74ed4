// A copy of a lived-in store, in which objects, commits and files can be put that no ctx would write.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { sha1 } from '../../src/platform/hash.ts';
import { folder, git } from '../support/cli.ts';
import type { Lived } from './support.ts';

/** A copy of the store, and its parts. */
export class Victim {
  readonly outer = join(folder('bomb-'), 'o');
  readonly dir = join(this.outer, 'project');
  readonly store = join(this.dir, '.ctx');
  readonly #lived: Lived;
  constructor(lived: Lived) {
    this.#lived = lived;
    cpSync(lived.outer, this.outer, { recursive: true });
  }
  git(...words: string[]): string {
    return git(this.dir, '--git-dir=.ctx', ...words).trim();
  }
  /** Puts bytes in the place of a loose object, whatever its name says. */
  loose(oid: string, stream: Buffer): void {
    mkdirSync(join(this.store, 'objects', oid.slice(0, 2)), { recursive: true });
    writeFileSync(join(this.store, 'objects', oid.slice(0, 2), oid.slice(2)), stream);
  }
  /** Writes an object as it should be. */
  object(type: string, content: Buffer): string {
    const framed = Buffer.concat([Buffer.from(`${type} ${content.length}\0`), content]);
    const oid = sha1(framed);
    this.loose(oid, deflateSync(framed, { level: 1 }));
    return oid;
  }
  tree(entries: [mode: string, name: string, oid: string][]): string {
    return this.object(
      'tree',
      Buffer.concat(
        entries.flatMap(([mode, name, oid]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
      ),
    );
  }
  /** Makes a commit like another one, with another tree, the new head of a ref. */
  commit(ref: string, tree: string): void {
    const text = this.git('cat-file', 'commit', ref).replace(/^tree [0-9a-f]{40}/, `tree ${tree}`);
    this.write(ref, `${this.object('commit', Buffer.from(`${text}\n`))}\n`);
  }
  /** The entries of a ref's tree, some replaced. */
  withEntry(ref: string, name: string, mode: string, oid: string): string {
    const lines = this.git('ls-tree', ref)
      .split('\n')
      .map((line) => /^0?(\d+) \w+ (\w+)\t(.*)$/.exec(line) as RegExpExecArray);
    const kept = lines
      .map(([, kind, id, entry]): [string, string, string] => [kind as string, entry as string, id as string])
      .filter(([, entry]) => entry !== name);
    const all = [...kept, [mode, name, oid] as [string, string, string]];
    return this.tree(all.sort(([, a], [, b]) => (a < b ? -1 : 1)));
  }
  /** Adds a pack, of which Git need not think anything. */
  pack(pack: Buffer, index: Buffer): void {
    const name = `objects/pack/pack-${sha1(pack)}`;
    this.write(`${name}.pack`, pack);
    this.write(`${name}.idx`, index);
  }
  write(name: string, content: string | Buffer): void {
    writeFileSync(join(this.store, name), content);
  }
  get id(): string {
    return this.#lived.session;
  }
  get session(): string {
    return `refs/sessions/${this.id}`;
  }
}
