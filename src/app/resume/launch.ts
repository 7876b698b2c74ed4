/** Plans how the agent of a resumed session is started: in its own conversation if it still has that, else in a new one. */
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { AgentStart } from '../../agents/contract/agent-start.ts';
import { STARTS, startOf } from '../../agents/starts.ts';
import { CtxError } from '../../core/errors.ts';
import { REQUEST, RESUMED_VARIABLE } from '../../core/resume/own-words.ts';
import type { Source } from '../../core/session/session.ts';
import { quoted } from '../../core/text.ts';
import { readChain } from '../../history/chain/chain.ts';
import { sessionRef } from '../../history/names/layout.ts';
import { findStore, type Repository } from '../../history/store/repository.ts';
import { exists } from '../../platform/files.ts';
import { hasSqlite } from '../../platform/sqlite.ts';
import { exportNative, nativeTargets } from '../exchange/native/native.ts';
import type { Surroundings } from '../setup/hook-places.ts';
import { pathsOf, withoutLinks } from '../setup/project-paths.ts';
import { beginningAbout } from '../transcript/about.ts';
import { keepsTogether, keptConversation } from '../transcript/kept.ts';
import { recogniseTranscript } from '../transcript/recognise.ts';
import { isTranscribed } from './context.ts';
import type { ResumeResult } from './resume.ts';

/** Describes how an agent is started. */
export interface Launch {
  agent: string;
  program: string;
  args: readonly string[];
  directory: string;
  /** Variables beside those of the user. */
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

/** Returns whether ctx can start the agent of a name. */
export const canStart = (agent: string): boolean => startOf(agent) !== undefined;

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

/** Longest that a program may take to say whether it has a conversation, in milliseconds. */
const LONGEST = 20_000;

/** Returns whether an agent still has a conversation: agents delete their transcripts after a while. */
function stillHas(
  { agent, agent_session_id: id, transcript }: Source,
  start: AgentStart,
  around: Surroundings,
): boolean {
  if (!keepsTogether(agent)) {
    const path = transcript.replace(/\.zst$/, '');
    return path !== '' && [path, `${path}.zst`].some((file) => exists(file));
  }
  try {
    return keptConversation(agent, id, around.directory, around) !== undefined;
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    const words = start.print?.(id);
    if (!words) return false;
    const { directory: cwd, environment } = around;
    const env = { ...environment } as NodeJS.ProcessEnv;
    return spawnSync(start.program, [...words], { cwd, env, stdio: 'ignore', timeout: LONGEST }).status === 0;
  }
}

/** Returns whether a conversation was begun in a folder. @param known the folder of the session, if the conversation names none */
function isOfFolder({ agent, transcript }: Source, folder: string, known: unknown): boolean {
  const paths = pathsOf(folder);
  const cwd = folderIn(transcript, agent, paths) ?? known;
  return typeof cwd !== 'string' || paths.includes(cwd);
}

/** Returns the folder that a transcript names; undefined if it names none, or cannot be read. @param folders which it may be */
function folderIn(transcript: string, agent: string, folders: readonly string[]): string | undefined {
  try {
    return beginningAbout(recogniseTranscript(transcript, agent), folders).cwd;
  } catch (error) {
    if (error instanceof CtxError) return undefined;
    throw error;
  }
}

/** The conversation in which an agent is to be started. */
export interface Beginning {
  start: AgentStart;
  /** The head of the resumed session; null if it has moved meanwhile. */
  head: string | null;
  /** The command that a new conversation begins with: only a new one has the instructions as they are now. Null if there is none. */
  command: string | null;
  /** The agent's id of the conversation that it has; null if it has none. */
  own: string | null;
  /** True if the conversation is to be written for it. */
  isWritten: boolean;
}

/**
 * Finds the conversation in which an agent is to be started.
 * @param named the agent to start; null for the one that the session had
 * @throws {CtxError} not_found
 */
export function beginningOf(
  repository: Repository,
  resumed: ResumeResult,
  named: string | null,
  around: Surroundings,
): Beginning {
  const { session_id, directory } = resumed;
  const start = starterOf(named, resumed.agent);
  const head = repository.refs.read(sessionRef(session_id));
  const session = head === null ? undefined : readChain(repository.objects, head).session;
  const last = session?.sources.at(-1);
  const isOwn =
    last?.agent === start.agent &&
    stillHas(last, start, { ...around, directory }) &&
    (!start.isBoundToFolder || isOfFolder(last, directory, session?.cwd));
  const command = isOwn ? null : commandFor(repository, start, resumed);
  const isWritten =
    !isOwn && command === null && canFollow(start.agent) && isTranscribed(repository, resumed.session_id);
  return {
    ...{ start, head, command },
    own: isOwn ? last.agent_session_id : null,
    isWritten,
  };
}

/** Returns the command of a session if the agent that is started has it: another one may know no such command. */
function commandFor({ project }: Repository, start: AgentStart, { agent, command }: ResumeResult): string | null {
  if (command === null || start.agent === agent) return command;
  const files = start.commandFiles(command.replace(/^\//, ''));
  return files.some((file) => exists(join(project, file))) ? command : null;
}

/** Returns whether ctx writes transcripts for an agent, and reads here what the agent adds to them. */
const canFollow = (agent: string): boolean => nativeTargets().includes(agent) && (!keepsTogether(agent) || hasSqlite());

/** Plans the start of an agent. */
export function planLaunch(
  repository: Repository,
  resumed: ResumeResult,
  { start, head, command, own, isWritten }: Beginning,
  around: Surroundings,
): Launch {
  const known = own ?? (isWritten ? writtenFor(repository, resumed, start, around) : null);
  const words =
    known === null ? start.begin({ context: fitting(resumed), command, request: REQUEST }) : start.resume(known);
  return {
    agent: start.agent,
    program: start.program,
    args: words,
    directory: resumed.directory,
    env: {
      ...(known !== null || head === null ? {} : { [RESUMED_VARIABLE]: `${resumed.session_id}:${head}` }),
      ...storeFor(repository, resumed.directory, around),
    },
    conversation: own !== null ? 'own' : known === null ? 'new' : 'written',
    line: [start.program, ...words].map(quoted).join(' '),
  };
}

/** Returns the variable that names the store, for an agent whose hooks would find another one or none from its folder. */
function storeFor({ layout }: Repository, directory: string, { environment }: Surroundings): Record<string, string> {
  const named = environment['CTX_DIR'];
  const found = named ? resolve(directory, named) : findStore(directory);
  const store = withoutLinks(layout.root);
  return found !== null && withoutLinks(found) === store ? {} : { CTX_DIR: store };
}

/**
 * Writes the conversation of a session, and of those that it resumes, for an agent, in the place in which that looks.
 * @returns the agent's id of it; null if there is none, or it cannot be put there
 */
function writtenFor(
  repository: Repository,
  { session_id, directory }: ResumeResult,
  { agent }: AgentStart,
  around: Surroundings,
): string | null {
  try {
    const options = { to: agent, install: true, withResumed: true, folder: directory, around };
    return exportNative(repository, session_id, options).agent_session_id;
  } catch (error) {
    // The context block says the same in other words.
    if (error instanceof CtxError && ['not_found', 'io', 'invalid_input'].includes(error.code)) return null;
    throw error;
  }
}

/** Returns the context block, cut to what a program takes as one argument. */
function fitting({ context, contextWithin }: ResumeResult): string {
  if (Buffer.byteLength(context) <= LONGEST_ARGUMENT) return context;
  for (let budget = LONGEST_ARGUMENT / 4; ; budget /= 2) {
    const text = contextWithin(budget);
    if (Buffer.byteLength(text) <= LONGEST_ARGUMENT) return text;
  }
}
