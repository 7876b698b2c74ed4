/** `ctx hooks` for several agents: an install stays in the project that it is for, an uninstall goes on past what it must leave. */
import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, relative, sep } from 'node:path';
import type { HookScope } from '../agents/hook-settings.ts';
import { CtxError, type ErrorCode } from '../core/errors.ts';
import { ioError } from '../platform/files.ts';
import { agentsNamed, choosePlace, type HookPlace, placesOf, projectOf } from './hook-places.ts';
import { type HookOptions, type HooksResult, installAgentHooks, uninstallAgentHooks } from './hooks.ts';

/** A file that was left as it is. */
export interface HookLeft {
  agent: string;
  title: string;
  scope: HookScope;
  file: string;
  code: ErrorCode;
  /** Why. */
  problem: string;
}

export interface UninstallResult extends HooksResult {
  left: HookLeft[];
}

/**
 * Installs hooks once none of them would lie outside of the project that they are for.
 * @throws {CtxError} usage, not_found, invalid_settings, io, busy; nothing is changed then
 */
export async function installHooksHere(options: HookOptions): Promise<HooksResult> {
  const trial = await installAgentHooks({ ...options, dryRun: true });
  const project = projectOf(options.directory);
  for (const { scope, file, agent } of trial.changes) if (scope === 'project') checkInside(project, file, agent);
  return options.dryRun ? trial : installAgentHooks(options);
}

/** Refuses a file that links lead out of its project: whoever has made the project has not made what lies there. */
function checkInside(project: string, file: string, agent: string): void {
  const real = whereItLies(file);
  const way = relative(whereItLies(project), real);
  if (!isAbsolute(way) && way.split(sep)[0] !== '..') return;
  throw new CtxError('invalid_settings', `${file} leads out of the project, to ${real}`, {
    hint: `Nothing was changed. Say --user for your own settings (ctx hooks install ${agent} --user), or take the link away.`,
  });
}

/** The place of a file, links followed as far as there is anything. */
function whereItLies(path: string): string {
  try {
    let there = path;
    while (!lstatSync(there, { throwIfNoEntry: false })) there = dirname(there);
    return realpathSync(there) + path.slice(there.length);
  } catch (error) {
    throw ioError('find', path, error);
  }
}

/** What of one place of hooks keeps nobody from going on with the others. */
const LEFT: readonly ErrorCode[] = ['invalid_settings', 'io', 'busy'];

/**
 * Takes ctx out of the hooks of agents, place by place: what cannot be read or written, or was changed by somebody, is left.
 * @throws {CtxError} usage, not_found; what is wrong with the one that is left, where nothing is to be done to the others
 */
export async function uninstallHooksHere(options: HookOptions): Promise<UninstallResult> {
  const places = agentsNamed(options.agents).flatMap((agent) =>
    options.scope ? [choosePlace(agent, options, options.scope)] : placesOf(agent, options),
  );
  const result: UninstallResult = { dry_run: options.dryRun === true, changes: [], left: [] };
  const errors: CtxError[] = [];
  for (const place of places) {
    try {
      const { changes } = await uninstallAgentHooks({ ...options, agents: [place.agent.agent], scope: place.scope });
      result.changes.push(...changes);
    } catch (error) {
      if (!(error instanceof CtxError) || !LEFT.includes(error.code)) throw error;
      errors.push(error);
      result.left.push(leftAt(place, error));
    }
  }
  const [only, ...others] = errors;
  if (only && others.length === 0 && result.changes.every(({ change }) => change === 'unchanged')) throw only;
  return result;
}

const leftAt = ({ agent, scope, file }: HookPlace, { code, message }: CtxError): HookLeft => ({
  agent: agent.agent,
  title: agent.title,
  scope,
  file,
  code,
  problem: message,
});
