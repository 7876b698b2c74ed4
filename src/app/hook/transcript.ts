/** The transcript that a hook names: it is read only if its content is a transcript of the hook's agent. */
import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Agent } from '../../agents/contract/agent.ts';
import { CtxError } from '../../core/errors.ts';
import type { HookEvent } from '../../core/hook-event.ts';
import { plainPieces, presentForm } from '../../platform/compressed-file.ts';

/** So much of a file is read for the first look, in bytes: one of its first lines nearly always tells. */
const GLANCE = 64 * 1024;

/** Whether an event takes in what is new in its transcript. */
export const readsTranscript = ({ happened }: HookEvent): boolean =>
  !['foreign', 'nothing', 'start', 'tool'].includes(happened.what);

/** Events at which an agent has written of its turn: by then a transcript is known by its content. */
const isOver = ({ happened }: HookEvent): boolean => happened.what === 'turn_end' || happened.what === 'end';

/**
 * Gives the path of the transcript that an event names; null if the event names none, or names a file that is not read:
 * one that cannot be read, or that is no transcript of the agent. What the hook itself says counts all the same. A file
 * that is not there yet may come.
 * @param agent gives the agent, whose code only a file with content needs
 * @param note takes why a file is not read
 */
export async function transcriptIn(
  directory: string,
  event: HookEvent,
  agent: () => Promise<Agent>,
  note: (problem: CtxError) => void,
): Promise<string | null> {
  if (event.transcript === null || event.transcript === '') return null;
  const named = resolve(directory, event.transcript);
  // A start only remembers where the transcript lies: why it is not read is noted where it would be.
  const isRead = readsTranscript(event);
  if (!isRead && event.happened.what !== 'start') return named;
  let path = named;
  try {
    path = presentForm(named);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat || (stat.isFile() && stat.size === 0)) return path;
    if (!stat.isFile()) throw new Error('it is no file');
    accessSync(path, constants.R_OK);
    const problem = await problemOf(path, await agent(), isOver(event));
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
 * Says why a file is not taken for a transcript of an agent; null if the file is one.
 * @param isOver whether the agent has ended its turn: before that, a file of JSON may become a transcript, and the
 * reason is empty
 */
async function problemOf(path: string, agent: Agent, isOver: boolean): Promise<string | null> {
  const glance = glanceAt(path);
  if (agent.recognises(glance)) return null;
  // Only a file that the first look does not tell needs the code of all agents.
  const owner = (await import('../transcript/owner.ts')).ownerOf(path);
  if (owner?.agent.name === agent.name) return null;
  if (owner) return `The file ${path} is a transcript of ${owner.agent.name}, not of ${agent.name}: it is not read`;
  if (!isOver && isBegun(glance)) return '';
  return `The file ${path} is no transcript of ${agent.name}: it is not read`;
}

function glanceAt(path: string): string {
  for (const piece of plainPieces(path, GLANCE)) return piece.toString('utf8');
  return '';
}

/** Whether a text is lines of JSON objects, of which the last one may still be written. */
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
