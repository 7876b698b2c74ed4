/** Finds the places for the hooks of an agent, in the project or in the home folder, and which agents are used here. */
import { lstatSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { AgentFolders, AgentHooks, HookInstallation, HookScope } from '../../agents/contract/hook-settings.ts';
import { hookSettings } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { commandFile, OWN_COMMANDS, type OwnCommand } from '../../core/resume/own-commands.ts';
import { exists, ioError } from '../../platform/files.ts';

/** The surroundings of a command; a caller passes them in, nothing is looked up globally. */
export interface Surroundings {
  /** The folder that the command works in. */
  directory: string;
  /** HOME, USERPROFILE and PATH, and each agent's variables for its folder and for what it trusts. */
  environment: Readonly<Record<string, string | undefined>>;
}

export interface HookPlace {
  agent: AgentHooks;
  scope: HookScope;
  folder: string;
  file: string;
  installation: HookInstallation;
  /** The command of ctx that the file is; null if it has the hooks. */
  command: OwnCommand | null;
}

/** Returns the project around a folder: the nearest one with a store or a Git repository, else the folder itself. */
export function projectOf(directory: string): string {
  for (let at = resolve(directory); ; at = dirname(at)) {
    if (['.ctx', '.git'].some((name) => exists(join(at, name)))) return at;
    if (dirname(at) === at) return resolve(directory);
  }
}

/** Returns the user's own folder of an agent; undefined if no home folder is known. */
export function userFolder(
  { folder, homeFolder = folder, folderVariable, belowVariable = '' }: AgentFolders,
  { environment }: Pick<Surroundings, 'environment'>,
): string | undefined {
  const named = folderVariable === undefined ? undefined : environment[folderVariable];
  if (named) return resolve(named, belowVariable);
  const home = environment['HOME'] || environment['USERPROFILE'];
  return home ? join(resolve(home), homeFolder) : undefined;
}

/**
 * Returns the places for the hooks of an agent: the project first, unless its folder is the user's own, then the user's
 * if there is a home.
 */
export function placesOf(agent: AgentHooks, around: Surroundings): HookPlace[] {
  const own = userFolder(agent, around);
  const project = join(projectOf(around.directory), agent.folder);
  const place = (scope: HookScope, folder: string): HookPlace => ({
    agent,
    scope,
    folder,
    file: join(folder, (scope === 'user' && agent.homeFile) || agent.file),
    installation: agent.installation,
    command: null,
  });
  return [...(project === own ? [] : [place('project', project)]), ...(own === undefined ? [] : [place('user', own)])];
}

/** Returns the places of the commands that the user of an agent may type, beside its hooks. @param line the command line of ctx */
export function commandPlaces(place: HookPlace, line: string): HookPlace[] {
  const { commands } = place.agent;
  if (!commands || commands.scopes?.includes(place.scope) === false) return [];
  const { folder, form } = commands;
  return OWN_COMMANDS.map((command) => ({
    ...place,
    file: join(place.folder, folder, `${command}.${form === 'toml' ? 'toml' : 'md'}`),
    installation: { as: 'file', source: commandFile(command, line, commands), comment: '#' },
    command,
  }));
}

/** Returns the place for the server of ctx that belongs to a place for hooks; undefined if the agent takes none. */
export function serverPlace({ agent, scope }: HookPlace, around: Surroundings): HookPlace | undefined {
  const servers = serversOf(agent);
  return servers && placesOf(servers, around).find((place) => place.scope === scope);
}

/** Returns the settings of an agent's servers in the form of those of its hooks; undefined if ctx knows none. */
export function serversOf({
  servers,
  commands: _commands,
  review: _review,
  switch: _switch,
  ...agent
}: AgentHooks): AgentHooks | undefined {
  return servers && { ...agent, ...servers };
}

/**
 * Returns the place of the requested scope; else the project's if the agent has a folder there, else the user's.
 * @throws {CtxError} not_found
 */
export function choosePlace(agent: AgentHooks, around: Surroundings, scope: HookScope | undefined): HookPlace {
  const places = placesOf(agent, around);
  const found = scope
    ? places.find((place) => place.scope === scope)
    : (places.find((place) => place.scope === 'project' && exists(place.folder)) ?? places.at(-1));
  if (found) return found;
  if (scope === 'project') {
    throw new CtxError('not_found', `The project is the home folder: its ${agent.folder} is your own.`, {
      hint: 'Say --user, or go to a project.',
    });
  }
  throw new CtxError('not_found', 'No home folder is known.', { hint: 'Set HOME, or say --project.' });
}

/**
 * Refuses a place in a project whose links lead out of the project: the author of a project does not own what lies
 * there.
 * @throws {CtxError} invalid_settings, io
 */
export function checkInside({ agent: { agent }, scope, file }: HookPlace, { directory }: Surroundings): void {
  if (scope !== 'project') return;
  const real = resolvedPath(file);
  const way = relative(resolvedPath(projectOf(directory)), real);
  if (!isAbsolute(way) && way.split(sep)[0] !== '..') return;
  throw new CtxError('invalid_settings', `${file} leads out of the project, to ${real}`, {
    hint: `Nothing was changed. Say --user for your own settings (ctx hooks install ${agent} --user), or take the link away.`,
  });
}

/** Resolves the links of a path, as far as the path exists. */
function resolvedPath(path: string): string {
  try {
    let there = path;
    while (!lstatSync(there, { throwIfNoEntry: false })) there = dirname(there);
    return realpathSync(there) + path.slice(there.length);
  } catch (error) {
    throw ioError('find', path, error);
  }
}

/**
 * Returns whether an agent is used here: it has a folder in the project or in the home folder, or its program is on
 * PATH.
 */
export function isUsed(agent: AgentHooks, around: Surroundings): boolean {
  if (placesOf(agent, around).some((place) => exists(place.folder))) return true;
  const names = [agent.program, `${agent.program}.exe`, `${agent.program}.cmd`];
  const folders = (around.environment['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.some((folder) => names.some((name) => isFile(join(folder, name))));
}

/** Checks if a path names a file, through links too. */
export function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    // A folder of PATH that may not be read.
    return false;
  }
}

/** Returns the agents of these names; all of them if none is named. @throws {CtxError} usage */
export function agentsNamed(names: readonly string[]): readonly AgentHooks[] {
  const known = hookSettings().map(({ agent }) => agent);
  const strange = names.find((name) => !known.includes(name));
  if (strange !== undefined) {
    throw new CtxError('usage', `ctx has no hooks for "${strange}".`, { hint: `It has them for: ${known.join(', ')}` });
  }
  return hookSettings().filter(({ agent }) => names.length === 0 || names.includes(agent));
}

/** Returns the agents of these names, or those that are used here. @throws {CtxError} usage, not_found */
export function agentsHere(names: readonly string[], around: Surroundings): readonly AgentHooks[] {
  const agents = agentsNamed(names);
  const used = names.length > 0 ? agents : agents.filter((agent) => isUsed(agent, around));
  if (used.length > 0) return used;
  throw new CtxError('not_found', `None of the agents is used here: ${agents.map(({ title }) => title).join(', ')}.`, {
    hint: `Name one: ctx hooks install ${agents[0]?.agent}`,
  });
}
