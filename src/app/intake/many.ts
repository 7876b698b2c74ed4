/** `ctx ingest` of a folder, or of several files: ingests one transcript after the other, each as a change of its own. */

import { setImmediate } from 'node:timers/promises';
import { shortIdsOf } from '../../history/pointers/candidates.ts';
import { type OpenOptions, openRepository, type Repository } from '../../history/store/repository.ts';
import { systemClock } from '../../platform/clock.ts';
import { uuidSource } from '../../platform/ids.ts';
import { withSmallHeap } from '../../platform/memory.ts';
import { hasForgottenSources } from '../redaction/forgotten-filter.ts';
import { redactionFor } from '../redaction/redact.ts';
import type { CompactResult } from '../session/compact.ts';
import type { Surroundings } from '../setup/hook-places.ts';
import { foldersAround } from '../transcript/about.ts';
import { asProblem, isEmpty, problemsOf, stopsAll } from '../transcript/file-errors.ts';
import type { FileProblem } from '../transcript/file-problem.ts';
import { type Findings, findTranscripts } from '../transcript/find-transcripts.ts';
import { findSource, parentOf } from '../transcript/source.ts';
import type { Recognised } from '../transcript/text.ts';
import { unreadLookup } from '../transcript/unread-lookup.ts';
import { activateIngested, archiveIdle } from './after-many.ts';
import { type QueuedTranscript, ReadAhead, type ReadOrder, type ReadTranscript, readingThreads } from './ahead.ts';
import { type IngestResult, ingestRead, ingestRecognised } from './ingest.ts';
import {
  type Folder,
  folderFinder,
  inOrder,
  isOutside,
  keysOf,
  type Place,
  placeHere,
  placeOf,
  type Surveyed,
} from './plan.ts';
import type { IngestStep } from './result.ts';
import { survey } from './survey.ts';
import { tidyAfterIngest } from './tidy.ts';
import { type IngestTotals, totalsOf } from './totals.ts';

export interface IngestManyOptions {
  /** Only transcripts of this agent. */
  agent?: string | undefined;
  /** Only those with an event since then; Unix seconds. */
  since?: number | undefined;
  /** Compact each session afterwards. */
  compact?: boolean | undefined;
  /** Make the session with the newest work of this project the active one, however long it has been idle. */
  activate?: boolean | undefined;
  /** Leave every session open, however long it has been idle. */
  keepOpen?: boolean | undefined;
  /** Ingest every session into this store, whatever its project is. */
  here?: boolean | undefined;
  /**
   * The environment of the command, to find the places of agents, in which an unread file is a problem. Without it no
   * place is known.
   */
  environment?: Surroundings['environment'] | undefined;
  /** The folder that ctx runs in; by default the project's own. Some agents record only a hash of their folder. */
  from?: string | undefined;
  /** The run that it shares with others that are undone together with it. */
  run?: string | undefined;
  progress?: ((step: IngestStep) => void) | undefined;
  /** Called with each problem once it is known: if the run is interrupted, the next run does not report it again. */
  problem?: ((problem: FileProblem) => void) | undefined;
}

/** A transcript that was ingested. */
export interface IngestedFile extends IngestResult {
  short_id: string;
  file: string;
  /** The folder that the agent worked in, if that is not in this project; else null. */
  other_cwd: string | null;
  /** The store that it was ingested into, if that is another project's; else null. */
  other_store: string | null;
  /** The session that started this one as a sub-agent, or that it is a copy of. */
  parent_session_id: string | null;
  /** The short id of that one. */
  parent_short_id: string | null;
}

/** The same before it has short ids, which depend on all that is ingested. */
type Taken = Omit<IngestedFile, 'short_id' | 'parent_short_id'>;

/** A session of another project that has no store, or of an unknown project: it was not ingested. */
interface LeftOut {
  file: string;
  agent: string;
  /** The folder that its agent worked in; null if unknown. */
  cwd: string | null;
  /** SHA-256 of that folder's path; absent if the folder is known. */
  cwd_hash?: string;
  /** The name that its agent has made of that path, if no such folder was found; absent if it records none. */
  cwd_name?: string;
}

export interface IngestManyResult {
  /** The oldest first, but a parent before its children. */
  sessions: IngestedFile[];
  totals: IngestTotals;
  /** Files, and lines of files, with errors. */
  problems: FileProblem[];
  left_out: LeftOut[];
  /** Number of transcripts without an event since then. */
  older: number;
  /** Files that are not transcripts of an agent that ctx knows, or have no conversation in them. */
  passed_over: string[];
}

/**
 * Ingests all transcripts at some paths and below them. If it is killed, what was done is kept, and the next run
 * continues.
 * @param here the store where ctx runs; null if there is none: then each session goes to its own project's, or is left
 * out
 * @throws {CtxError} usage, if there is no such agent; not_found, if nothing is at the only path; busy, damaged
 */
export function ingestMany(
  here: Repository | null,
  paths: readonly string[],
  options: IngestManyOptions = {},
): IngestManyResult {
  const run = new Run(here, paths, options);
  const taken = run.chosen.map((_, index) => run.take(index, null));
  for (const _ of run.finish(taken));
  return run.result(taken);
}

/**
 * Does the same with transcripts read ahead in threads, if that is faster: for a process of its own, whose clock is the
 * machine's or `CTX_NOW`.
 * @throws {CtxError} as `ingestMany`
 */
export async function ingestManyInThreads(
  here: Repository | null,
  paths: readonly string[],
  options: IngestManyOptions = {},
): Promise<IngestManyResult> {
  return withSmallHeap(async () => {
    const run = new Run(here, paths, options);
    const ahead = new ReadAhead(readingThreads, run.ahead());
    try {
      const sessions: (Taken | null)[] = [];
      for (const index of run.chosen.keys()) {
        sessions.push(run.take(index, await ahead.take(index)));
        // An interruption is noticed here, between two transcripts.
        await setImmediate();
      }
      for (const _ of run.finish(sessions)) await setImmediate();
      return run.result(sessions);
    } finally {
      await ahead.end();
    }
  });
}

interface Chosen {
  one: Surveyed;
  place: Exclude<Place, { kind: 'nowhere' }>;
}

type Shared = Pick<Repository, 'clock' | 'ids'> & Pick<OpenOptions, 'lockWait'>;

/** Total size from which threads are worth their start, which takes as long as reading some of it. */
const MUCH = 8_000_000;

/** Chooses what is to be ingested, and ingests one after the other. */
class Run {
  /** In the order in which they are ingested. */
  readonly chosen: readonly Chosen[];
  readonly #here: Repository | null;
  /** Options that other stores are opened with. */
  readonly #shared: Shared;
  readonly #options: IngestManyOptions;
  readonly #findings: Findings;
  readonly #left_out: LeftOut[] = [];
  readonly #older: number;
  /** The one that becomes the current session. */
  readonly #current: Surveyed | undefined;
  readonly #stores = new Map<string, Repository>();
  /** The run of everything that is ingested: it is undone together. */
  readonly #run: string;
  /** Number of problems reported so far. */
  #reported = 0;

  constructor(here: Repository | null, paths: readonly string[], options: IngestManyOptions) {
    this.#here = here;
    this.#shared = here ?? { clock: systemClock(), ids: uuidSource() };
    this.#options = options;
    options.progress?.({ done: 0, total: 0, doing: 'looking for transcripts' });
    const { environment = {}, from = '/' } = options;
    this.#findings = findTranscripts(paths, options.agent, unreadLookup(here?.project ?? from, { environment }));
    const around = here === null ? [] : foldersAround(here.project, options.from);
    const surveyed = survey(this.#findings, options.progress, around);
    const wanted = surveyed.filter(({ last_at }) => last_at >= (options.since ?? 0));
    this.#older = surveyed.length - wanted.length;
    const home = folderFinder(surveyed);
    this.chosen = inOrder(wanted).flatMap((one) => this.#choose(one, home(one)));
    // Sub-agents' sessions are not continued by anybody.
    const own = this.chosen.filter(({ one, place }) => place.kind === 'here' && one.parent === undefined);
    // A parent comes before its children even if its last event is later than theirs.
    const newest = own.reduce<Surveyed | undefined>(
      (last, { one }) => (last && last.last_at > one.last_at ? last : one),
      undefined,
    );
    this.#run = options.run ?? this.#shared.ids();
    this.#current = options.activate ? newest : undefined;
  }

  #choose(one: Surveyed, folder: Folder): Chosen[] {
    const place = this.#options.here ? placeHere(this.#here) : placeOf(this.#here, folder);
    if (place.kind !== 'nowhere') return [{ one, place }];
    const { cwd = null, cwd_hash, cwd_name } = folder;
    const signs = { ...(cwd_hash !== undefined && { cwd_hash }), ...(cwd_name !== undefined && { cwd_name }) };
    this.#left_out.push({ file: one.file, agent: one.agent, cwd, ...(cwd === null && signs) });
    return [];
  }

  /**
   * Makes the session active that is to be, and archives those that have been idle for long, one by one.
   * @param taken the result of each chosen transcript, which is updated
   */
  *finish(taken: readonly (Taken | null)[]): Generator<void> {
    const places = this.chosen.map(({ place }) => place);
    const found = [...taken.entries()].flatMap(([index, one]) => (one?.open ? [{ index, one }] : []));
    const current = found.find(({ index }) => this.chosen[index]?.one === this.#current)?.one;
    if (current && this.#here && activateIngested(this.#here, current.session_id, this.#run))
      for (const { one } of found) one.current = one.session_id === current.session_id;
    if (this.#options.keepOpen) return;
    const done = new Map<string, CompactResult | null>();
    // The work that ended first is archived first.
    for (const { one, index } of found) {
      const { session_id: id, file } = one;
      if (one.current) continue;
      this.#report(this.chosen.length, `archiving what has been idle for long: ${file}`);
      const saved = done.get(id) ?? this.#archived(places[index] as Chosen['place'], one);
      done.set(id, saved);
      if (saved) Object.assign(one, { open: false, compacted: saved });
      yield;
    }
  }

  /** Archives a session if it has been idle for long; an error of it does not stop the others. */
  #archived(place: Chosen['place'], { session_id, file }: Taken): CompactResult | null {
    try {
      return archiveIdle(this.#into(place), session_id, this.#run);
    } catch (error) {
      if (place.kind === 'here' && stopsAll(error, undefined)) throw error;
      this.#findings.problems.push(asProblem(file, error));
      return null;
    }
  }

  /** Returns the result. @param taken the result of each chosen transcript */
  result(taken: readonly (Taken | null)[]): IngestManyResult {
    this.#reportProblems();
    for (const into of [this.#here, ...this.#stores.values()]) if (into) tidyAfterIngest(into);
    const sessions = this.#named(taken.filter((one) => one !== null));
    const { problems, passed_over } = this.#findings;
    const [left_out, older] = [this.#left_out, this.#older];
    return { sessions, totals: totalsOf(sessions), problems, left_out, older, passed_over };
  }

  #named(taken: readonly Taken[]): IngestedFile[] {
    const names = new Map(
      [...new Set(taken.map(({ other_store: store }) => store))].map((store) => {
        const into = store === null ? this.#here : this.#stores.get(store);
        return [store, into ? shortIdsOf(into) : new Map<string, string>()];
      }),
    );
    return taken.map((one) => {
      const short = (id: string): string => names.get(one.other_store)?.get(id) ?? id;
      const { parent_session_id: parent } = one;
      return { ...one, short_id: short(one.session_id), parent_short_id: parent === null ? null : short(parent) };
    });
  }

  /** Returns what may be read ahead of the pointers. */
  ahead(): QueuedTranscript[] {
    const bytes = this.chosen.reduce((sum, { one }) => sum + one.bytes, 0);
    // With `compact`, the next session begins at the commit of the one before.
    if (this.#options.compact || bytes < MUCH) return [];
    const last = new Map<string, number>();
    return this.chosen.map((each, index) => {
      const [own, parent] = keysOf(each.one);
      const behind = Math.max(last.get(own) ?? -1, parent === undefined ? -1 : (last.get(parent) ?? -1));
      last.set(own, index);
      return { behind, order: () => this.#order(each) };
    });
  }

  #order({ one, place }: Chosen): ReadOrder | null {
    // A transcript without an id is looked up in the store, and one that continues another file is read after that.
    if (!one.isFile || !one.hasId || one.goesOn) return null;
    try {
      const into = this.#into(place);
      const { root } = into.layout;
      const id = redactionFor(into).text(one.agent_session_id);
      if (hasForgottenSources(into) || findSource(into, one.agent, id)) return null;
      return { store: root, directory: into.project, file: one.file, agent: one.agent, from: this.#options.from };
    } catch {
      // The error is reported when it is ingested.
      return null;
    }
  }

  /** Ingests one transcript. @param read what a thread has read of it, if one has */
  take(index: number, read: ReadTranscript | null): Taken | null {
    const { one, place } = this.chosen[index] as Chosen;
    const { problems, passed_over } = this.#findings;
    const { compact, from } = this.#options;
    this.#report(index, one.file);
    let recognised: Recognised | undefined;
    try {
      const into = this.#into(place);
      const run = this.#run;
      let result: IngestResult | null = read && ingestRead(into, read.work, { from, beside: true, run });
      if (!result) {
        recognised = one.open();
        const progress = (text: () => string): void => this.#report(index, `${one.file}: ${text()}`);
        result = ingestRecognised(into, recognised, { compact, from, beside: true, run, progress });
      }
      problems.push(...unreadableOf(read, recognised));
      problems.push(...result.problems.map((problem) => ({ file: one.file, ...problem })));
      return this.#described(result, one, into, place);
    } catch (error) {
      // An error of another project's store does not stop this one.
      if (place.kind === 'here' && stopsAll(error, recognised)) throw error;
      const unreadable = unreadableOf(read, recognised);
      problems.push(...unreadable);
      if (!isEmpty(error)) problems.push(...problemsOf(one.file, error));
      else if (unreadable.length === 0) passed_over.push(one.file);
      return null;
    } finally {
      this.#reportProblems();
    }
  }

  #reportProblems(): void {
    const { problems } = this.#findings;
    for (const problem of problems.slice(this.#reported)) this.#options.problem?.(problem);
    this.#reported = problems.length;
  }

  #report(done: number, doing: string): void {
    this.#options.progress?.({ done, total: this.chosen.length, doing });
  }

  #into(place: Chosen['place']): Repository {
    return place.kind === 'store' ? this.#store(place.store) : place.into;
  }

  #described(result: IngestResult, one: Surveyed, into: Repository, place: Chosen['place']): Taken {
    const cwd = one.cwd === undefined ? null : redactionFor(into).text(one.cwd);
    const own = findSource(into, result.agent, result.agent_session_id)?.chain.session;
    return {
      file: one.file,
      ...result,
      other_cwd: isOutside(this.#here, one.cwd) ? cwd : null,
      other_store: place.kind === 'store' ? place.store : null,
      parent_session_id: own ? parentOf(into, own) : null,
    };
  }

  #store(path: string): Repository {
    const { clock, ids, lockWait } = this.#shared;
    const opened = this.#stores.get(path) ?? openRepository({ store: path, clock, ids, lockWait });
    this.#stores.set(path, opened);
    return opened;
  }
}

/** Returns those of several source files that could not be read. */
const unreadableOf = (read: ReadTranscript | null, recognised: Recognised | undefined): readonly FileProblem[] =>
  read?.unreadable ?? recognised?.unreadable?.() ?? [];
