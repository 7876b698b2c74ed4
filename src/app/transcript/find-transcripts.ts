/** Finds every transcript at the paths of a command line (files, folders and collections), recognised by its content. */
import { type Dirent, readdirSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { isWithin } from '../../agents/contract/transcript-places.ts';
import { agentNamed } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { hasPlainForm, presentForm } from '../../platform/compressed-file.ts';
import { exists, ioError } from '../../platform/files.ts';
import { statLinkedIfThere } from '../../platform/foreign-file.ts';
import type { Collected } from './collection.ts';
import { collectionAt } from './collections.ts';
import { asProblem } from './file-errors.ts';
import type { FileProblem } from './file-problem.ts';
import { IGNORED_FOLDERS, type TranscriptProblem } from './found-transcripts.ts';
import { subAgentsBeside } from './neighbouring-files.ts';
import { ownerOf } from './owner.ts';
import { recogniseTranscript, requireAgent } from './recognise.ts';
import { notThere, type Recognised } from './text.ts';
import type { UnreadLookup } from './unread-lookup.ts';

/** A transcript that was found; it is read later. */
export interface FoundTranscript {
  /** Its path, for people. */
  file: string;
  /** When it was last written, in Unix seconds. */
  written_at: number;
  /** True if all of it is in that file, so that the file and the agent are enough to read it. */
  isFile: boolean;
  /** @throws {CtxError} invalid_input, io */
  open: () => Recognised;
}

export interface Findings {
  transcripts: FoundTranscript[];
  /** Files that are not transcripts of an agent that ctx knows. */
  passed_over: string[];
  problems: FileProblem[];
}

/**
 * Finds the transcripts at some paths and below them.
 * @param agent only transcripts of this agent; a file that is named itself counts as one if its content says nothing
 * else
 * @param lookAtUnread reports a file that is not a transcript if an agent has written it all the same
 * @throws {CtxError} usage, if there is no such agent; not_found, if nothing is at the only path
 */
export function findTranscripts(
  paths: readonly string[],
  agent: string | undefined,
  lookAtUnread?: UnreadLookup,
): Findings {
  if (agent !== undefined) requireAgent(agent);
  const walk = new Walk(agent, lookAtUnread);
  for (const path of paths) {
    // A mistyped path does not stop the others, unless it is the only one.
    if (paths.length === 1 && !statLinkedIfThere(presentForm(path))) throw notThere(path);
    walk.take(path, true);
  }
  walk.follow();
  return walk.findings;
}

/**
 * Returns whether a path leads to one transcript, or to nothing: not to a folder or a collection.
 * @throws {CtxError} invalid_input, io
 */
export function isOneFile(path: string, agent: string | undefined): boolean {
  const stat = statLinkedIfThere(path);
  return !stat || !(stat.isDirectory() || (stat.isFile() && collectionAt(path, false, agent) !== null));
}

class Walk {
  readonly findings: Findings = { transcripts: [], passed_over: [], problems: [] };
  readonly #agent: string | undefined;
  readonly #lookAtUnread: UnreadLookup;
  /** Visited places, each by its path without links: a file may be named twice. */
  readonly #seen = new Set<string>();
  /** Links that were met on the way. */
  readonly #links: string[] = [];
  /** Folders that the user has named, without links. */
  readonly #named: string[] = [];

  constructor(agent: string | undefined, lookAtUnread: UnreadLookup = () => null) {
    this.#agent = agent;
    this.#lookAtUnread = lookAtUnread;
  }

  /** Visits a path. @param isNamed whether the user has named it */
  take(given: string, isNamed: boolean): void {
    const path = isNamed ? presentForm(given) : given;
    try {
      const stat = statLinkedIfThere(path);
      // A file may vanish while the folder is walked; a dangling link is reported.
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

  /** Follows the links, once everything below the paths themselves has been visited under its own name. */
  follow(): void {
    for (let link = this.#links.shift(); link !== undefined; link = this.#links.shift())
      if (isToFollow(link, this.#named)) this.take(link, false);
  }

  #folder(folder: string): void {
    for (const entry of entriesOf(folder)) {
      const path = join(folder, entry.name);
      if (entry.isSymbolicLink()) this.#links.push(path);
      else if (entry.isDirectory() ? !IGNORED_FOLDERS.includes(entry.name) : entry.isFile() && !hasPlainForm(path))
        this.take(path, false);
    }
  }

  #file(file: string, stat: Stats, isNamed: boolean): void {
    const owner = ownerOf(file)?.agent;
    const own = this.#agent === undefined ? owner : agentNamed(this.#agent);
    // A file that the user assigns to an agent is read as the agent's; if it is another's, opening it says so.
    const isOwn = own && (this.#agent === undefined || isNamed || own === owner);
    if (isOwn) {
      const open = (): Recognised => recogniseTranscript(file, own.name);
      this.findings.transcripts.push({ file, written_at: secondsOf(stat), isFile: true, open });
      for (const place of isNamed ? subAgentsBeside(own, file) : []) this.take(place, false);
    } else if (isNamed) recogniseTranscript(file, undefined);
    else this.#passOver(file);
  }

  /** Reports a file that an agent has written; a file of another agent than the requested one is only passed over. */
  #passOver(file: string): void {
    const found = this.#lookAtUnread(file);
    const isAsked = this.#agent === undefined || found?.agent === '' || found?.agent === this.#agent;
    if (!found || !isAsked) this.findings.passed_over.push(file);
    else this.findings.problems.push(fileProblem(found));
  }
}

/** Drops the path from the message of a problem: a printed problem begins with its path. */
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

/** Returns whether to follow a link: not to a folder that contains the link or a named path. */
function isToFollow(link: string, named: readonly string[]): boolean {
  try {
    const place = realpathSync(link);
    if ([realpathSync(dirname(link)), ...named].some((folder) => isWithin(folder, [place]))) return false;
    return ![basename(link), ...place.split(sep)].some((name) => IGNORED_FOLDERS.includes(name));
  } catch {
    // Visiting the link reports that it is dangling or cannot be followed.
    return true;
  }
}
