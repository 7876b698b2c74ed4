/** The conversations of a project, as its agents keep them: found by the folder that the agent worked in. */
import { type Dirent, readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { agentNamed } from '../../agents/index.ts';
import type { AgentTranscripts, Belonging } from '../../agents/transcript-places.ts';
import { TRANSCRIPTS } from '../../agents/transcripts.ts';
import { CtxError } from '../../core/errors.ts';
import { hasPlainForm, plainPieces, presentForm } from '../../platform/compressed-file.ts';
import { errorCode, ioError } from '../../platform/files.ts';
import { statLinkedIfThere } from '../../platform/foreign-file.ts';
import type { Repository } from '../../store/repository.ts';
import { type Surroundings, userFolder } from '../setup/places.ts';
import { aboutAround, tellsOfCaller } from './about.ts';
import type { FoundTranscripts, TranscriptProblem } from './found.ts';
import { lookAtLines } from './look-at-lines.ts';
import { takeCollections } from './project-collections.ts';
import { isFolder, isInProject, isKeptElsewhere, pathsOf, waysTo, withoutLinks } from './project-paths.ts';

/** So much of a file is read at once, in bytes: the first lines tell whose it is. */
const PIECE = 64 * 1024;

/**
 * Finds the conversations of a project: those whose folder is the project's or lies below it and has no store of its own.
 * @throws {CtxError} not_found, where no home folder is known
 */
export function projectTranscripts(project: string, around: Pick<Surroundings, 'environment'>): FoundTranscripts {
  const projects = waysTo(project, around.environment['PWD']);
  const found: FoundTranscripts = { files: [], problems: [], unread: [] };
  const homes = TRANSCRIPTS.map((agent) => [agent, userFolder(agent, around)] as const);
  if (homes.every(([, home]) => home === undefined)) {
    throw new CtxError('not_found', 'No home folder is known: that is where agents keep their transcripts.', {
      hint: 'Set HOME.',
    });
  }
  const isHere = (cwd: string): boolean => isInProject(cwd, projects);
  for (const [agent, home] of homes) {
    if (home === undefined) continue;
    const look: Look = { agent, projects, isHere, found, walked: new Set() };
    for (const root of agent.roots) walk(look, join(home, root), []);
  }
  takeCollections(found, isHere, around);
  return found;
}

/**
 * Of a file that the store knows of, wherever it lies: whether it holds a conversation of the project. One that ran elsewhere
 * does, too, for the project may have been there then, unless another store answers for that place.
 */
export function transcriptAt({ project, layout }: Repository, name: string, path: string): FoundTranscripts {
  const file = presentForm(path);
  const found: FoundTranscripts = { files: [], problems: [], unread: [] };
  const agent = TRANSCRIPTS.find((one) => one.agent === name);
  const projects = pathsOf(project);
  const isHere = (cwd: string): boolean => isInProject(cwd, projects) || !isKeptElsewhere(cwd, layout.root);
  if (agent && isAbsolute(file)) takeFile({ agent, projects, isHere, found, walked: new Set() }, file, true);
  return found;
}

interface Look {
  agent: AgentTranscripts;
  projects: readonly string[];
  /** Whether a conversation that ran in a folder is one of the project's. */
  isHere: (cwd: string) => boolean;
  found: FoundTranscripts;
  /** The folders that were walked, without links: several may lead to one, or round and round. */
  walked: Set<string>;
}

function walk(look: Look, folder: string, names: readonly string[]): void {
  const { agent, projects, walked } = look;
  const place = withoutLinks(folder);
  if (walked.has(place)) return;
  walked.add(place);
  for (const entry of entriesOf(look, folder)) {
    const path = join(folder, entry.name);
    const inner = [...names, entry.name];
    if (agent.isConversation(entry.name)) {
      if (!hasPlainForm(path)) takeFile(look, path, agent.holds(names, projects) === 'own');
    } else if (leadsToFolder(path, entry) && (agent.holds(inner, projects) !== 'no' || leadsHere(look, path, inner)))
      walk(look, path, inner);
  }
}

/** Most conversations of a folder that are asked where it belongs. */
const ASKED = 4;

/** Whether a folder that has another name is that of this project all the same: its conversations ran where a link leads here. */
function leadsHere({ agent, projects, isHere }: Look, folder: string, names: readonly string[]): boolean {
  if (names.length > 1) return false;
  try {
    const files = readdirSync(folder).filter(agent.isConversation).slice(0, ASKED);
    for (const file of files) {
      const told = toldIn(agent, projects, join(folder, file));
      if (told) return isHere(told.cwd);
    }
  } catch {
    // What cannot be looked into is nobody's concern here.
  }
  return false;
}

function entriesOf({ agent, found }: Look, folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort(ownFirst);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') found.problems.push(problemOf(agent, folder, ioError('list', folder, error)));
    return [];
  }
}

/** What stands in a folder itself before what a link leads to: where both are one, it is told by its own path. */
const ownFirst = (a: Dirent, b: Dirent): number =>
  Number(a.isSymbolicLink()) - Number(b.isSymbolicLink()) || (a.name < b.name ? -1 : 1);

const leadsToFolder = (path: string, entry: Dirent): boolean =>
  entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path));

const problemOf = ({ agent }: AgentTranscripts, file: string, { message }: CtxError): TranscriptProblem => ({
  agent,
  file,
  message,
});

/** @param isOwn whether the name of its folder is that of the project: it counts even if no line of it tells where it belongs */
function takeFile(look: Look, file: string, isOwn: boolean): void {
  const { agent, found } = look;
  try {
    const stat = statLinkedIfThere(file);
    if (!stat) return;
    if (!stat.isFile()) throw new CtxError('invalid_input', `${file} is not a file.`);
    if (!belongs(look, file, isOwn)) return;
    found.files.push({ agent: agent.agent, file, written_at: Math.floor(stat.mtimeMs / 1000) });
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    found.problems.push(problemOf(agent, file, error));
  }
}

/** What stands beside a file is its agent's own word for the folder, as `ctx ingest` takes it; else its first lines tell. */
function belongs({ agent, projects, isHere }: Look, file: string, isOwn: boolean): boolean {
  const known = agentNamed(agent.agent);
  const around = known ? aboutAround(known, file) : null;
  const cwd = around?.cwd;
  // Of some agents no line of a sub-agent's tells that it is one.
  if (tellsOfCaller(around) || (cwd !== undefined && !isHere(cwd))) return false;
  const told = toldIn(agent, projects, file);
  if (told === null) return cwd !== undefined || isOwn;
  return !told.is_sub_agent && (cwd !== undefined || isHere(told.cwd));
}

/** What the first lines of a file tell of it; null where none does. @throws {CtxError} io */
function toldIn(agent: AgentTranscripts, projects: readonly string[], file: string): Belonging | null {
  for (const { text } of lookAtLines(plainPieces(file, PIECE))) {
    const told = agent.belonging(text, projects);
    if (told) return told;
  }
  return null;
}
