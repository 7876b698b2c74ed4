/** Plans how the agent of a resumed session is started: in its own conversation if it still has that, else in a new one. */
import type { AgentStart } from '../../agents/contract/agent-start.ts';
import { STARTS, startOf } from '../../agents/starts.ts';
import { CtxError } from '../../core/errors.ts';
import { REQUEST, RESUMED_VARIABLE } from '../../core/resume/own-words.ts';
import type { Source } from '../../core/session/session.ts';
import { quoted } from '../../core/text.ts';
import { readChain } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import type { Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { exportNative, nativeTargets } from '../exchange/native/native.ts';
import { sessionInDatabase } from '../exchange/native/position.ts';
import type { Surroundings } from '../setup/hook-places.ts';
import { contextOf } from './context.ts';
import type { ResumeResult } from './resume.ts';

/** Describes how an agent is started. */
export interface Launch {
  agent: string;
  program: string;
  args: readonly string[];
  directory: string;
  /** Variables beside those of ctx. */
  env: Readonly<Record<string, string>>;
  /**
   * `own`: in the conversation that the agent has; `written`: in one that ctx has written where the agent finds it; `new`: in a new one,
   * with the context block.
   */
  conversation: 'own' | 'written' | 'new';
  /** The command line, as a shell takes it. */
  line: string;
}

/** Longest argument that Linux takes, in bytes, less what the command in front of a context needs. */
const LONGEST_ARGUMENT = 131_072 - 8192;

/** Returns the agent to start. @throws {CtxError} not_found, usage */
export function starterOf(named: string | null, own: string | null): AgentStart {
  const known = STARTS.map(({ agent }) => agent).join(', ');
  const name = named ?? own;
  if (name === null) {
    throw new CtxError('not_found', 'The session names no agent.', {
      hint: `Name one: ctx resume … --launch <agent>. ctx can start: ${known}`,
    });
  }
  const start = startOf(name);
  if (start) return start;
  throw new CtxError('not_found', `ctx cannot start the agent ${name}.`, {
    hint: `Name another one: ctx resume … --launch <agent>. ctx can start: ${known}`,
  });
}

/** Returns whether an agent still has a conversation: agents delete their transcripts after a while. */
function stillHas({ agent, agent_session_id: id, transcript }: Source, around: Surroundings): boolean {
  if (agent === 'opencode') return sessionInDatabase(id, around) !== undefined;
  const path = transcript.replace(/\.zst$/, '');
  return path !== '' && [path, `${path}.zst`].some((file) => exists(file));
}

/** Returns the head of a resumed session, and the agent's id of the conversation that it has itself; null if it has none. */
function ownOf(
  repository: Repository,
  { session_id }: ResumeResult,
  { agent }: AgentStart,
  around: Surroundings,
): { head: string | null; own: string | null } {
  const head = repository.refs.read(sessionRef(session_id));
  const last = head === null ? undefined : readChain(repository.objects, head).session.sources.at(-1);
  const isOwn = last?.agent === agent && stillHas(last, around);
  return { head, own: isOwn ? last.agent_session_id : null };
}

/** Returns the session of which `planLaunch` would write a transcript; null if it would write none. @throws {CtxError} not_found */
export function writtenByLaunch(
  repository: Repository,
  resumed: ResumeResult,
  named: string | null,
  around: Surroundings,
): string | null {
  const start = starterOf(named, resumed.agent);
  const isWritten = nativeTargets().includes(start.agent) && ownOf(repository, resumed, start, around).own === null;
  return isWritten ? (resumed.continues ?? resumed.session_id) : null;
}

/**
 * Plans the start of an agent.
 * @param named the agent to start; null for the one that the session had
 * @throws {CtxError} not_found
 */
export function planLaunch(
  repository: Repository,
  resumed: ResumeResult,
  named: string | null,
  around: Surroundings,
): Launch {
  const start = starterOf(named, resumed.agent);
  const { head, own } = ownOf(repository, resumed, start, around);
  const known = own ?? writtenFor(repository, resumed, start, around);
  const words =
    known === null
      ? start.begin({ context: fitting(repository, resumed), command: resumed.command, request: REQUEST })
      : start.resume(known);
  return {
    agent: start.agent,
    program: start.program,
    args: words,
    directory: resumed.directory,
    env: known !== null || head === null ? {} : { [RESUMED_VARIABLE]: `${resumed.session_id}:${head}` },
    conversation: own !== null ? 'own' : known === null ? 'new' : 'written',
    line: [start.program, ...words].map(quoted).join(' '),
  };
}

/** Writes the conversation where an agent finds it. @returns the agent's id of it; null if there is none, or it cannot be put there */
function writtenFor(
  repository: Repository,
  { session_id, continues }: ResumeResult,
  { agent }: AgentStart,
  around: Surroundings,
): string | null {
  if (!nativeTargets().includes(agent)) return null;
  try {
    const options = { to: agent, install: true, into: session_id, around };
    return exportNative(repository, continues ?? session_id, options).agent_session_id;
  } catch (error) {
    // The context block says the same in other words.
    if (error instanceof CtxError && ['not_found', 'io', 'invalid_input'].includes(error.code)) return null;
    throw error;
  }
}

/** Returns the context block, cut to what a program takes as one argument. */
function fitting(repository: Repository, { context, continues, session_id }: ResumeResult): string {
  if (Buffer.byteLength(context) <= LONGEST_ARGUMENT) return context;
  for (let budget = LONGEST_ARGUMENT / 4; ; budget /= 2) {
    const { text } = contextOf(repository, continues ?? session_id, { status: 'active again', budget });
    if (Buffer.byteLength(text) <= LONGEST_ARGUMENT) return text;
  }
}
