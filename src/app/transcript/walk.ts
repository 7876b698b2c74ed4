/** Goes through one place of an agent: each file in it is a conversation, known to be none, or not read and named. */
import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type AgentTranscripts, type Belonging, isWithin, knownFile } from '../../agents/contract/transcript-places.ts';
import { agentNamed } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { hasPlainForm, plainName, plainPieces } from '../../platform/compressed-file.ts';
import { errorCode, ioError } from '../../platform/files.ts';
import { readLinkedIfThere, statLinkedIfThere } from '../../platform/foreign-file.ts';
import { isFolder, withoutLinks } from '../setup/project-paths.ts';
import { aboutAround, tellsOfCaller } from './about.ts';
import type { FoundTranscripts, TranscriptProblem } from './found.ts';
import { lookAtLines } from './look-at-lines.ts';
import { silentIn } from './silent.ts';
import { formOf, notRead, unread, unreadBy, unreadFile, unreadLink } from './unread.ts';

/** So much of a file is read at once, in bytes: the first lines tell whose it is. */
const PIECE = 64 * 1024;
/** Most conversations of a folder that are asked where it belongs. */
const ASKED = 4;

export interface Look {
  agent: AgentTranscripts;
  projects: readonly string[];
  /** Whether a conversation that ran in a folder is one of the project's. */
  isHere: (cwd: string) => boolean;
  found: FoundTranscripts;
  /** The name that a variable gives the folder of every project; absent where none does. */
  projectName?: string | undefined;
  /** The folders that were walked, without links: several may lead to one, or round and round. */
  walked: Set<string>;
}

/** Whose a folder right below a root is, as far as its conversations tell; what is not read in it waits for that. */
interface Group {
  isOwn: boolean;
  here: number;
  elsewhere: number;
  problems: TranscriptProblem[];
}

const newGroup = (isOwn: boolean): Group => ({ isOwn, here: 0, elsewhere: 0, problems: [] });

/** Names what is not read in a group, unless all that can be read there is another project's. */
function settle({ found }: Look, { isOwn, here, elsewhere, problems }: Group): void {
  if (isOwn || here > 0 || elsewhere === 0) found.problems.push(...problems);
}

/** Goes through what lies below a root of the agent's. */
export function walkRoot(look: Look, root: string): void {
  const group = newGroup(false);
  walk(look, root, [], group, false);
  // A folder of all projects tells nothing of whose a file in it is.
  look.found.problems.push(...group.problems);
}

/** Folders that hold no transcripts, whatever they hold: Git's own, stores of ctx, and packages. */
const LEFT_OUT: readonly string[] = ['.git', '.ctx', 'node_modules'];
/** What may be a transcript by its name, also one that was packed, where a folder holds other things, too. */
const LIKE_ONE = /\.(jsonl|db|sqlite3?)(\.[a-z0-9]+)*$/;

/**
 * Goes through a folder in which the transcripts of all projects lie side by side. One with the project in it, or without any
 * transcript, is for other things, too: only what may be one is named there.
 */
export function walkFlat(look: Look, folder: string): void {
  const { agent, projects, found } = look;
  const group = newGroup(false);
  if (!isNewFolder(look, folder)) return;
  const entries = entriesOf(look, folder, group).filter(({ name }) => !LEFT_OUT.includes(name));
  const isOwn = !projects.some((project) => isWithin(project, [folder])) && holdsOne(look, folder, entries);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (knownFile(agent.known, [basename(folder), entry.name])) continue;
    // Before the switch was set, a folder for each project may have been here, too.
    const isFolderOfOne = agent.holds([entry.name], projects) !== 'no';
    if (leadsToFolder(path, entry)) {
      if (isOwn || isFolderOfOne) walk(look, path, [entry.name], group, true);
    } else if (isOwn || LIKE_ONE.test(entry.name)) takeEntry(look, path, false, group);
  }
  found.problems.push(...group.problems);
}

/** Whether one of the first files of a folder is a transcript of the agent, of whatever project. */
function holdsOne({ agent, projects }: Look, folder: string, entries: readonly Dirent[]): boolean {
  const files = entries.filter((entry) => entry.isFile() && agent.isConversation(entry.name)).slice(0, ASKED);
  return files.some(({ name }) => {
    try {
      return toldIn(agent, projects, join(folder, name)) !== null;
    } catch {
      // It is named when its turn has come.
      return false;
    }
  });
}

/** @param isHeld whether the folder is one that holds what is the agent's, not another project's */
function walk(look: Look, folder: string, names: readonly string[], group: Group, isHeld: boolean): void {
  const { agent, projects } = look;
  if (!isNewFolder(look, folder)) return;
  for (const entry of entriesOf(look, folder, group)) {
    const path = join(folder, entry.name);
    const inner = [...names, entry.name];
    const known = knownFile(agent.known, inner);
    if (known && !known.isSubAgent) continue;
    if (known) takeEntry(look, path, false, group, 'sub-agent');
    else if (agent.isConversation(entry.name) || !(leadsToFolder(path, entry) || leadsNowhere(path, entry)))
      takeEntry(look, path, agent.holds(names, projects) === 'own', group);
    else {
      const holding = agent.holds(inner, projects);
      if (holding === 'no' && !isHeld && !isNamed(look, inner) && !leadsHere(look, path, inner)) continue;
      if (!leadsToFolder(path, entry)) takeEntry(look, path, holding === 'own', group);
      else if (names.length > 0 || !agent.hasProjectFolders) walk(look, path, inner, group, true);
      else walkProject(look, path, inner, holding === 'own');
    }
  }
}

const isNamed = ({ projectName }: Look, [name, deeper]: readonly string[]): boolean =>
  deeper === undefined && name === projectName;

/** Goes through a folder that is one project's. */
function walkProject(look: Look, folder: string, names: readonly string[], isOwn: boolean): void {
  const told = projectTold(look.agent, folder);
  if (told !== undefined && !look.isHere(told)) return;
  const group = newGroup(isOwn || told !== undefined);
  walk(look, folder, names, group, true);
  settle(look, group);
}

/** The path of the project that a file in its folder tells; undefined where none does. */
function projectTold({ projectFile }: AgentTranscripts, folder: string): string | undefined {
  try {
    const text = projectFile && readLinkedIfThere(join(folder, projectFile.name))?.toString('utf8');
    return text === undefined ? undefined : projectFile?.path(text);
  } catch {
    // Its conversations may tell.
    return undefined;
  }
}

function isNewFolder({ walked }: Look, folder: string): boolean {
  const place = withoutLinks(folder);
  if (walked.has(place)) return false;
  walked.add(place);
  return true;
}

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
    // Another project's folder that cannot be looked into is no problem of this one.
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

/** What is in a folder itself before what a link leads to: where both are one, it has its own path. */
const ownFirst = (a: Dirent, b: Dirent): number =>
  Number(a.isSymbolicLink()) - Number(b.isSymbolicLink()) || (a.name < b.name ? -1 : 1);

const leadsToFolder = (path: string, entry: Dirent): boolean =>
  entry.isDirectory() || (entry.isSymbolicLink() && isFolder(path));

/** Whether an entry is a link to what is gone: it may have been a folder. */
const leadsNowhere = (path: string, entry: Dirent): boolean => entry.isSymbolicLink() && !existsSync(path);

type Kind = 'unknown' | 'read' | 'sub-agent';

/**
 * @param isOwn whether the name of its folder is that of the project: it counts even if no line of it tells where it belongs
 * @param kind `read`: a session was read from it, so that what it holds counts, whatever its name; `sub-agent`: so it is by its name
 */
function takeEntry(look: Look, file: string, isOwn: boolean, group: Group, kind: Kind = 'unknown'): void {
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

/** Takes what is a conversation of the project; gives what is a problem. @throws {CtxError} io */
function problemAt(look: Look, file: string, kind: Kind, isOwn: boolean, group: Group): TranscriptProblem | null {
  const { agent, found } = look;
  const stat = statLinkedIfThere(file);
  // A session that was read from what is gone has all of it.
  if (!stat) return kind === 'read' ? null : unreadLink(agent.agent, file);
  const isToRead = kind !== 'unknown' || agent.isConversation(basename(plainName(file)));
  if (!isToRead || !stat.isFile()) return unreadFile(agent.agent, file, UNKNOWN);
  const whose = whoseIs(look, file, isOwn);
  const form = whose === 'untold' || whose === 'sub-agent' ? formOf(file) : null;
  if (form) return unread(agent.agent, file, form.reason, notRead(form));
  if (whose === null) return silentIn(agent, file) ? null : unreadFile(agent.agent, file, UNTOLD);
  const transcript = { agent: agent.agent, file, written_at: Math.floor(stat.mtimeMs / 1000) };
  if (whose === 'here' || whose === 'untold') found.files.push(transcript);
  if (whose === 'sub-agent') found.sub_agents.push(transcript);
  if (whose === 'here' || whose === 'elsewhere') group[whose] += 1;
  return null;
}

const UNKNOWN = 'is of a kind that ctx does not know.';
const UNTOLD = 'has no line that ctx can read and that names its folder.';

/** Takes what lies at a path that a session was read from. */
export function takeKnown(look: Look, file: string): void {
  const group = newGroup(true);
  takeEntry(look, file, true, group, 'read');
  settle(look, group);
}

/**
 * Whose a conversation is: what lies beside a file is its agent's own word for the folder, as `ctx ingest` takes it; else its
 * first lines tell. `untold` where only the name of its folder does, null where nothing does.
 */
function whoseIs(
  { agent, projects, isHere }: Look,
  file: string,
  isOwn: boolean,
): 'here' | 'elsewhere' | 'sub-agent' | 'untold' | null {
  const known = agentNamed(agent.agent);
  const around = known ? aboutAround(known, file) : null;
  const cwd = around?.cwd;
  if (cwd !== undefined && !isHere(cwd)) return 'elsewhere';
  const told = toldIn(agent, projects, file);
  // Of some agents no line of a sub-agent's tells that it is one.
  const isSubAgent = tellsOfCaller(around) || told?.is_sub_agent === true;
  if (told === null && isSubAgent) return 'sub-agent';
  if (told === null) return cwd !== undefined || isOwn ? 'untold' : null;
  if (cwd === undefined && !isHere(told.cwd)) return 'elsewhere';
  return isSubAgent ? 'sub-agent' : 'here';
}

/** What the first lines of a file tell of it; null where none does. @throws {CtxError} io */
function toldIn(agent: AgentTranscripts, projects: readonly string[], file: string): Belonging | null {
  for (const { text } of lookAtLines(plainPieces(file, PIECE))) {
    const told = agent.belonging(text, projects);
    if (told) return told;
  }
  return null;
}
