/** `ctx hooks uninstall` at several places: continues past files that must be left as they are. */
import type { HookScope } from '../../agents/contract/hook-settings.ts';
import { CtxError, type ErrorCode } from '../../core/errors.ts';
import { agentsNamed, choosePlace, type HookPlace, placesOf } from './hook-places.ts';
import { type HookOptions, type HooksResult, resultWithout, uninstallAgentHooks } from './hooks.ts';

/** A file that was left as it is. */
interface HookLeft {
  agent: string;
  title: string;
  scope: HookScope;
  file: string;
  code: ErrorCode;
  /** The reason. */
  problem: string;
}

export interface UninstallResult extends HooksResult {
  left: HookLeft[];
}

/** Errors of one place that do not stop the other places. */
const TOLERATED: readonly ErrorCode[] = ['invalid_settings', 'io', 'busy'];

/**
 * Removes ctx from the hooks of agents, place by place: what cannot be read or written, or was changed by somebody, is
 * left.
 * @throws {CtxError} usage, not_found; the error of the only file left, if nothing is to be done in the others
 */
export async function uninstallHooksHere(options: HookOptions): Promise<UninstallResult> {
  const places = agentsNamed(options.agents).flatMap((agent) =>
    options.scope ? [choosePlace(agent, options, options.scope)] : placesOf(agent, options),
  );
  const result: UninstallResult = { ...resultWithout(options), left: [] };
  const errors: CtxError[] = [];
  for (const place of places) {
    // The server came last, into what may be the file of the hooks.
    for (const mcp of [true, false])
      try {
        const { agent, scope } = place;
        const { changes } = await uninstallAgentHooks({ ...options, mcp, agents: [agent.agent], scope });
        result.changes.push(...changes.filter(({ of, change }) => of === 'hooks' || change !== 'unchanged'));
      } catch (error) {
        if (!(error instanceof CtxError) || !TOLERATED.includes(error.code)) throw error;
        // One file with both is left once.
        if (errors.some(({ message }) => message === error.message)) continue;
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
