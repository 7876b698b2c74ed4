/** `ctx ingest` of a folder, or of several files: one transcript after the other, each a change of its own. */
import { CtxError } from '../core/errors.ts';
import { idleSeconds, staleness } from '../core/stale.ts';
import { openRepository, type Repository } from '../store/repository.ts';
import { asProblem, type FileProblem, isOver } from './file-trouble.ts';
import { type Findings, type FoundTranscript, findTranscripts } from './find-transcripts.ts';
import { type IngestResult, ingestRecognised } from './ingest.ts';
import { homes, inOrder, isStrange, type Place, placeOf, type Surveyed } from './ingest-plan.ts';
import { type IngestTotals, totalsOf } from './ingest-totals.ts';
import { redactionFor } from './redact.ts';
import { findSource, parentOf } from './source.ts';
import { beginningAbout, foldersAround, lastTimeOf } from './transcript-about.ts';
import type { Recognised } from './transcript-text.ts';

/** How far it is. */
export interface IngestStep {
  /** Transcripts that are through, of how many. */
  done: number;
  total: number;
  /** What is done now. */
  doing: string;
}

export interface IngestManyOptions {
  /** Only transcripts of this agent. */
  agent?: string | undefined;
  /** Only those in which something happened since then; Unix seconds. */
  since?: number | undefined;
  /** Compact each session afterwards. */
  compact?: boolean | undefined;
  /** Take every session into this store, whatever project it is of. */
  here?: boolean | undefined;
  /** The folder that ctx runs in; the project's own where absent. Of some agents' folders only a hash is told. */
  from?: string | undefined;
  progress?: ((step: IngestStep) => void) | undefined;
}

/** A transcript that was ingested. */
export interface IngestedFile extends IngestResult {
  file: string;
  /** The folder that the agent worked in, where that is not in this project; else null. */
  other_cwd: string | null;
  /** The store that it went into, where that is another project's; else null. */
  other_store: string | null;
  /** The session that started this one as a sub-agent, or of which it is a copy. */
  parent_session_id: string | null;
}

/** A session of another project that has no store, or of which nothing tells where it is: it was not ingested. */
export interface LeftOut {
  file: string;
  agent: string;
  /** The folder that its agent worked in; null where only its hash is known. */
  cwd: string | null;
  /** SHA-256 of that folder's path; absent where the folder is known. */
  cwd_hash?: string;
}

export interface IngestManyResult {
  /** The oldest first, but a parent before its children. */
  sessions: IngestedFile[];
  totals: IngestTotals;
  /** Files, and lines of files, that could not be read. */
  problems: FileProblem[];
  left_out: LeftOut[];
  /** Transcripts in which nothing has happened since then. */
  older: number;
  /** Files that are no transcripts of an agent that ctx knows, or have no conversation in them. */
  passed_over: string[];
}

/**
 * Ingests all that lies at some paths and below them. Killed at any moment, what was done is kept, and the next run goes on.
 * @throws {CtxError} invalid_input, where there is no such agent; not_found, where nothing stands at the only path; busy, damaged
 */
export function ingestMany(
  repository: Repository,
  paths: readonly string[],
  options: IngestManyOptions = {},
): IngestManyResult {
  options.progress?.({ done: 0, total: 0, doing: 'looking for transcripts' });
  const findings = findTranscripts(paths, options.agent);
  const { problems } = findings;
  const surveyed = survey(findings, options, foldersAround(repository.project, options.from));
  const wanted = surveyed.filter(({ last_at }) => last_at >= (options.since ?? 0));
  const older = surveyed.length - wanted.length;
  const left_out: LeftOut[] = [];
  const home = homes(surveyed);
  const chosen: Chosen[] = inOrder(wanted).flatMap((one) => {
    const { cwd = null, cwd_hash } = home(one);
    const place: Place = options.here ? { kind: 'here' } : placeOf(repository, home(one));
    if (place.kind !== 'nowhere') return [{ one, place }];
    const hash = cwd === null && cwd_hash !== undefined ? { cwd_hash } : {};
    left_out.push({ file: one.file, agent: one.agent, cwd, ...hash });
    return [];
  });
  const run = new Run(repository, options, chosen);
  const sessions = chosen.flatMap((each, index) => run.take(each, index, findings) ?? []);
  return { sessions, totals: totalsOf(sessions), problems, left_out, older, passed_over: findings.passed_over };
}

interface Chosen {
  one: Surveyed;
  place: Place;
}

/** Looks at each transcript; what cannot be looked at is a problem. */
function survey(findings: Findings, options: IngestManyOptions, folders: readonly string[]): Surveyed[] {
  const total = findings.transcripts.length;
  return findings.transcripts.flatMap((found, done) => {
    options.progress?.({ done, total, doing: `looking at ${found.file}` });
    try {
      return lookAt(found, folders);
    } catch (error) {
      findings.problems.push(asProblem(found.file, error));
      return [];
    }
  });
}

function lookAt(found: FoundTranscript, folders: readonly string[]): Surveyed {
  const recognised = found.open();
  const about = beginningAbout(recognised, folders);
  return {
    ...found,
    agent: recognised.agent.name,
    agent_session_id: recognised.agentSession,
    parent: about.parent_agent_session_id,
    cwd: about.cwd,
    cwd_hash: about.cwd_hash,
    last_at: lastTimeOf(recognised) ?? found.written_at,
  };
}

/** Ingests one after the other. */
class Run {
  readonly #repository: Repository;
  readonly #options: IngestManyOptions;
  readonly #total: number;
  /** The one that is to be the current session where there is none. */
  readonly #current: Surveyed | undefined;
  readonly #stores = new Map<string, Repository>();

  constructor(repository: Repository, options: IngestManyOptions, chosen: readonly Chosen[]) {
    this.#repository = repository;
    this.#options = options;
    this.#total = chosen.length;
    // A sub-agent's is nobody's to go on with, and one that has been idle for long would be saved at the next start.
    const newest = chosen.findLast(({ one, place }) => place.kind === 'here' && one.parent === undefined)?.one;
    const idle = idleSeconds(newest?.last_at ?? 0, repository.clock());
    this.#current = staleness(idle, repository.settings) === 'auto_compact' ? undefined : newest;
  }

  take({ one, place }: Chosen, done: number, { problems, passed_over }: Findings): IngestedFile | null {
    const { progress, compact, from } = this.#options;
    const total = this.#total;
    progress?.({ done, total, doing: one.file });
    let recognised: Recognised | undefined;
    try {
      const into = place.kind === 'store' ? this.#store(place.store) : this.#repository;
      recognised = one.open();
      problems.push(...unreadableIn(recognised));
      const result = ingestRecognised(into, recognised, {
        compact,
        from,
        beside: one !== this.#current,
        progress: (text) => progress?.({ done, total, doing: `${one.file}: ${text}` }),
      });
      for (const { line, message } of result.problems) problems.push({ file: one.file, line, message });
      return this.#described(result, one, into, place);
    } catch (error) {
      // Another project's store in trouble is no trouble of this one.
      if (place.kind === 'here' && isOver(error, recognised)) throw error;
      if (!isEmpty(error)) problems.push(...problemsOf(one.file, error));
      else if (recognised?.unreadable === undefined) passed_over.push(one.file);
      return null;
    }
  }

  #described(result: IngestResult, one: Surveyed, into: Repository, place: Place): IngestedFile {
    const cwd = one.cwd === undefined ? null : redactionFor(into).text(one.cwd);
    const own = findSource(into, result.agent, result.agent_session_id)?.chain.session;
    return {
      file: one.file,
      ...result,
      other_cwd: isStrange(this.#repository, one.cwd) ? cwd : null,
      other_store: place.kind === 'store' ? place.store : null,
      parent_session_id: own ? parentOf(into, own) : null,
    };
  }

  #store(path: string): Repository {
    const { clock, ids, lockWait } = this.#repository;
    const opened = this.#stores.get(path) ?? openRepository({ store: path, clock, ids, lockWait });
    this.#stores.set(path, opened);
    return opened;
  }
}

const unreadableIn = ({ unreadable = [] }: Recognised): FileProblem[] =>
  unreadable.map((file) => ({ file, line: null, message: 'is no JSON object' }));

/** Whether there was nothing to keep in a transcript, and nothing that could not be read. */
function isEmpty(error: unknown): boolean {
  const told = error instanceof CtxError ? error.data?.problems : undefined;
  return Array.isArray(told) && told.length === 0;
}

/** What made a transcript fail: the lines that could not be read where the error tells of them, and the file. */
function problemsOf(file: string, error: unknown): FileProblem[] {
  const told = error instanceof CtxError ? error.data?.problems : undefined;
  const lines = Array.isArray(told) ? (told as { line: number; message: string }[]) : [];
  return [asProblem(file, error), ...lines.map(({ line, message }) => ({ file, line, message }))];
}
