/** Every transcript that the paths on a command line lead to: files, folders of them, and collections, told by their content. */
import { type Dirent, readdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { agentNamed } from '../../agents/index.ts';
import { isWithin } from '../../agents/transcript-places.ts';
import { CtxError } from '../../core/errors.ts';
import { hasPlainForm, presentForm } from '../../platform/compressed-file.ts';
import { exists, ioError } from '../../platform/files.ts';
import { statLinkedIfThere } from '../../platform/foreign-file.ts';
import type { FileProblem } from '../ingest/file-problem.ts';
import { asProblem } from '../ingest/file-trouble.ts';
import type { Collected } from './collection.ts';
import { collectionAt } from './collections.ts';
import type { TranscriptProblem } from './found.ts';
import { subAgentsBeside } from './neighbouring-files.ts';
import { recogniseTranscript, requireAgent } from './recognise.ts';
import { notThere, type Recognised } from './text.ts';
import type { LookAtUnread } from './unread-at.ts';
import { ownerOf } from './whose.ts';

/** A transcript that was found; it is read when its turn has come. */
export interface FoundTranscript {
  /** Where it lies, for people. */
  file: string;
  /** When it was last written, in Unix seconds. */
  written_at: number;
  /** Whether all of it lies in that file: whoever knows the file and the agent can read it. */
  isFile: boolean;
  /** @throws {CtxError} invalid_input, io */
  open: () => Recognised;
}

export interface Findings {
  transcripts: FoundTranscript[];
  /** Files that are no transcripts of an agent that ctx knows. */
  passed_over: string[];
  problems: FileProblem[];
}

/** Folders that hold no transcripts, whatever they hold: Git's own, stores of ctx, and packages. */
const LEFT_OUT: readonly string[] = ['.git', '.ctx', 'node_modules'];

/**
 * Finds what lies at some paths and below them.
 * @param agent only transcripts of this agent; a file that is named itself is taken for one where its content tells nothing else
 * @param lookAtUnread tells of a file that is none whether an agent has written it all the same: it is a problem then
 * @throws {CtxError} usage, where there is no such agent; not_found, where nothing stands at the only path
 */
export function findTranscripts(
  paths: readonly string[],
  agent: string | undefined,
  lookAtUnread?: LookAtUnread,
): Findings {
  if (agent !== undefined) requireAgent(agent);
  const walk = new Walk(agent, lookAtUnread);
  for (const path of paths) {
    // A name that is mistyped stops nothing but itself, unless there is nothing else to do.
    if (paths.length === 1 && !statLinkedIfThere(presentForm(path))) throw notThere(path);
    walk.take(path, true);
  }
  walk.follow();
  return walk.findings;
}

/** Whether a path leads to one transcript, or to nothing: not to a folder or a collection. @throws {CtxError} invalid_input, io */
export function isOneFile(path: string, agent: string | undefined): boolean {
  const stat = statLinkedIfThere(path);
  return !stat || !(stat.isDirectory() || (stat.isFile() && collectionAt(path, false, agent) !== null));
}

class Walk {
  readonly findings: Findings = { transcripts: [], passed_over: [], problems: [] };
  readonly #agent: string | undefined;
  readonly #lookAtUnread: LookAtUnread;
  /** What was looked at already, by its path without links: one may be named twice. */
  readonly #seen = new Set<string>();
  /** Links that were met on the way. */
  readonly #links: string[] = [];
  /** Folders that the user has named, without links. */
  readonly #named: string[] = [];

  constructor(agent: string | undefined, lookAtUnread: LookAtUnread = () => null) {
    this.#agent = agent;
    this.#lookAtUnread = lookAtUnread;
  }

  /** @param isNamed whether the user has named it himself */
  take(given: string, isNamed: boolean): void {
    const path = isNamed ? presentForm(given) : given;
    try {
      const stat = statLinkedIfThere(path);
      // A file that went away while the folder was walked is none; a link to nowhere is one that is not read.
      if (!stat && !isNamed) {
        if (exists(path)) this.#passOver(path);
        return;
      }
      if (!stat) throw notThere(path);
      const place = realpathSync(path);
      if (isNamed && stat.isDirectory()) this.#named.push(place);
      if (this.#seen.has(place)) return;
      this.#seen.add(place);
      const collected = this.#collected(path, stat);
      if (collected) this.#collect(collected, stat);
      else if (stat.isDirectory()) this.#folder(path);
      else if (stat.isFile() || isNamed) this.#file(path, stat, isNamed);
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      this.findings.problems.push(asProblem(path, error));
    }
  }

  #collected(path: string, stat: Stats): Iterable<Collected> | null {
    if (!stat.isDirectory() && !stat.isFile()) return null;
    return collectionAt(path, stat.isDirectory(), this.#agent);
  }

  #collect(collected: Iterable<Collected>, stat: Stats): void {
    const written = secondsOf(stat);
    for (const { file, written_at, open } of collected)
      this.findings.transcripts.push({ file, written_at: written_at ?? written, isFile: false, open });
  }

  /** Goes where links lead, once all that lies below the paths themselves has been taken by its own name. */
  follow(): void {
    for (let link = this.#links.shift(); link !== undefined; link = this.#links.shift())
      if (isToFollow(link, this.#named)) this.take(link, false);
  }

  #folder(folder: string): void {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) this.#links.push(path);
      else if (entry.isDirectory() ? !LEFT_OUT.includes(entry.name) : entry.isFile() && !hasPlainForm(path))
        this.take(path, false);
    }
  }

  #file(file: string, stat: Stats, isNamed: boolean): void {
    const owner = ownerOf(file)?.agent;
    const own = this.#agent === undefined ? owner : agentNamed(this.#agent);
    // What the user calls a transcript of an agent is read as one, unless it is another's: that is told when it is opened.
    const isOwn = own && (this.#agent === undefined || isNamed || own === owner);
    if (isOwn) {
      const open = (): Recognised => recogniseTranscript(file, own.name);
      this.findings.transcripts.push({ file, written_at: secondsOf(stat), isFile: true, open });
      for (const place of isNamed ? subAgentsBeside(own, file) : []) this.take(place, false);
    } else if (isNamed) recogniseTranscript(file, undefined);
    else this.#passOver(file);
  }

  /** Names a file that an agent has written; one of another agent than what is asked for counts for nothing. */
  #passOver(file: string): void {
    const found = this.#lookAtUnread(file);
    const isAsked = this.#agent === undefined || found?.agent === '' || found?.agent === this.#agent;
    if (!found || !isAsked) this.findings.passed_over.push(file);
    else this.findings.problems.push(fileProblem(found));
  }
}

/** The message of a problem is told behind the path. */
function fileProblem({ file, message, reason, hint }: TranscriptProblem): FileProblem {
  const { message: bare } = asProblem(file, new CtxError('invalid_input', message));
  return { file, line: null, message: bare, reason, hint };
}

const secondsOf = (stat: Stats): number => Math.floor(stat.mtimeMs / 1000);

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    throw ioError('list', folder, error);
  }
}

/** One to a folder that it lies in itself, or that lies around what was named, would lead round, or to all that stands beside that. */
function isToFollow(link: string, named: readonly string[]): boolean {
  try {
    const place = realpathSync(link);
    if ([realpathSync(dirname(link)), ...named].some((folder) => isWithin(folder, [place]))) return false;
    return ![basename(link), ...place.split(sep)].some((name) => LEFT_OUT.includes(name));
  } catch {
    // Whoever takes it finds that it leads nowhere, or tells why one cannot go there.
    return true;
  }
}
