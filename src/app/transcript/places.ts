/** Finds the folders in which an agent may keep transcripts on this machine: its own, and those that its switches name. */
import { join, resolve } from 'node:path';
import type { AgentFolders } from '../../agents/contract/hook-settings.ts';
import type { PlaceSetting, PlaceSwitch } from '../../agents/contract/transcript-places.ts';
import { readSettings } from '../../agents/shared/settings.ts';
import { CtxError } from '../../core/errors.ts';
import { objectOf, textOf } from '../../core/json.ts';
import { readLinkedIfThere } from '../../platform/foreign-file.ts';
import { type Surroundings, userFolder } from '../setup/hook-places.ts';
import { isFolder } from '../setup/project-paths.ts';
import type { TranscriptProblem } from './found-transcripts.ts';
import { unread, unreadBy } from './unread.ts';

export type Around = Pick<Surroundings, 'environment'>;

/** The agent's home, with its roots below it, or a folder that has the transcripts of all projects side by side. */
interface AgentPlace {
  kind: PlaceSwitch['names'];
  folder: string;
}

interface AgentPlaces {
  places: AgentPlace[];
  problems: TranscriptProblem[];
}

interface SwitchedAgent extends AgentFolders {
  agent: string;
  switches: readonly PlaceSwitch[];
}

/** A folder, and the setting that names it, for people. */
interface Named {
  path: string;
  by: string;
}

/**
 * Returns the places of an agent, each once. If a switch is set, older transcripts are still in the other places.
 * @param project the folder that relative paths start from
 */
export function agentPlaces(agent: SwitchedAgent, project: string, around: Around): AgentPlaces {
  const places = new Map<string, AgentPlace>();
  const problems: TranscriptProblem[] = [];
  const add = (kind: AgentPlace['kind'], folder: string | undefined): void => {
    if (folder !== undefined && !places.has(folder)) places.set(folder, { kind, folder });
  };
  const follow = (each: PlaceSwitch, { path, by }: Named): void => {
    const folder = resolve(project, withHome(path, around));
    add(each.names, join(folder, each.below ?? ''));
    if (!each.isShared && !isFolder(folder)) {
      const what = `is where ${by} says that transcripts are, and there is no such folder.`;
      problems.push(unread(agent.agent, folder, 'missing', what));
    }
  };
  add('home', userFolder(agent, around));
  add('home', ownHome(agent, around));
  for (const each of [...homeSwitch(agent), ...agent.switches]) {
    const named = [...variableOf(each, around), ...settingsOf(agent, each, { project, around, problems })];
    for (const one of named) follow(each, one);
    if (named.length === 0 && each.unset !== undefined)
      add(each.names, belowHome(join(each.unset, each.below ?? ''), around));
  }
  return { places: [...places.values()], problems };
}

/** Returns the user's folder of an agent when no variable names another. */
const ownHome = ({ folder, homeFolder = folder }: AgentFolders, around: Around): string | undefined =>
  belowHome(homeFolder, around);

/** Returns the variable that names the agent's home, as a switch. */
function homeSwitch({ folderVariable, belowVariable = '' }: AgentFolders): PlaceSwitch[] {
  if (folderVariable === undefined) return [];
  const isShared = folderVariable.startsWith('XDG_') && { isShared: true as const };
  return [{ variable: folderVariable, below: belowVariable, names: 'home', ...isShared }];
}

function variableOf({ variable }: PlaceSwitch, { environment }: Around): Named[] {
  const path = variable === undefined ? undefined : environment[variable];
  return variable !== undefined && path ? [{ path, by: variable }] : [];
}

/**
 * Returns what the settings of an agent name; settings that cannot be parsed are a problem, since they may name
 * something.
 */
function settingsOf(
  agent: SwitchedAgent,
  { setting }: PlaceSwitch,
  { project, around, problems }: { project: string; around: Around; problems: TranscriptProblem[] },
): Named[] {
  if (!setting) return [];
  return filesOf(setting, agent, project, around).flatMap((file) => {
    try {
      const text = readLinkedIfThere(file)?.toString('utf8') ?? '';
      const settings = readSettings(text.replace(/^\ufeff/, ''));
      if (settings === null && text.trim() !== '') {
        const what = `cannot be parsed: the folder of transcripts in its "${setting.key}" is not known.`;
        problems.push(unread(agent.agent, file, 'damaged', what));
      }
      const path = textOf(objectOf(settings)?.[setting.key]);
      return path ? [{ path, by: `"${setting.key}" in ${file}` }] : [];
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
      problems.push(unreadBy(agent.agent, file, error));
      return [];
    }
  });
}

function filesOf(setting: PlaceSetting, agent: SwitchedAgent, project: string, around: Around): string[] {
  const homes = [userFolder(agent, around), ownHome(agent, around)].filter((home) => home !== undefined);
  const user = homes.flatMap((home) => setting.user.map((name) => join(home, name)));
  return [...new Set([...setting.project.map((name) => join(project, agent.folder, name)), ...user])];
}

/** Expands a leading `~` of a path to the home folder. */
const withHome = (path: string, around: Around): string =>
  /^~(?=$|[/\\])/.test(path) ? (belowHome(path.slice(1), around) ?? path) : path;

function belowHome(path: string, { environment }: Around): string | undefined {
  const home = environment['HOME'] || environment['USERPROFILE'];
  return home ? join(resolve(home), path) : undefined;
}
