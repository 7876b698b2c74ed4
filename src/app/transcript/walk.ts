/** Walks one place of an agent: each file in it is a conversation, known to be none, or reported as not read. */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type AgentTranscripts, type Belonging, isWithin, knownFile } from '../../agents/contract/transcript-places.ts';
import { agentNamed } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { hasPlainForm, plainName, plainPieces } from '../../platform/compressed-file.ts';
import { errorCode, ioError } from '../../platform/files.ts';
import { readLinkedIfThere, statLinkedIfThere } from '../../platform/foreign-file.ts';
import { isFolder, withoutLinks } from '../setup/project-paths.ts';
import { aboutAround, isSubAgentsPlace } from './about.ts';
import { type FoundTranscripts, IGNORED_FOLDERS, type TranscriptProblem } from './found-transcripts.ts';
import { previewLines } from './line-preview.ts';
import { isSilentTranscript } from './silent-transcript.ts';
import { formOf, notRead, UNKNOWN_KIND, unread, unreadBy, unreadFile, unreadLink } from './unread.ts';

/** Length of the piece of a file that is read at once, in bytes: the first lines show its project. */
const PIECE = 64 * 1024;
/** Most conversations of a folder that are asked for its project. */
const ASKED = 4;

export interface Look {
  agent: AgentTranscripts;
  projects: readonly string[];
  /** Checks if a conversation that ran in a folder is one of the project's. */
  isHere: (cwd: string) => boolean;
  found: FoundTranscripts;
  /** The name that a variable gives the folder of every project; absent if none does. */
  projectName?: string | undefined;
  /** The folders that were walked, without links: several links may lead to one, or form a loop. */
  walked: Set<string>;
}

/**
 * A folder right below a root: its project, as far as its conversations show, and the problems in it until that is
 * known.
 */
interface Group {
  isOwn: boolean;
  here: number;
  elsewhere: number;
  problems: TranscriptProblem[];
}

const newGroup = (isOwn: boolean): Group => ({ isOwn, here: 0, elsewhere: 0, problems: [] });

/** Reports the problems of a group, unless everything readable in it is another project's. */
function settle({ found }: Look, { isOwn, here, elsewhere, problems }: Group): void {
  if (isOwn || here > 0 || elsewhere === 0) found.problems.push(...problems);
}

/** Walks what is below a root of the agent. */
export function walkRoot(look: Look, root: string): void {
  const group = newGroup(false);
  walk(look, root, [], group, false);
  // A folder of all projects does not show the project of a file in it.
  look.found.problems.push(...group.problems);
}

/** A name like a transcript's, also a packed one's, for folders that hold other things, too. */
const LIKELY_NAME = /\.(jsonl|db|sqlite3?)(\.[a-z0-9]+)*$/;

/**
 * Walks a folder that has the transcripts of all projects side by side. A folder that contains the project, or has no
 * transcript, is for other things, too: only files with likely names are reported there.
 */
export function walkFlat(look: Look, folder: string): void {
  const { agent, projects, found } = look;
  const group = newGroup(false);
  if (!isNewFolder(look, folder)) return;
  const entries = entriesOf(look, folder, group).filter(({ name }) => !IGNORED_FOLDERS.includes(name));
  const isOwn = !projects.some((project) => isWithin(project, [folder])) && hasTranscript(look, folder, entries);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (knownFile(agent.known, [basename(folder), entry.name])) continue;
    // Before the switch was set, the folder may have had a subfolder for each project.
    const isFolderOfOne = agent.holds([entry.name], projects) !== 'no';
    if (leadsToFolder(path, entry)) {
      if (isOwn || isFolderOfOne) walk(look, path, [entry.name], group, true);
    } else if (isOwn || LIKELY_NAME.test(entry.name)) visitFile(look, path, false, group);
  }
  found.problems.push(...group.problems);
}

/** Returns whether one of the first files of a folder is a transcript of the agent, of any project. */
function hasTranscript({ agent, projects }: Look, folder: string, entries: readonly Dirent[]): boolean {
  const files = entries.filter((entry) => entry.isFile() && agent.isConversation(entry.name)).slice(0, ASKED);
  return files.some(({ name }) => {
    try {
      return belongingIn(agent, projects, join(folder, name)) !== null;
    } catch {
      // The error is reported when the file is visited.
      return false;
    }
  });
}

/** Walks a folder. @param isHeld whether the folder is the agent's own, or this project's */
function walk(look: Look, folder: string, names: readonly string[], group: Group, isHeld: boolean): void {
  const { agent, projects } = look;
  if (!isNewFolder(look, folder)) return;
  for (const entry of entriesOf(look, folder, group)) {
    const path = join(folder, entry.name);
    const inner = [...names, entry.name];
    const known = knownFile(agent.known, inner);
    if (known && !known.isSubAgent) continue;
    if (known) visitFile(look, path, false, group, 'sub-agent');
    else if (agent.isConversation(entry.name) || !(leadsToFolder(path, entry) || leadsNowhere(path, entry)))
      visitFile(look, path, agent.holds(names, projects) === 'own', group);
    else {
      const holding = agent.holds(inner, projects);
      if (holding === 'no' && !isHeld && !isNamed(look, inner) && !leadsHere(look, path, inner)) continue;
      if (!leadsToFolder(path, entry)) visitFile(look, path, holding === 'own', group);
      else if (names.length > 0 || !agent.hasProjectFolders) walk(look, path, inner, group, true);
      else walkProject(look, path, inner, holding === 'own');
    }
  }
}

const isNamed = ({ projectName }: Look, [name, deeper]: readonly string[]): boolean =>
  deeper === undefined && name === projectName;

/** Walks a folder that is one project's. */
function walkProject(look: Look, folder: string, names: readonly string[], isOwn: boolean): void {
  const stated = statedProject(look.agent, folder);
  if (stated !== undefined && !look.isHere(stated)) return;
  const group = newGroup(isOwn || stated !== undefined);
  walk(look, folder, names, group, true);
  settle(look, group);
}

/** Returns the path of the project that a file in its folder states; undefined if none does. */
function statedProject({ projectFile }: AgentTranscripts, folder: string): string | undefined {
  try {
    const text = projectFile && readLinkedIfThere(join(folder, projectFile.name))?.toString('utf8');
    return text === undefined ? undefined : projectFile?.path(text);
  } catch {
    // Its conversations may state it.
    return undefined;
  }
}

function isNewFolder({ walked }: Look, folder: string): boolean {
  const place = withoutLinks(folder);
  if (walked.has(place)) return false;
  walked.add(place);
  return true;
}

/**
 * Returns whether a folder with another name is this project's: its conversations ran in a folder that a link leads to.
 */
function leadsHere({ agent, projects, isHere }: Look, folder: string, names: readonly string[]): boolean {
  if (names.length > 1) return false;
  try {
    const files = readdirSync(folder).filter(agent.isConversation).slice(0, ASKED);
    for (const file of files) {
      const stated = belongingIn(agent, projects, join(folder, file));
      if (stated) return isHere(stated.cwd);
    }
  } catch {
    // Another project's folder that cannot be read is no problem of this one.
  }
  return false;
}

function entriesOf({ agent }: Look, folder: string, group: Group): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort(ownFirst);
  } catch (error) {
    const isGone = errorCode(error) === 'ENOENT';
    const problem = isGone
      ? unreadLink(agent.agent, folder)
      : unreadBy(agent.agent, folder, ioError('list', folder, error));
    if (problem) group.problems.push(problem);
    return [];
  }
}

/** Sorts real entries before links: if both lead to one folder, it is visited under its own path. */
const ownFirst = (a: Dirent, b: Dirent): number =>
  Number(a.isSymbolicLink()) - Number(b.isSymbolicLink()) || (a.name < b.name ? -1 : 1);

const leadsToFolder = (path: string, entry: Dirent): boolean =>
  entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path));

/** Returns whether an entry is a dangling link: it may have been a folder. */
const leadsNowhere = (path: string, entry: Dirent): boolean => entry.isSymbolicLink() && !existsSync(path);

type Kind = 'unknown' | 'read' | 'sub-agent';

/**
 * Visits a file.
 * @param isOwn whether its folder has the name of the project: it counts even if no line names its folder
 * @param kind `read`: a session was read from it, so that its content counts, whatever its name; `sub-agent`: its name
 * says so
 */
function visitFile(look: Look, file: string, isOwn: boolean, group: Group, kind: Kind = 'unknown'): void {
  const { agent } = look;
  if (hasPlainForm(file)) return;
  try {
    const problem = problemAt(look, file, kind, isOwn, group);
    if (problem) group.problems.push(problem);
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    group.problems.push(unreadBy(agent.agent, file, error));
  }
}

/** Adds a file that is a conversation of the project; returns a problem if there is one. @throws {CtxError} io */
function problemAt(look: Look, file: string, kind: Kind, isOwn: boolean, group: Group): TranscriptProblem | null {
  const { agent, found } = look;
  const stat = statLinkedIfThere(file);
  // A file that is gone was read completely by its session.
  if (!stat) return kind === 'read' ? null : unreadLink(agent.agent, file);
  const isToRead = kind !== 'unknown' || agent.isConversation(basename(plainName(file)));
  if (!isToRead || !stat.isFile()) return unreadFile(agent.agent, file, UNKNOWN_KIND);
  const whose = projectOf(look, file, isOwn);
  const form = whose === 'unstated' || whose === 'sub-agent' ? formOf(file) : null;
  if (form) return unread(agent.agent, file, form.reason, notRead(form));
  if (whose === null) return isSilentTranscript(agent, file) ? null : unreadFile(agent.agent, file, NAMES_NO_FOLDER);
  const transcript = { agent: agent.agent, file, written_at: Math.floor(stat.mtimeMs / 1000) };
  if (whose === 'here' || whose === 'unstated') found.files.push(transcript);
  if (whose === 'sub-agent') found.sub_agents.push(transcript);
  if (whose === 'here' || whose === 'elsewhere') group[whose] += 1;
  return null;
}

const NAMES_NO_FOLDER = 'has no line that ctx can read and that names its folder.';

/** Visits a path that a session was read from. */
export function visitKnownFile(look: Look, file: string): void {
  const group = newGroup(true);
  visitFile(look, file, true, group, 'read');
  settle(look, group);
}

/**
 * Returns the project of a conversation: by the companion file, which is the agent's own statement for `ctx ingest`
 * too, else by its first lines. `unstated` if only the name of its folder says so, null if nothing does.
 */
function projectOf(
  { agent, projects, isHere }: Look,
  file: string,
  isOwn: boolean,
): 'here' | 'elsewhere' | 'sub-agent' | 'unstated' | null {
  const known = agentNamed(agent.agent);
  const around = known ? aboutAround(known, file) : null;
  const cwd = around?.cwd;
  if (cwd !== undefined && !isHere(cwd)) return 'elsewhere';
  const stated = belongingIn(agent, projects, file);
  // Some agents do not mark the lines of a sub-agent.
  const isSubAgent = isSubAgentsPlace(around) || stated?.is_sub_agent === true;
  if (stated === null && isSubAgent) return 'sub-agent';
  if (stated === null) return cwd !== undefined || isOwn ? 'unstated' : null;
  if (cwd === undefined && !isHere(stated.cwd)) return 'elsewhere';
  return isSubAgent ? 'sub-agent' : 'here';
}

/** Returns what the first lines of a file say about where it belongs; null if nothing. @throws {CtxError} io */
function belongingIn(agent: AgentTranscripts, projects: readonly string[], file: string): Belonging | null {
  for (const { text } of previewLines(plainPieces(file, PIECE))) {
    const stated = agent.belonging(text, projects);
    if (stated) return stated;
  }
  return null;
}
