/** `ctx hooks`: puts ctx into the hooks of agents, takes it out again, and tells where it is. */
import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import type { AgentHooks, HookScope } from '../../agents/contract/hook-settings.ts';
import { CtxError } from '../../core/errors.ts';
import { hookLine } from '../../core/hook-line.ts';
import type { HookState } from '../../core/hook-settings.ts';
import { exists, ioError, removeFile } from '../../platform/files.ts';
import {
  checkWritable,
  copyForeign,
  type ForeignFile,
  readForeign,
  replaceForeign,
} from '../../platform/foreign-file.ts';
import { type IdSource, uuidSource } from '../../platform/ids.ts';
import { backupFor, backupsOf, markMade, removeMade } from './backup.ts';
import { patchMaker } from './patch.ts';
import {
  agentsHere,
  agentsNamed,
  checkInside,
  choosePlace,
  type HookPlace,
  isUsed,
  placesOf,
  type Surroundings,
} from './places.ts';
import { switchedOff } from './switch.ts';
import { type HookText, hasOwnText, hookTextOf, textOf } from './text.ts';

export interface HookOptions extends Surroundings {
  /** Names of agents; empty for those that are used here. */
  agents: readonly string[];
  scope?: HookScope | undefined;
  /** Tell the change, and change nothing. */
  dryRun?: boolean | undefined;
  /** Path of the node that the line names. */
  node: string;
  /** Path of `ctx.cjs`, or of a link to it. */
  program: string;
  ids?: IdSource | undefined;
}

/**
 * - `installed`: they are there now; `updated`: some were there already; `unchanged`: nothing was to be done.
 * - `restored`: the file is what it was before the install, or is gone where there was none; `removed`: only our hooks are gone.
 */
export type HookChangeKind = 'installed' | 'updated' | 'unchanged' | 'restored' | 'removed';

export interface HookChange {
  agent: string;
  title: string;
  scope: HookScope;
  file: string;
  change: HookChangeKind;
  /** Unified hunks; empty where nothing changes. */
  patch: string;
  /** Whether there was no file before, or is none afterwards. */
  old_missing: boolean;
  new_missing: boolean;
  /** The file that has what was there before the install; null where there is none. */
  backup: string | null;
  /** What the user must still do. */
  to_do: readonly string[];
}

export interface HooksResult {
  dry_run: boolean;
  changes: HookChange[];
}

export interface HookStatus {
  agent: string;
  title: string;
  scope: HookScope;
  file: string;
  /** `unreadable`: `problem` says why. */
  state: HookState | 'unreadable';
  /** Whether the agent is used here. */
  used: boolean;
  problem: string | null;
  backup: string | null;
  to_do: readonly string[];
}

/** A change that is thought out and not yet made. */
interface Plan {
  place: HookPlace;
  file: ForeignFile;
  after: string | null;
  change: HookChangeKind;
  /** The file that has what was there before the install, or will have it; null where there is none. */
  backup: string | null;
}

function textAt({ agent, file }: HookPlace, options: HookOptions): HookText {
  const command = hookLine({ node: options.node, program: programOf(options.program), agent: agent.agent });
  return hookTextOf(agent.installation, command, file);
}

/** The program itself, whichever link it was called by. */
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

/** Whether a place has hooks of ours already; one that cannot be read has none. */
function standsAt(place: HookPlace): boolean {
  try {
    return hasOwnText(place.agent.installation, textOf(readForeign(place.file)) ?? '');
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}

/** Where to install: where it was asked for, else where the hooks stand already, else where the agent is used. */
function placesToInstall(agent: AgentHooks, options: HookOptions): HookPlace[] {
  const already = options.scope ? [] : placesOf(agent, options).filter(standsAt);
  return already.length > 0 ? already : [choosePlace(agent, options, options.scope)];
}

/** What is left to the user at a place: what the agent wants, and where ctx would be told nothing, or everything twice. */
function toDo({ agent, scope, file }: HookPlace, options: HookOptions): string[] {
  const other = placesOf(agent, options).find((place) => place.file !== file && standsAt(place));
  const twice = `They are in ${other?.file} too, and would run twice: ctx hooks uninstall ${agent.agent} --${other?.scope}`;
  const off = switchedOff(agent, options);
  const silent = `All hooks are switched off in ${off?.file}. ${off?.remedy}.`;
  return [...(off ? [silent] : []), ...agent.afterwards[scope], ...(other ? [twice] : [])];
}

function planInstall(place: HookPlace, options: HookOptions): Plan {
  checkInside(place, options);
  const file = readForeign(place.file);
  const before = textOf(file) ?? null;
  const after = textAt(place, options).install(before);
  // What has hooks of ours in it is not what an uninstall brings back.
  const isThere = hasOwnText(place.agent.installation, before ?? '');
  const change = after === (before ?? '') ? 'unchanged' : isThere ? 'updated' : 'installed';
  if (change !== 'installed') return { place, file, after, change, backup: latestBackup(place) };
  return { place, file, after, change, backup: before === null ? null : backupFor(place.file, before) };
}

const latestBackup = ({ file }: HookPlace): string | null => backupsOf(file)[0]?.path ?? null;

function planUninstall(place: HookPlace, options: HookOptions): Plan {
  const file = readForeign(place.file);
  const text = textOf(file);
  const backup = latestBackup(place);
  if (text === undefined) return { place, file, after: null, change: 'unchanged', backup };
  const hooks = textAt(place, options);
  const backups = backupsOf(place.file);
  // What has the name of a backup need not be one of this file.
  const isMade = backups.length === 0 || hooks.install(null) === text;
  const befores = [...backups, ...(isMade ? [{ path: null, text: null }] : [])];
  const ways = befores.map((before) => ({ before, after: hooks.uninstall(text, before.text) }));
  const whole = ways.find(({ after, before }) => after === before.text);
  const { after = text } = whole ?? ways[0] ?? {};
  // A file that says nothing, and that ctx has not written in, is somebody else's.
  if (after === text || !hasOwnText(place.agent.installation, text))
    return { place, file, after: text, change: 'unchanged', backup };
  if (whole) return { place, file, after, change: 'restored', backup: whole.before.path };
  return { place, file, after, change: 'removed', backup };
}

function makeInstall({ place, file, after, change, backup }: Plan, ids: IdSource): void {
  if (after === null || change === 'unchanged') return;
  markMade(place.file);
  if (change === 'installed' && backup !== null && !exists(backup)) copyForeign(file, backup, ids);
  replaceForeign(file, after, ids);
}

function makeUninstall({ place, file, after, change, backup }: Plan, ids: IdSource): void {
  if (change !== 'unchanged') replaceForeign(file, after, ids);
  if (change === 'restored' && backup !== null) removeFile(backup);
  removeMade(place.file);
}

/** Checks all that is planned, makes it unless it is a trial, and tells it. */
async function carryOut(plans: Plan[], options: HookOptions, make: (plan: Plan, ids: IdSource) => void) {
  for (const { file, change } of plans) if (change !== 'unchanged') checkWritable(file);
  const patchOf = await patchMaker();
  const ids = options.ids ?? uuidSource();
  const changes = plans.map((plan): HookChange => {
    const { place, file, after, change, backup } = plan;
    if (!options.dryRun) make(plan, ids);
    return {
      agent: place.agent.agent,
      title: place.agent.title,
      scope: place.scope,
      file: place.file,
      change,
      patch: change === 'unchanged' ? '' : patchOf(textOf(file) ?? '', after ?? ''),
      old_missing: file.content === null,
      new_missing: after === null,
      backup: backup !== null && exists(backup) ? backup : null,
      to_do: change === 'installed' || change === 'updated' ? toDo(place, options) : [],
    };
  });
  return { dry_run: options.dryRun === true, changes };
}

/**
 * Puts ctx into the hooks of the agents that are named, else of those that are used here; brings up to date what stands there.
 * Again changes nothing.
 * @throws {CtxError} usage, not_found, invalid_settings, io, busy; nothing is changed then
 */
export async function installAgentHooks(options: HookOptions): Promise<HooksResult> {
  const places = agentsHere(options.agents, options).flatMap((agent) => placesToInstall(agent, options));
  return carryOut(
    places.map((place) => planInstall(place, options)),
    options,
    makeInstall,
  );
}

/**
 * Takes ctx out of the hooks of agents, wherever it is in them: a file that has got nothing else since is what it was before.
 * @throws {CtxError} usage, not_found, invalid_settings, io, busy; nothing is changed then
 */
export async function uninstallAgentHooks(options: HookOptions): Promise<HooksResult> {
  const places = agentsNamed(options.agents).flatMap((agent) =>
    options.scope ? [choosePlace(agent, options, options.scope)] : placesOf(agent, options),
  );
  return carryOut(
    places.map((place) => planUninstall(place, options)),
    options,
    makeUninstall,
  );
}

/** Tells of each agent where its hooks stand and how. @throws {CtxError} usage */
export function statusOfAgentHooks(options: HookOptions): HookStatus[] {
  return agentsNamed(options.agents).flatMap((agent) => {
    const places = placesOf(agent, options).filter(({ scope }) => !options.scope || scope === options.scope);
    return places.map((place) => statusAt(place, options));
  });
}

/** What puts a state right. */
const TO_MEND: Partial<Record<HookState, (install: string) => string[]>> = {
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
    const again = TO_MEND[state]?.(`ctx hooks install ${agent.agent} --${scope}`) ?? [];
    return { ...base, state, problem: null, to_do: state === 'none' ? [] : [...again, ...toDo(place, options)] };
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    return { ...base, state: 'unreadable', problem: error.message, to_do: [] };
  }
}
