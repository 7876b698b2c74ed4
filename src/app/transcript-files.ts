/** The conversations of a project, as its agents keep them: found by the folder that the agent worked in. */
import { type Dirent, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { type AgentTranscripts, isWithin } from '../agents/transcript-places.ts';
import { TRANSCRIPTS } from '../agents/transcripts.ts';
import { CtxError } from '../core/errors.ts';
import { readLines } from '../core/lines.ts';
import { errorCode, ioError } from '../platform/files.ts';
import { readPieces } from '../platform/pieces.ts';
import { findStore } from '../store/repository.ts';
import { type Surroundings, userFolder } from './hook-places.ts';

/** So much of a file is read at once, in bytes: the first lines tell whose it is. */
const PIECE = 64 * 1024;

/** A file that holds a conversation of this project. */
export interface TranscriptFile {
  agent: string;
  file: string;
  /** When it was last written, in Unix seconds. */
  written_at: number;
}

/** A file or a folder that could not be looked at: the rest goes on. */
export interface TranscriptProblem {
  agent: string;
  file: string;
  message: string;
}

interface Found {
  files: TranscriptFile[];
  problems: TranscriptProblem[];
}

/**
 * Finds the conversations of a project: those whose folder is the project's or lies below it and has no store of its own.
 * @throws {CtxError} not_found, where no home folder is known
 */
export function projectTranscripts(project: string, around: Pick<Surroundings, 'environment'>): Found {
  const projects = pathsOf(project);
  const found: Found = { files: [], problems: [] };
  const homes = TRANSCRIPTS.map((agent) => [agent, userFolder(agent, around)] as const);
  if (homes.every(([, home]) => home === undefined)) {
    throw new CtxError('not_found', 'No home folder is known: that is where agents keep their transcripts.', {
      hint: 'Set HOME.',
    });
  }
  for (const [agent, home] of homes) {
    if (home === undefined) continue;
    const look: Look = { agent, projects, found };
    for (const root of agent.roots) walk(look, join(home, root), []);
  }
  return found;
}

/** Of a file that somebody has told of, wherever it lies: whether it holds a conversation of the project. */
export function transcriptAt(project: string, name: string, file: string): Found {
  const found: Found = { files: [], problems: [] };
  const agent = TRANSCRIPTS.find((one) => one.agent === name);
  if (agent && isAbsolute(file)) takeFile({ agent, projects: pathsOf(project), found }, file, false);
  return found;
}

/** A folder's path as it was given, and the one without links: an agent may have been told either. */
export function pathsOf(project: string): string[] {
  const path = resolve(project);
  try {
    return [...new Set([path, realpathSync(path)])];
  } catch {
    return [path];
  }
}

interface Look {
  agent: AgentTranscripts;
  projects: readonly string[];
  found: Found;
}

function walk(look: Look, folder: string, names: readonly string[]): void {
  const { agent, projects } = look;
  for (const entry of entriesOf(look, folder)) {
    const path = join(folder, entry.name);
    const inner = [...names, entry.name];
    if (agent.isConversation(entry.name)) takeFile(look, path, agent.holds(names, projects) === 'own');
    else if (entry.isDirectory() && agent.holds(inner, projects) !== 'no') walk(look, path, inner);
  }
}

function entriesOf({ agent, found }: Look, folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') found.problems.push(problemOf(agent, folder, ioError('list', folder, error)));
    return [];
  }
}

const problemOf = ({ agent }: AgentTranscripts, file: string, { message }: CtxError): TranscriptProblem => ({
  agent,
  file,
  message,
});

/** @param isOwn whether the name of its folder is that of the project: it counts even if no line of it tells where it belongs */
function takeFile(look: Look, file: string, isOwn: boolean): void {
  const { agent, found } = look;
  try {
    const stat = statOf(file);
    if (!stat) return;
    if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`);
    if (!belongs(look, file, isOwn)) return;
    found.files.push({ agent: agent.agent, file, written_at: Math.floor(stat.mtimeMs / 1000) });
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    found.problems.push(problemOf(agent, file, error));
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw ioError('look at', file, error);
  }
}

function belongs({ agent, projects }: Look, file: string, isOwn: boolean): boolean {
  for (const line of readLines(readPieces(file, PIECE))) {
    const told = line.text === null ? null : agent.belonging(line.text, projects);
    if (!told) continue;
    return !told.is_sub_agent && isWithin(told.cwd, projects) && !hasOwnStore(told.cwd, projects);
  }
  return isOwn;
}

/** Whether a project below this one has a store of its own: it keeps its own conversations. */
function hasOwnStore(cwd: string, projects: readonly string[]): boolean {
  const store = findStore(cwd);
  return store !== null && isWithin(dirname(store), projects) && !projects.includes(dirname(store));
}
