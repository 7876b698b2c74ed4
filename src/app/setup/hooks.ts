/** `ctx hooks`: installs ctx into the hooks of agents, removes it, and reports its status. */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { AgentHooks, HookScope } from '../../agents/contract/hook-settings.ts';
import { hookSettings } from '../../agents/index.ts';
import { CtxError } from '../../core/errors.ts';
import { hookLine, programLine } from '../../core/hook-line.ts';
import type { HookState } from '../../core/hook-settings.ts';
import type { OwnCommand } from '../../core/resume/own-commands.ts';
import { exists, ioError, removeFile } from '../../platform/files.ts';
import {
  checkWritable,
  copyForeign,
  type ForeignFile,
  readForeign,
  replaceForeign,
} from '../../platform/foreign-file.ts';
import { type IdSource, uuidSource } from '../../platform/ids.ts';
import { backupFor, backupsOf, markCreatedFolders, removeCreatedFolders } from './backup.ts';
import {
  agentsHere,
  agentsNamed,
  checkInside,
  choosePlace,
  commandPlaces,
  type HookPlace,
  isUsed,
  placesOf,
  projectOf,
  type Surroundings,
  serverPlace,
  serversOf,
} from './hook-places.ts';
import { type HookText, hasOwnText, hookTextOf, textOf } from './hook-text.ts';
import { disabledHooks } from './hooks-switch.ts';
import { patchMaker } from './patch.ts';

/** Names of the agents that can call ctx. */
export const HOOK_AGENTS: readonly string[] = hookSettings().map(({ agent }) => agent);

export interface HookOptions extends Surroundings {
  /** Names of agents; empty for those that are used here. */
  agents: readonly string[];
  scope?: HookScope | undefined;
  /** True if ctx answers questions for permissions by the rules; as it was installed before if absent. */
  permissions?: boolean | undefined;
  /** Report the change without making it. */
  dryRun?: boolean | undefined;
  /** True if it is about the MCP server of ctx, beside the hooks when installed. */
  mcp?: boolean | undefined;
  /** Path of the node that the hook line names. */
  node: string;
  /** Path of `ctx.cjs`, or of a link to it. */
  program: string;
  ids?: IdSource | undefined;
  /** Names of agents from which an event has come: what their users had to do is done. */
  reported?: ReadonlySet<string> | undefined;
}

/**
 * - `installed`: the hooks are new; `updated`: some were there already; `unchanged`: nothing had to be done.
 * - `restored`: the file is what it was before the install, or is gone if there was none; `removed`: only ctx's hooks
 * are gone.
 * - `kept`: a command of ctx is not installed, since a file of that name is the user's.
 */
export type HookChangeKind = 'installed' | 'updated' | 'unchanged' | 'restored' | 'removed' | 'kept';

export interface HookChange {
  /** The hooks, or the MCP server of ctx. */
  of: 'hooks' | 'server';
  agent: string;
  title: string;
  scope: HookScope;
  file: string;
  change: HookChangeKind;
  /** Unified hunks; empty if nothing changes. */
  patch: string;
  /** True if there was no file before, or will be none afterwards. */
  old_missing: boolean;
  new_missing: boolean;
  /** The file that has the content from before the install; null if there is none. */
  backup: string | null;
  /** Steps that the user must still do. */
  to_do: readonly string[];
  /** The commands that go with the hooks, which the user may type in the agent. Absent if it has none. */
  commands?: CommandChange[];
}

/** A file of a command that a user may type in an agent. */
export interface CommandChange extends Pick<HookChange, 'file' | 'change' | 'patch' | 'old_missing' | 'new_missing'> {
  /** Its name, without its slash. */
  command: OwnCommand;
}

export interface HooksResult {
  dry_run: boolean;
  /** The folder of the project, and of the user: paths are shown from there. */
  project: string;
  home: string | null;
  changes: HookChange[];
}

export interface HookStatus {
  agent: string;
  title: string;
  scope: HookScope;
  file: string;
  /** `unreadable`: see `problem`. */
  state: HookState | 'unreadable';
  /** True if the agent is used here. */
  used: boolean;
  problem: string | null;
  backup: string | null;
  to_do: readonly string[];
}

/** A change that is planned and not yet made. */
interface Plan {
  place: HookPlace;
  file: ForeignFile;
  after: string | null;
  change: HookChangeKind;
  /** The file that has the content from before the install, or will have it; null if there is none. */
  backup: string | null;
  /** The plans for the commands that go with the hooks. */
  commands: Plan[];
}

function textAt({ agent, file, installation }: HookPlace, options: HookOptions): HookText {
  const program = { node: options.node, program: programOf(options.program) };
  if (installation.as === 'server') return installation.text(program, file);
  const line = { ...program, agent: agent.agent };
  const commands = { plain: hookLine(line), answering: hookLine({ ...line, permissions: true }) };
  return hookTextOf(installation, commands, file, options.permissions);
}

/** Returns the places of the commands that are installed with hooks. */
const commandsOf = (place: HookPlace, { node, program }: HookOptions): HookPlace[] =>
  commandPlaces(place, programLine({ node, program: programOf(program) }));

/** Returns whether a command has a place that is not ctx's alone: a file of the user's own, or one that somebody has changed. */
function isTheirs(place: HookPlace, options: HookOptions): boolean {
  try {
    return textAt(place, options).state(textOf(readForeign(place.file)) ?? null) === 'changed';
  } catch (error) {
    if (error instanceof CtxError) return true;
    throw error;
  }
}

/** Plans a command of ctx; a file that is not ctx's alone stays as it is. */
function planCommand(place: HookPlace, options: HookOptions): Plan {
  if (!isTheirs(place, options)) return planInstall(place, options);
  return {
    place,
    file: { path: place.file, content: null } as ForeignFile,
    after: null,
    change: 'kept',
    backup: null,
    commands: [],
  };
}

/** Plans the removal of a command of ctx; nothing is planned if there is none. */
const planNoCommand = (place: HookPlace, options: HookOptions): Plan[] =>
  !exists(place.file) || isTheirs(place, options) ? [] : [planUninstall(place, options)];

/** Returns the path of the program itself, resolving links. */
function programOf(path: string): string {
  let program: string;
  try {
    program = realpathSync(path);
  } catch (error) {
    throw ioError('find', path, error);
  }
  if (basename(program) === 'ctx.cjs') return program;
  throw new CtxError('invalid_input', `A hook calls ctx.cjs, and this is ${program}.`, {
    hint: 'Run the ctx of the built package.',
  });
}

/** Returns whether a place has hooks of ctx already; false if its file cannot be read. */
function hasHooksAt(place: HookPlace): boolean {
  try {
    return hasOwnText(place.installation, textOf(readForeign(place.file)) ?? '');
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}

/**
 * Returns where to install: the requested place, else the places that have hooks already, else where the agent is used.
 */
function placesToInstall(agent: AgentHooks, options: HookOptions): HookPlace[] {
  const already = options.scope ? [] : placesOf(agent, options).filter(hasHooksAt);
  return already.length > 0 ? already : [choosePlace(agent, options, options.scope)];
}

/**
 * Returns what is left to the user at a place: the agent's own requests, and what would make ctx hear nothing, or
 * everything twice.
 */
function toDo({ agent, scope, file }: HookPlace, options: HookOptions): string[] {
  const other = placesOf(agent, options).find((place) => place.file !== file && hasHooksAt(place));
  const twice = `They are in ${other?.file} too, and would run twice: ctx hooks uninstall ${agent.agent} --${other?.scope}`;
  const off = disabledHooks(agent, options);
  const silent = `All hooks are switched off in ${off?.file}. ${off?.remedy}.`;
  return [
    ...(off ? [silent] : []),
    ...(options.reported?.has(agent.agent) ? [] : agent.afterwards[scope]),
    ...(other ? [twice] : []),
  ];
}

function planInstall(place: HookPlace, options: HookOptions): Plan {
  checkInside(place, options);
  const file = readForeign(place.file);
  const before = textOf(file) ?? null;
  const after = textAt(place, options).install(before);
  // A file that already has hooks of ctx is not what an uninstall restores.
  const isThere = hasOwnText(place.installation, before ?? '');
  const change = after === (before ?? '') ? 'unchanged' : isThere ? 'updated' : 'installed';
  const plan: Omit<Plan, 'backup'> = { place, file, after, change, commands: [] };
  if (change !== 'installed') return { ...plan, backup: latestBackup(place) };
  return { ...plan, backup: before === null ? null : backupFor(place.file, before) };
}

const latestBackup = ({ file }: HookPlace): string | null => backupsOf(file)[0]?.path ?? null;

function planUninstall(place: HookPlace, options: HookOptions): Plan {
  const file = readForeign(place.file);
  const text = textOf(file);
  const backup = latestBackup(place);
  const commands: Plan[] = [];
  if (text === undefined) return { place, file, after: null, change: 'unchanged', backup, commands };
  const hooks = textAt(place, options);
  const backups = backupsOf(place.file);
  // A file with the name of a backup need not be a backup of this file.
  const isMade = backups.length === 0 || hooks.install(null) === text;
  const befores = [...backups, ...(isMade ? [{ path: null, text: null }] : [])];
  const ways = befores.map((before) => ({ before, after: hooks.uninstall(text, before.text) }));
  const whole = ways.find(({ after, before }) => after === before.text);
  const { after = text } = whole ?? ways[0] ?? {};
  // A file without hooks in which ctx has not written belongs to somebody else.
  if (after === text || !hasOwnText(place.installation, text))
    return { place, file, after: text, change: 'unchanged', backup, commands };
  if (whole) return { place, file, after, change: 'restored', backup: whole.before.path, commands };
  return { place, file, after, change: 'removed', backup, commands };
}

function makeInstall({ place, file, after, change, backup }: Plan, ids: IdSource): void {
  if (after === null || change === 'unchanged') return;
  markCreatedFolders(place.file);
  if (change === 'installed' && backup !== null && !exists(backup)) copyForeign(file, backup, ids);
  replaceForeign(file, after, ids);
}

function makeUninstall({ place, file, after, change, backup }: Plan, ids: IdSource): void {
  if (change !== 'unchanged') replaceForeign(file, after, ids);
  if (change === 'restored' && backup !== null) removeFile(backup);
  removeCreatedFolders(place.file);
}

/** Returns a result without changes. */
export function resultWithout({ dryRun, directory, environment }: HookOptions): HooksResult {
  const home = environment['HOME'] || environment['USERPROFILE'] || null;
  return { dry_run: dryRun === true, project: projectOf(directory), home, changes: [] };
}

const isMade = (change: HookChangeKind): boolean => change !== 'unchanged' && change !== 'kept';

/** Checks all plans, carries them out unless it is a dry run, and returns the changes. */
async function carryOutPlans(plans: Plan[], options: HookOptions, make: (plan: Plan, ids: IdSource) => void) {
  const all = plans.flatMap((plan) => [...plan.commands, plan]);
  for (const { file, change } of all) if (isMade(change)) checkWritable(file);
  const patchOf = await patchMaker();
  const ids = options.ids ?? uuidSource();
  const made = (plan: Plan) => {
    const { place, file, after, change } = plan;
    if (!options.dryRun && change !== 'kept') make(plan, ids);
    const patch = isMade(change) ? patchOf(textOf(file) ?? '', after ?? '') : '';
    return { file: place.file, change, patch, old_missing: file.content === null, new_missing: after === null };
  };
  const changes = plans.map((plan): HookChange => {
    const { place, backup } = plan;
    // A folder that is created for the hooks goes with its last file.
    const first = make === makeInstall ? made(plan) : null;
    const commands = plan.commands.map((one) => ({ command: one.place.command as OwnCommand, ...made(one) }));
    const own = first ?? made(plan);
    return {
      of: place.agent.installation.as === 'server' ? 'server' : 'hooks',
      agent: place.agent.agent,
      title: place.agent.title,
      scope: place.scope,
      ...own,
      backup: backup !== null && exists(backup) ? backup : null,
      to_do: own.change === 'installed' || own.change === 'updated' ? toDo(place, options) : [],
      ...(commands.length > 0 && { commands }),
    };
  });
  return { ...resultWithout(options), changes };
}

/**
 * Installs ctx into the hooks of the named agents, else of those that are used here, and updates hooks that are there.
 * Idempotent.
 * @throws {CtxError} usage, not_found, invalid_settings, io, busy; nothing is changed then
 */
export async function installAgentHooks(options: HookOptions): Promise<HooksResult> {
  const places = agentsHere(options.agents, options).flatMap((agent) => placesToInstall(agent, options));
  const servers = options.mcp ? places.flatMap((place) => serverPlace(place, options) ?? []) : [];
  // Hooks and servers may be in one file: the servers are planned once more when the hooks are in it.
  for (const place of servers) planInstall(place, options);
  const hooks = await carryOutPlans(
    places.map((place) => ({
      ...planInstall(place, options),
      commands: commandsOf(place, options).map((command) => planCommand(command, options)),
    })),
    options,
    makeInstall,
  );
  if (servers.length === 0) return hooks;
  const { changes } = await carryOutPlans(
    servers.map((place) => planInstall(place, options)),
    options,
    makeInstall,
  );
  return { ...hooks, changes: [...hooks.changes, ...changes] };
}

/**
 * Removes ctx from the hooks of agents, in every place: a file without other changes since is restored to what it was
 * before.
 * @throws {CtxError} usage, not_found, invalid_settings, io, busy; nothing is changed then
 */
export async function uninstallAgentHooks(options: HookOptions): Promise<HooksResult> {
  const agents = agentsNamed(options.agents).flatMap((agent) => (options.mcp ? (serversOf(agent) ?? []) : [agent]));
  const places = agents.flatMap((agent) =>
    options.scope ? [choosePlace(agent, options, options.scope)] : placesOf(agent, options),
  );
  return carryOutPlans(
    places.map((place) => ({
      ...planUninstall(place, options),
      // Removes last what was created first.
      commands: commandsOf(place, options)
        .reverse()
        .flatMap((command) => planNoCommand(command, options)),
    })),
    options,
    makeUninstall,
  );
}

/** Returns the status of the hooks of each agent, by place; of its servers with `mcp`. @throws {CtxError} usage */
export function statusOfAgentHooks(options: HookOptions): HookStatus[] {
  return agentsNamed(options.agents).flatMap((named) => {
    const agent = options.mcp ? serversOf(named) : named;
    const places = agent ? placesOf(agent, options) : [];
    return places
      .filter(({ scope }) => !options.scope || scope === options.scope)
      .map((place) => statusAt(place, options));
  });
}

/** The repair of each state. */
const REPAIRS: Partial<Record<HookState, (install: string) => string[]>> = {
  outdated: (install) => [install],
  partly: (install) => [install],
  changed: (install) => [`Move the file away, then: ${install}`],
};

function statusAt(place: HookPlace, options: HookOptions): HookStatus {
  const { agent, scope, file } = place;
  const base = {
    agent: agent.agent,
    title: agent.title,
    scope,
    file,
    used: isUsed(agent, options),
    backup: latestBackup(place),
  };
  const text = textAt(place, options);
  try {
    const state = text.state(textOf(readForeign(file)) ?? null);
    const again = REPAIRS[state]?.(`ctx hooks install ${agent.agent} --${scope}`) ?? [];
    return { ...base, state, problem: null, to_do: state === 'none' ? [] : [...again, ...toDo(place, options)] };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { ...base, state: 'unreadable', problem: error.message, to_do: [] };
  }
}
