/** Rewrites commits and tags without the forgotten content, oldest first. */
import { type Commit, trailersOf } from '../../core/commit.ts';
import { cleanerOf, type Forgetting } from '../../core/session/forgetting.ts';
import type { ObjectStore } from '../../git/objects/objects.ts';
import type { IdSource } from '../../platform/ids.ts';
import { isRoot } from '../chain/canonical.ts';
import { readCommit } from '../chain/chain.ts';
import { rewriteCanonical } from './canonical.ts';
import { Contents } from './contents.ts';
import { cleanTexts } from './git-texts.ts';
import type { Rewriting } from './rewriting.ts';
import { baseOf, rewriteStep, writeTombstone } from './steps.ts';

export class History {
  readonly rewriting: Rewriting;
  /** The result for each commit and tag, by its old id. */
  readonly #done = new Map<string, string>();
  /** Those that have changed, old to new. */
  readonly changed = new Map<string, string>();
  readonly #tombstones = new Map<string, string>();

  constructor(objects: ObjectStore, ids: IdSource, forgetting: Forgetting, heads: ReadonlyMap<string, string>) {
    const cleaner = cleanerOf(forgetting);
    const renamed = (name: string): string => this.changed.get(name) ?? name;
    this.rewriting = {
      objects,
      ids,
      forgetting,
      cleaner,
      contents: new Contents(objects, forgetting, cleaner, renamed),
      mapped: (oid) => this.#done.get(oid) ?? oid,
      reworded: new Set(),
      refiled: new Set(),
      heads,
      tally: { steps: 0, canonical: 0, other: 0, records: new Set(), cleaned: 0 },
    };
  }

  /** Rewrites an object that a pointer names; returns its new id. @throws {CtxError} damaged */
  map(oid: string): string {
    const { type } = this.rewriting.objects.read(oid);
    if (type === 'blob') return this.rewriting.contents.content(oid)?.oid ?? oid;
    if (type === 'tree') return this.rewriting.contents.folder(oid);
    return type === 'tag' ? this.#mapTag(oid) : this.#mapCommit(oid);
  }

  #set(oid: string, next: string): string {
    this.#done.set(oid, next);
    if (next !== oid) this.changed.set(oid, next);
    return next;
  }

  #mapTag(oid: string): string {
    const known = this.#done.get(oid);
    if (known !== undefined) return known;
    const content = this.rewriting.objects.readAs(oid, 'tag');
    const named = /^object ([0-9a-f]{40})$/m.exec(content.toString('latin1'))?.[1];
    const moved = named === undefined ? content : Buffer.from(content);
    if (named !== undefined) moved.write(this.map(named), 'object '.length, 'latin1');
    const clean = cleanTexts(moved, this.rewriting.cleaner.finder);
    return this.#set(oid, clean.equals(content) ? oid : this.rewriting.objects.write('tag', clean));
  }

  #mapCommit(start: string): string {
    const open = [start];
    for (let oid = open.at(-1); oid !== undefined; oid = open.at(-1)) {
      if (this.#done.has(oid)) {
        open.pop();
        continue;
      }
      const commit = readCommit(this.rewriting.objects, oid);
      const trailers = trailersOf(commit.message);
      const missing = this.#needs(commit, trailers).filter((needed) => !this.#done.has(needed));
      if (missing.length > 0) {
        open.push(...missing);
        continue;
      }
      this.#set(oid, this.#rewrite(oid, commit, trailers));
      open.pop();
    }
    return this.#done.get(start) as string;
  }

  /** Returns the commits that must be rewritten before another one. */
  #needs(commit: Commit, trailers: ReadonlyMap<string, string>): string[] {
    const { objects, heads } = this.rewriting;
    const head = heads.get(trailers.get('Ctx-Session') ?? '');
    if (head !== undefined) return trailers.has('Ctx-Step') ? [baseOf(objects, head)] : [...commit.parents, head];
    const work = trailers.get('Ctx-Work');
    const hasWork = work !== undefined && /^[0-9a-f]{40}$/.test(work) && objects.holds(work);
    return hasWork ? [...commit.parents, work] : commit.parents;
  }

  #rewrite(oid: string, commit: Commit, trailers: ReadonlyMap<string, string>): string {
    const { rewriting } = this;
    // It is the same in every store, and generated.
    if (isRoot(oid)) return oid;
    const session = trailers.get('Ctx-Session') ?? '';
    if (trailers.has('Ctx-Step') && rewriting.heads.has(session)) {
      rewriting.tally.steps += 1;
      rewriting.reworded.add(oid);
      return this.tombstone(session);
    }
    if (trailers.has('Ctx-Step')) return rewriteStep(rewriting, oid, commit);
    if (trailers.has('Ctx-Type') && trailers.has('Ctx-Session'))
      return rewriteCanonical(rewriting, oid, commit, trailers);
    return this.#rewriteOther(oid, commit);
  }

  /** Returns the single step that replaces the chain of a forgotten session. */
  tombstone(session: string): string {
    const known = this.#tombstones.get(session);
    if (known !== undefined) return known;
    const made = writeTombstone(this.rewriting, this.rewriting.heads.get(session) as string);
    this.#tombstones.set(session, made);
    return made;
  }

  /** Rewrites a commit that is not ctx's own: its other bytes stay. */
  #rewriteOther(oid: string, commit: Commit): string {
    const { objects, contents, cleaner, mapped, tally } = this.rewriting;
    const content = objects.readAs(oid, 'commit');
    const end = content.indexOf('\n\n');
    let head = content.toString('latin1', 0, end < 0 ? content.length : end);
    head = head.replace(`tree ${commit.tree}`, `tree ${contents.folder(commit.tree)}`);
    for (const parent of commit.parents) head = head.replace(`parent ${parent}`, `parent ${mapped(parent)}`);
    const moved = Buffer.concat([Buffer.from(head, 'latin1'), end < 0 ? Buffer.alloc(0) : content.subarray(end)]);
    const clean = cleanTexts(moved, cleaner.finder);
    if (clean.equals(content)) return oid;
    tally.other += 1;
    return objects.write('commit', clean);
  }
}
