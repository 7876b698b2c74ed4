/** Opens the transcript that a hook names, only if its content is a transcript of the hook's agent. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Agent } from '../../../agents/contract/agent.ts';
import { CtxError } from '../../../core/errors.ts';
import type { HookEvent } from '../../../core/session/hook-event.ts';
import { plainPieces, presentForm } from '../../../platform/compressed-file.ts';

/** Length of the part of a file that is read first, in bytes: one of its first lines nearly always shows the agent. */
const GLANCE = 64 * 1024;

/** Returns whether an event reads what is new in its transcript. */
export const readsTranscript = ({ happened }: HookEvent): boolean =>
  !['foreign', 'nothing', 'start', 'tool'].includes(happened.what);

/** Returns whether an agent has written its turn at an event: by then a transcript is recognised by its content. */
const isOver = ({ happened }: HookEvent): boolean => happened.what === 'turn_end' || happened.what === 'end';

/**
 * Returns the path of the transcript that an event names; null if the event names none, or names a file that is not
 * read, since it cannot be or is no transcript of the agent. The hook's own data count all the same. A missing file may
 * appear later.
 * @param note receives why a file is not read
 */
export async function transcriptIn(
  directory: string,
  event: HookEvent,
  agent: Agent,
  note: (problem: CtxError) => void,
): Promise<string | null> {
  if (event.transcript === null || event.transcript === '') return null;
  const named = resolve(directory, event.transcript);
  // A start only remembers the path: a later event notes why it is not read.
  const isRead = readsTranscript(event);
  if (!isRead && event.happened.what !== 'start') return named;
  let path = named;
  try {
    path = presentForm(named);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat || (stat.isFile() && stat.size === 0)) return path;
    if (!stat.isFile()) throw new Error('it is no file');
    accessSync(path, constants.R_OK);
    const problem = await problemOf(path, agent, isOver(event));
    if (problem === null) return path;
    if (problem !== '' && isRead) note(new CtxError('invalid_input', problem));
  } catch (error) {
    if (!isRead) return path;
    const why = error instanceof Error ? error.message : String(error);
    note(new CtxError('io', `The transcript ${path} cannot be read: ${why}`));
  }
  return null;
}

/**
 * Returns why a file is not a transcript of an agent; null if it is one.
 * @param isOver whether the agent has ended its turn: before that, a file of JSON may become a transcript, and the
 * reason is empty
 */
async function problemOf(path: string, agent: Agent, isOver: boolean): Promise<string | null> {
  const glance = glanceAt(path);
  if (agent.recognises(glance)) return null;
  // Only a file that is not recognised by its beginning needs the code of all agents.
  const owner = (await import('../../transcript/owner.ts')).ownerOf(path);
  if (owner?.agent.name === agent.name) return null;
  if (owner) return `The file ${path} is a transcript of ${owner.agent.name}, not of ${agent.name}: it is not read`;
  if (!isOver && isBegun(glance)) return '';
  return `The file ${path} is no transcript of ${agent.name}: it is not read`;
}

function glanceAt(path: string): string {
  for (const piece of plainPieces(path, GLANCE)) return piece.toString('utf8');
  return '';
}

/** Returns whether a text is lines of JSON objects, of which the last one may be unfinished. */
function isBegun(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.every((line, index) => line.trimStart().startsWith('{') && (index === lines.length - 1 || isJson(line)));
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
