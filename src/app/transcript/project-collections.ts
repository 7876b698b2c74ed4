/** Finds the conversations of a project that an agent keeps together with all others: each names its folder. */
import { readdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { type AgentCollections, knownFile } from '../../agents/contract/transcript-places.ts';
import { CtxError } from '../../core/errors.ts';
import { errorCode, exists, ioError } from '../../platform/files.ts';
import { danglingLink, statLinkedIfThere } from '../../platform/foreign-file.ts';
import type { Collected } from './collection.ts';
import { collectionAt } from './collections.ts';
import type { FoundTranscripts } from './found-transcripts.ts';
import { type Around, agentPlaces } from './places.ts';
import { unread, unreadBy, unreadFile, unreadLink } from './unread.ts';

/** The search, and the conversations found: if several collections have one, the first counts. */
interface Look {
  found: FoundTranscripts;
  agent: AgentCollections;
  isHere: (cwd: string) => boolean;
  seen: Set<string>;
}

/**
 * Adds the conversations of a project in an agent's collections to what was found.
 * @param isHere whether a conversation that ran in a folder is one of the project's
 */
export function takeCollections(
  found: FoundTranscripts,
  agent: AgentCollections,
  isHere: (cwd: string) => boolean,
  { project, around }: { project: string; around: Around },
): void {
  const look: Look = { found, agent, isHere, seen: new Set() };
  const { places, problems } = agentPlaces(agent, project, around);
  found.problems.push(...problems);
  const named = fileNamed(agent, places[0]?.folder, around);
  if (named !== null) takeNamed(look, named);
  for (const { folder } of places) for (const path of pathsIn(look, folder, named)) takePath(look, path);
}

/** Returns the file that a variable names; null if none does, or if the value is not a file. */
function fileNamed(
  { fileVariable }: AgentCollections,
  home: string | undefined,
  { environment }: Around,
): string | null {
  const value = fileVariable === undefined ? undefined : environment[fileVariable];
  if (!value || value === ':memory:') return null;
  if (isAbsolute(value)) return value;
  return home === undefined ? null : join(home, value);
}

/**
 * Returns what may be a collection in a home, the likeliest first: by its name, or else any file that is not known to
 * be something else. A folder that is neither is reported.
 */
function pathsIn({ found, agent }: Look, home: string, taken: string | null): string[] {
  const names = namesIn(found, agent, home).filter((name) => join(home, name) !== taken);
  const wanted = agent.names.flatMap((name) => names.filter((each) => isNamed(name, each)));
  const others = names.filter((name) => !wanted.includes(name) && !knownFile(agent.known, [name]));
  const folders = others.map((name) => join(home, name)).filter(isFolder);
  for (const path of folders)
    found.problems.push(unread(agent.agent, path, 'unknown', 'is a folder that ctx does not know.'));
  return [...wanted, ...others].map((name) => join(home, name)).filter((path) => !folders.includes(path));
}

/** Returns whether a path leads to a folder; an error is reported when the path is opened. */
function isFolder(path: string): boolean {
  try {
    return statLinkedIfThere(path)?.isDirectory() === true;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return false;
  }
}

const isNamed = (name: string | RegExp, each: string): boolean =>
  typeof name === 'string' ? name === each : name.test(each);

function namesIn(found: FoundTranscripts, { agent }: AgentCollections, home: string): string[] {
  try {
    return readdirSync(home).sort();
  } catch (error) {
    const isGone = errorCode(error) === 'ENOENT';
    const problem = isGone ? unreadLink(agent, home) : unreadBy(agent, home, ioError('list', home, error));
    if (problem) found.problems.push(problem);
    return [];
  }
}

/** Adds the file that a variable names; a missing one is a problem. */
function takeNamed(look: Look, path: string): void {
  const { found, agent } = look;
  if (danglingLink(path) !== null || exists(path)) {
    takePath(look, path);
    return;
  }
  const what = `is where ${agent.fileVariable} says that conversations are, and there is no such file.`;
  found.problems.push(unread(agent.agent, path, 'missing', what));
}

function takePath(look: Look, path: string): void {
  const { found, agent } = look;
  try {
    const stat = statLinkedIfThere(path);
    const link = stat ? null : unreadLink(agent.agent, path);
    if (link) found.problems.push(link);
    const collected =
      stat?.isFile() || stat?.isDirectory() ? collectionAt(path, stat.isDirectory(), agent.agent) : null;
    for (const one of collected ?? []) takeOne(look, one);
    if (stat?.isFile() && !collected) {
      const problem = unreadFile(agent.agent, path, 'holds no sessions that ctx knows.');
      if (problem) found.problems.push(problem);
    }
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    found.problems.push(unreadBy(agent.agent, path, error));
  }
}

function takeOne({ found, agent: { agent }, isHere, seen }: Look, { file, written_at, about, open }: Collected): void {
  try {
    const belonging = about?.();
    if (!belonging || belonging.is_sub_agent || !isHere(belonging.cwd) || seen.has(belonging.id)) return;
    seen.add(belonging.id);
    found.files.push({ agent, file, written_at: written_at ?? 0, open });
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    found.problems.push(unreadBy(agent, file, error));
  }
}
