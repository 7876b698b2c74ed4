/** Feeds the catalog: compares what it has with the pointers of the store, and takes in the new steps in batches, each of which is published. */
import { CtxError, damaged } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { MAIN } from '../../git/layout.ts';
import { isStep, readCommit, walkChain } from '../../history/chain/chain.ts';
import { readSession } from '../../history/chain/session-document.ts';
import type { Repository } from '../../history/store/repository.ts';
import { expectMuch } from '../../platform/compression.ts';
import { expectManyHashes } from '../../platform/hash.ts';
import { collectGarbage, leavingGarbage } from '../../platform/memory.ts';
import type { SectionWriter } from '../bytes/sections.ts';
import { SegmentBuilder, type TableName } from '../segment/builder.ts';
import { encodeSegment } from '../segment/encode.ts';
import { mergeSegments } from '../segment/merge.ts';
import type { CommitEntry, SessionEntry } from '../segment/rows.ts';
import { Segment } from '../segment/segment.ts';
import { messageOfCall } from '../segment/usage-table.ts';
import { removeOthers, segmentInFiles, segmentInMemory, writeManifest, writeSegment } from '../store/files.ts';
import { encodeManifest, type Manifest } from '../store/manifest.ts';
import type { Heads, Needs } from '../store/pointers.ts';
import { forgetWords } from '../words/tokens.ts';
import { commitEntry, newCommits } from './commits.ts';
import { isWholeMessage } from './passages.ts';
import { type KnownSession, SessionFeed } from './session.ts';

/** Shows how far a long feeding is. */
export interface Progress {
  show: (text: string) => void;
}

/** Words after which a batch is published: bounds the memory of a feeding. */
const BATCH = 1_000_000;
/** Bytes of segments from which on a merge needs the memory that the feeding before it has left. */
const LARGE = 4 * 1024 * 1024;
/** Segments of about one size that are merged. */
const ALIKE = 4;

export interface FeedOptions {
  /** Is called with a sentence if the catalog had to be rebuilt, or a session could not be read. */
  warn?: ((problem: string) => void) | undefined;
  progress?: Progress | undefined;
}

export class Feeder {
  readonly #repository: Repository;
  readonly #pointers: Heads;
  readonly #needs: Needs;
  readonly #options: FeedOptions;
  readonly #manifest: Manifest;
  segments: Segment[];
  /** The last row of each session. */
  readonly rows = new Map<string, SessionEntry>();
  #builder = new SegmentBuilder();
  #inMemory = false;
  #commits: CommitEntry[] | undefined;

  constructor(repository: Repository, manifest: Manifest, pointers: Heads, needs: Needs, options: FeedOptions) {
    this.#repository = repository;
    this.#manifest = structuredClone(manifest);
    this.#pointers = pointers;
    this.#needs = needs;
    this.#options = options;
    this.segments = manifest.segments.map((listing) => new Segment(segmentInFiles(repository, listing)));
    if (needs.sessions) for (const segment of this.segments) this.#readRows(segment);
  }

  #readRows(segment: Segment): void {
    for (const row of segment.sessionRows) if (row.id !== '') this.rows.set(row.id, row);
  }

  /** The sessions that have moved since they were taken in, the newest first. */
  #stale(): [id: string, head: string][] {
    if (!this.#needs.sessions) return [];
    const stale: [string, string][] = [];
    for (const [id, { head }] of this.#pointers.sessions) if (this.rows.get(id)?.head !== head) stale.push([id, head]);
    return stale.sort(([a], [b]) => (a < b ? 1 : -1));
  }

  get #hasNewCommits(): boolean {
    const { main } = this.#pointers;
    return this.#needs.commits === true && main !== null && main !== this.#manifest.main;
  }

  /** Counts the sessions that have moved since they were taken in. */
  get behind(): number {
    return this.#stale().length;
  }

  /** The text of the manifest; null if segments are in memory alone. */
  get state(): string | null {
    return this.#inMemory ? null : encodeManifest(this.#manifest);
  }

  isFresh(): boolean {
    return !this.#hasNewCommits && this.#stale().length === 0;
  }

  /** Feeds files. Only under the lock of the catalog. */
  feed(): void {
    leavingGarbage(() => this.#feedAll());
    this.#merge();
    removeOthers(this.#repository, this.#manifest);
  }

  feedInMemory(): void {
    this.#inMemory = true;
    leavingGarbage(() => this.#feedAll());
  }

  #feedAll(): void {
    expectMuch();
    expectManyHashes();
    if (this.#hasNewCommits) this.#feedCommits();
    const stale = this.#stale();
    for (const [index, [id, head]] of stale.entries()) {
      if (stale.length > 1)
        this.#options.progress?.show(
          `Reading sessions for searches: ${index + 1} of ${plural(stale.length, 'session')}`,
        );
      try {
        this.#feedSession(id, head);
      } catch (error) {
        if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
        this.#options.warn?.(`Session ${id} cannot be searched: ${error.message} See: ctx fsck`);
      }
    }
    this.#publish();
  }

  #feedSession(id: string, head: string): void {
    const { objects } = this.#repository;
    const before = this.rows.get(id) ?? null;
    const steps: { oid: string; step: number; tree: string }[] = [];
    let continues = false;
    for (const [oid, commit] of walkChain(objects, head)) {
      continues = oid === before?.head;
      if (continues) break;
      steps.push({ oid, step: Number(/^Ctx-Step: (\d+)$/m.exec(commit.message)?.[1]), tree: commit.tree });
    }
    steps.reverse();
    const number = this.#manifest.next;
    const known: KnownSession =
      continues && before ? this.#known(before) : { row: null, messages: new Map(), usage: new Map() };
    const since = continues && before ? before.since : number;
    const feed = new SessionFeed(this.#repository, id, known, since, { builder: this.#builder, number });
    try {
      for (const [index, { oid, step, tree }] of steps.entries()) {
        feed.step(step, tree);
        if (this.#builder.words.length < BATCH || index === steps.length - 1) continue;
        this.#end(feed, id, oid, tree);
        this.#publish();
        feed.continueIn({ builder: this.#builder, number: this.#manifest.next });
      }
    } catch (error) {
      // Records of the session that were read before the damage stay out: nothing says how far it goes.
      feed.abandon();
      throw error;
    }
    const last = steps.at(-1);
    if (last) this.#end(feed, id, last.oid, last.tree);
    if (this.#builder.words.length >= BATCH) this.#publish();
  }

  #end(feed: SessionFeed, id: string, oid: string, tree: string): void {
    this.rows.set(id, feed.end(oid, readSession(this.#repository.objects, tree, `step ${oid}`)));
  }

  /** Returns what the catalog has of a session. */
  #known(row: SessionEntry): KnownSession {
    const messages: KnownSession['messages'] = new Map();
    const usage: KnownSession['usage'] = new Map();
    for (const segment of this.segments) {
      if (segment.number < row.since) continue;
      const place = segment.sessionRows.findIndex(({ id }) => id === row.id);
      if (place < 0) continue;
      const { calls } = segment.usage;
      for (let row = 0; row < calls.session.length; row += 1)
        if (calls.session[row] === place) {
          const { message, tokens } = segment.usage.callAt(row);
          usage.set(messageOfCall(message), tokens);
        }
      const gone = this.#replacedIn(segment.number);
      const { lengths } = segment;
      const messageOf = segment.messageOf.all();
      for (let message = 0; message < segment.messageCount; message += 1) {
        if (segment.sessionOf(message) !== place) continue;
        const { id, role, turn } = segment.message(message);
        const before = messages.get(id);
        // The message itself counts, whether its parts came before or after it.
        if (!before) messages.set(id, { role, turn, passages: new Map() });
        else if (isWholeMessage(role)) before.role = role;
      }
      for (let passage = 0; passage < messageOf.length; passage += 1) {
        const message = messageOf[passage] as number;
        if (segment.sessionOf(message) !== place || gone.has(passage) || lengths[passage] === 0) continue;
        messages.get(segment.idOf(message))?.passages.set(segment.keyOf(passage), [segment.number, passage]);
      }
    }
    messages.delete(0);
    return { row, messages, usage };
  }

  /** Returns the passages of a segment that later ones replace. */
  #replacedIn(number: number): Set<number> {
    const gone = new Set<number>();
    for (const segment of this.segments)
      for (const [replaced, passages] of segment.replaced)
        if (replaced === number) for (const passage of passages) gone.add(passage);
    return gone;
  }

  /** Takes in the new commits of the main line; all of them, if those of before are not on it any more. */
  #feedCommits(): void {
    const { main } = this.#pointers;
    if (main === null) return;
    const known = new Set(this.#manifest.main === null ? [] : (this.commits() ?? []).map(({ oid }) => oid));
    let isReached = false;
    const isKnown = (oid: string): boolean => {
      isReached ||= oid === this.#manifest.main;
      return known.has(oid);
    };
    try {
      if (isStep(readCommit(this.#repository.objects, main).message)) throw damaged(MAIN, `it names ${main}, a step`);
      let found = newCommits(this.#repository, main, isKnown);
      const isNew = !isReached;
      if (isNew && known.size > 0) found = newCommits(this.#repository, main, () => false);
      const entries = found.map(([oid, commit]) => commitEntry(this.#repository, oid, commit));
      for (const entry of entries) this.#builder.row('commits', entry);
      if (isNew) this.#manifest.commits_since = this.#manifest.next;
      this.#manifest.main = main;
      this.#commits = undefined;
    } catch (error) {
      if (!(error instanceof CtxError) || error.code !== 'damaged') throw error;
      // The reader of the main line itself reports it.
      this.#isMainDamaged = true;
    }
  }
  #isMainDamaged = false;

  /** Returns the commits of the main line, each behind its parents; null if they are not known. */
  commits(): CommitEntry[] | null {
    if (this.#isMainDamaged || this.#pointers.main === null || this.#manifest.main === null) return null;
    this.#commits ??= this.segments
      .filter(({ number }) => number >= this.#manifest.commits_since)
      .flatMap((segment) => segment.rows('commits') as CommitEntry[]);
    return this.#commits;
  }

  /** Publishes what the builder has as a segment, and begins another. */
  #publish(): void {
    const builder = this.#builder;
    if (builder.isEmpty) return;
    const number = this.#manifest.next;
    this.#manifest.next += 1;
    const fill = (writer: SectionWriter): Record<TableName, string[]> => {
      encodeSegment(builder, writer);
      return builder.tables;
    };
    this.#commits = undefined;
    if (this.#inMemory) this.segments.push(new Segment(segmentInMemory(number, fill)));
    else this.#add(writeSegment(this.#repository, number, fill));
    this.#builder = new SegmentBuilder();
  }

  #add(listing: Manifest['segments'][number]): void {
    this.#manifest.segments.push(listing);
    this.#manifest.at = this.#repository.clock();
    writeManifest(this.#repository, this.#manifest);
    this.segments.push(new Segment(segmentInFiles(this.#repository, listing)));
  }

  /** Merges the newest segments while several are of about one size, so that there are few at any time. */
  #merge(): void {
    for (;;) {
      const { segments } = this.#manifest;
      const tier = (bytes: number): number => Math.floor(Math.log(bytes + 1) / Math.log(ALIKE));
      const last = segments.at(-1);
      if (!last) return;
      let count = 1;
      while (
        count < segments.length &&
        tier((segments[segments.length - count - 1] as typeof last).bytes) <= tier(last.bytes)
      )
        count += 1;
      if (count < ALIKE) return;
      this.#mergeLast(count);
    }
  }

  #mergeLast(count: number): void {
    const bytes = this.#manifest.segments.slice(-count).reduce((sum, listing) => sum + listing.bytes, 0);
    if (bytes >= LARGE) makeRoom();
    const number = this.#manifest.next;
    this.#manifest.next += 1;
    const merged = this.segments.slice(-count);
    const { commits_since: since } = this.#manifest;
    const counts = (id: string, segment: number): boolean =>
      segment >= (this.rows.get(id)?.since ?? Number.POSITIVE_INFINITY);
    const listing = writeSegment(this.#repository, number, (writer) => {
      return mergeSegments(merged, { session: counts, commits: (segment) => segment >= since }, writer).tables;
    });
    this.#manifest.segments = this.#manifest.segments.slice(0, -count);
    this.segments = this.segments.slice(0, -count);
    for (const segment of merged) segment.close();
    this.#add(listing);
    const [segment] = this.segments.slice(-1) as [Segment];
    this.#readRows(segment);
    this.#commits = undefined;
  }
}

/** Drops what a feeding has at hand, and collects its garbage. */
function makeRoom(): void {
  forgetWords();
  collectGarbage();
}
