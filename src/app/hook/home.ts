/** Where a conversation is at home: in the store that has heard of it, and not in that of a folder which the agent has gone to since. */
import { dirname, resolve } from 'node:path';
import { CtxError } from '../../core/errors.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { findStore, type OpenOptions, openRepository } from '../../history/store/repository.ts';
import { isCompressed, plainPieces } from '../../platform/compressed-file.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import { type Conversation, isKnown, settleHome } from '../ingest/hook-session.ts';
import { sizeOf } from '../ingest/increment.ts';
import { redactionFor } from '../redaction/redact.ts';

/** How much of a transcript is looked at, in bytes: its first lines tell where it began. */
const BEGINNING = 64 * 1024;

function beginningOf(transcript: string): string {
  if (!isCompressed(transcript)) return readBeginning(transcript, BEGINNING).toString('utf8');
  for (const piece of plainPieces(transcript, BEGINNING)) return piece.toString('utf8');
  return '';
}

/** The folder that a transcript says it began in; null where it does not say, or is not there. */
function beganIn(transcript: string): string | null {
  let text: string;
  try {
    text = beginningOf(transcript);
  } catch {
    return null;
  }
  for (const line of text.split('\n').slice(0, -1)) {
    const folder = folderIn(line);
    if (folder !== null) return folder;
  }
  return null;
}

/** The working folder in a line of Claude Code's, or of Codex's. */
function folderIn(line: string): string | null {
  try {
    const value = parseJson(line);
    if (!isObject(value)) return null;
    const { cwd } = isObject(value['payload']) && value['cwd'] === undefined ? value['payload'] : value;
    return typeof cwd === 'string' && cwd !== '' ? cwd : null;
  } catch {
    return null;
  }
}

/** Where agents tell their hooks which project they were started in. */
const VARIABLES = ['CLAUDE_PROJECT_DIR', 'GEMINI_PROJECT_DIR', 'CURSOR_PROJECT_DIR'];

/** Folders in which a conversation may have begun, the likeliest first. */
function* foldersOf({ transcript }: HookEvent, store: string | null, environment: Variables): Generator<string> {
  const began = transcript === null ? null : beganIn(transcript);
  if (began !== null) yield began;
  for (const name of VARIABLES) if (environment[name]) yield resolve(environment[name]);
  // A project in another one: the agent may only have gone down into it.
  for (let at = store; at !== null && dirname(dirname(at)) !== dirname(at); ) {
    const above = dirname(dirname(at));
    yield above;
    at = findStore(above);
  }
}

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The folder in which a conversation began, where another store than that of the agent's folder has heard of it there;
 * else null.
 * @param store that of the folder where the agent is, which has not heard of it; null where there is none
 */
export function homeOf(
  agent: string,
  event: HookEvent,
  store: string | null,
  { environment = {}, ...options }: OpenOptions & { environment?: Variables | undefined },
): { directory: string; store: string } | null {
  const seen = new Set([store]);
  for (const directory of foldersOf(event, store, environment)) {
    const other = findStore(directory);
    if (other === null || seen.has(other)) continue;
    seen.add(other);
    if (hasHeard(agent, event, { ...options, store: other, directory })) return { directory, store: other };
  }
  return null;
}

/** Once there is a transcript it is known where a conversation is at home that a tool has begun. @param isElsewhere as `homeOf` has found */
export function wentHome(
  store: string,
  conversation: Conversation,
  transcript: string | null,
  isElsewhere: boolean,
): void {
  const isTold = transcript !== null && sizeOf(transcript) > 0;
  if (isElsewhere || isTold) settleHome(store, conversation, !isElsewhere);
}

/** Whether a store has heard of a conversation. */
function hasHeard(agent: string, { agent_session }: HookEvent, options: OpenOptions): boolean {
  try {
    const repository = openRepository(options);
    const conversation = { agent, agent_session: redactionFor(repository).text(agent_session) };
    return isKnown(repository, conversation);
  } catch (error) {
    // One that cannot be read has heard of nothing.
    if (error instanceof CtxError) return false;
    throw error;
  }
}
