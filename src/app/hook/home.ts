/** Where a conversation is at home: in the store that has heard of it, and not in that of a folder which the agent has gone to since. */

import { CtxError } from '../../core/errors.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { readBeginning } from '../../platform/plain-files.ts';
import { findStore, type OpenOptions, openRepository } from '../../store/repository.ts';
import { redactionFor } from '../redact.ts';
import { isKnown } from './session.ts';

/** How much of a transcript is looked at, in bytes: its first lines tell where it began. */
const BEGINNING = 64 * 1024;

/** The folder that a transcript says it began in; null where it does not say, or is not there. */
function beganIn(transcript: string): string | null {
  let text: string;
  try {
    text = readBeginning(transcript, BEGINNING).toString('utf8');
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

/**
 * The folder in which a conversation began, where another store than that of the agent's folder has heard of it there; else null.
 * @param store that of the folder where the agent is, which has not heard of it; null where there is none
 */
export function homeOf(
  agent: string,
  { agent_session, transcript }: HookEvent,
  store: string | null,
  options: OpenOptions,
): { directory: string; store: string } | null {
  const directory = transcript === null ? null : beganIn(transcript);
  const other = directory === null ? null : findStore(directory);
  if (directory === null || other === null || other === store) return null;
  try {
    const repository = openRepository({ ...options, store: other, directory });
    const conversation = { agent, agent_session: redactionFor(repository).text(agent_session) };
    return isKnown(repository, conversation) ? { directory, store: other } : null;
  } catch (error) {
    // One that cannot be read has heard of nothing.
    if (error instanceof CtxError) return null;
    throw error;
  }
}
