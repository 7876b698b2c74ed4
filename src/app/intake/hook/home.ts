/** Finds the store that a conversation belongs to: the one that knows it, even if the agent has changed to the folder of another. */

import { dirname, resolve } from 'node:path';
import { CtxError } from '../../../core/errors.ts';
import type { Conversation } from '../../../core/intake/reconcile.ts';
import { isObject, parseJson } from '../../../core/json.ts';
import type { HookEvent } from '../../../core/session/hook-event.ts';
import { findStore, type OpenOptions, openRepository } from '../../../history/store/repository.ts';
import { isCompressed, plainPieces } from '../../../platform/compressed-file.ts';
import { readBeginning } from '../../../platform/plain-files.ts';
import { redactionFor } from '../../redaction/redact.ts';
import { isKnown, settlePlace } from '../conversation.ts';
import { sizeOf } from '../increment.ts';

/** Length of the part of a transcript that is read, in bytes: its first lines name the folder that it began in. */
const BEGINNING = 64 * 1024;

function beginningOf(transcript: string): string {
  if (!isCompressed(transcript)) return readBeginning(transcript, BEGINNING).toString('utf8');
  for (const piece of plainPieces(transcript, BEGINNING)) return piece.toString('utf8');
  return '';
}

/** Returns the folder that a transcript says it began in; null if it does not say, or does not exist. */
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

/** Returns the working folder in a line of Claude Code's or Codex's. */
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

/** Variables with which agents pass their project to hooks. */
const VARIABLES = ['CLAUDE_PROJECT_DIR', 'GEMINI_PROJECT_DIR', 'CURSOR_PROJECT_DIR'];

/** Yields the folders in which a conversation may have begun, the likeliest first. */
function* foldersOf({ transcript }: HookEvent, store: string | null, environment: Variables): Generator<string> {
  const began = transcript === null ? null : beganIn(transcript);
  if (began !== null) yield began;
  for (const name of VARIABLES) if (environment[name]) yield resolve(environment[name]);
  // A project within another one: the agent may only have changed to its folder.
  for (let at = store; at !== null && dirname(dirname(at)) !== dirname(at); ) {
    const above = dirname(dirname(at));
    yield above;
    at = findStore(above);
  }
}

export type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the folder in which a conversation began, if a store there, other than that of the agent's folder, knows it;
 * else null.
 * @param store that of the agent's present folder, which does not know it; null if there is none
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
    if (knows(agent, event, { ...options, store: other, directory })) return { directory, store: other };
  }
  return null;
}

/**
 * Settles the store of a conversation that a tool has begun, once its transcript exists.
 * @param isElsewhere whether `homeOf` has found another store
 */
export function confirmHome(
  store: string,
  conversation: Conversation,
  transcript: string | null,
  isElsewhere: boolean,
): void {
  const hasTranscript = transcript !== null && sizeOf(transcript) > 0;
  if (isElsewhere || hasTranscript) settlePlace(store, conversation, !isElsewhere);
}

/** Returns whether a store knows a conversation. */
function knows(agent: string, { agent_session }: HookEvent, options: OpenOptions): boolean {
  try {
    const repository = openRepository(options);
    const conversation = { agent, agent_session: redactionFor(repository).text(agent_session) };
    return isKnown(repository, conversation);
  } catch (error) {
    // A store that cannot be read knows nothing.
    if (error instanceof CtxError) return false;
    throw error;
  }
}
