/** Asks the program of a host that takes and restores snapshots of its own: a virtual machine, a file system that copies on write. */
import { CtxError } from '../../core/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { Repository } from '../../history/store/repository.ts';
import { mayRunPrograms } from '../../history/store/trust.ts';
import { askProgram } from '../../platform/program.ts';

/** Longest that Git may take to say whether it tracks the settings, in milliseconds. */
const LONGEST_LOOK = 1000;

/**
 * Asks the program to restore a snapshot of its own.
 * @returns the id of the snapshot that it has kept of what was there before; undefined if it names none
 * @throws {CtxError} invalid_settings, io
 */
export function restoreByHost(repository: Repository, session: string, snapshot_id: string): string | undefined {
  const kept = askHost(repository, { hook: 'rewind', session_id: session, snapshot_id })['snapshot_id'];
  return typeof kept === 'string' && kept !== '' && kept !== snapshot_id ? kept : undefined;
}

/**
 * Passes one line of JSON to the program, and returns the object that it answers; an empty one if it answers nothing.
 * @throws {CtxError} invalid_settings, if the settings name no program, or the store is not trusted; io, if the program fails
 */
export function askHost(repository: Repository, question: JsonObject): JsonObject {
  const { snapshots } = repository.settings;
  if (typeof snapshots !== 'object')
    throw new CtxError('invalid_settings', 'settings.json names no program that restores snapshots of a host.', {
      hint: 'Name it: {"snapshots": {"command": ["<program>"]}}',
    });
  if (!mayRunPrograms(repository, LONGEST_LOOK))
    throw new CtxError('invalid_settings', 'The program of "snapshots" was not run: this store is not trusted.', {
      hint: 'Trust it with: ctx init --trust',
    });
  const asked = askProgram(snapshots.command, `${JSON.stringify(question)}\n`, snapshots.timeout * 1000);
  if ('failed' in asked)
    throw new CtxError('io', `The program of "snapshots" did not answer: ${asked.failed}.`, {
      hint: `Run it by hand: ${snapshots.command[0]}`,
    });
  if (asked.answer.trim() === '') return {};
  try {
    const answer = JSON.parse(asked.answer) as JsonValue;
    if (isObject(answer)) return answer;
  } catch {
    // Reported below.
  }
  throw new CtxError('io', 'The program of "snapshots" did not answer with a JSON object.', {
    hint: 'It answers {"snapshot_id": "…"}, or nothing.',
  });
}
