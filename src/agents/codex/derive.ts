/** What a call with its result says about files, commands and plans. */

import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { Result } from '../shared/parts.ts';
import { absolute, changedFiles, patchedFiles, patchIn } from './patch.ts';
import { commandLine, commandOf, type Ran, ranOf, ranOfEnd } from './ran.ts';

/** The record of a command that has run. */
export function commandRecord(command: string, ran: Omit<Ran, 'session'>): ToolRecord {
  const { exit_code, output, duration_ms } = ran;
  const duration = duration_ms === undefined ? {} : { duration_ms };
  return { body: { kind: 'command', command, exit_code, output, ...duration } };
}

function plan(input: JsonObject | undefined): ToolRecord[] {
  const marks: Record<string, string> = { completed: '[x]', in_progress: '[>]' };
  const list = Array.isArray(input?.['plan']) ? input['plan'] : [];
  const lines = list.flatMap((item: JsonValue) => {
    const step = isObject(item) ? textOf(item['step']) : undefined;
    return step === undefined ? [] : [`- ${marks[String(objectOf(item)?.['status'])] ?? '[ ]'} ${step}`];
  });
  return lines.length > 0 ? [{ body: { kind: 'plan', content: lines.join('\n') } }] : [];
}

/** The patch that a call applies; null where it applies none. */
function patchOf(name: string, input: JsonValue): string | null {
  if (name === 'apply_patch') return textOf(input) ?? textOf(objectOf(input)?.['input']) ?? '';
  const command = commandOf(name, input);
  return command === undefined ? null : patchIn(command);
}

/** Whether a result says that a patch was applied: by its exit code, or in words. */
function isApplied(text: string): boolean {
  const { exit_code, output } = ranOf(text);
  return exit_code === 0 || (exit_code === null && /^\s*Success\b/.test(output));
}

/** Where a call worked: the folder of its own, else that of the session. */
function folderOf(input: JsonValue, cwd: string | undefined): string | undefined {
  const fields = objectOf(input);
  const own = textOf(fields?.['workdir']) || textOf(fields?.['working_directory']);
  return own ? absolute(own, cwd) : cwd;
}

/** A call with its result: what follows, where Codex does not tell it apart. `cwd` is where the agent worked. */
export function derive(name: string, input: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  if (result.failed) return [];
  const patch = patchOf(name, input);
  if (patch !== null) return isApplied(result.text) ? patchedFiles(patch, folderOf(input, cwd)) : [];
  if (name === 'update_plan') return plan(objectOf(input));
  const path = name === 'view_image' ? textOf(objectOf(input)?.['path']) : undefined;
  if (path) return [{ body: { kind: 'read', path: absolute(path, cwd) } }];
  const command = commandOf(name, input);
  return command === undefined ? [] : [commandRecord(command, ranOf(result.text))];
}

/** Whether an end was one of a command, by what it tells. */
function isCommandEnd(end: JsonObject): boolean {
  return end['command'] !== undefined && (end['exit_code'] !== undefined || end['aggregated_output'] !== undefined);
}

/** What follows from the end of a tool as Codex tells it in a record of its own; null where that tells nothing of it. */
export function deriveEnd(end: JsonObject, cwd: string | undefined): ToolRecord[] | null {
  const changes = objectOf(end['changes']);
  if (changes) {
    const isDone = end['success'] === true || end['status'] === 'completed';
    const records = isDone ? changedFiles(changes, cwd) : [];
    // Told in a way that is not known yet: the patch of the call says it, too.
    return isDone && records.length === 0 && Object.keys(changes).length > 0 ? null : records;
  }
  if (!isCommandEnd(end)) return null;
  const line = commandLine(end['command']);
  if (line === undefined) return null;
  // What never ran has no exit code of its own.
  if (end['status'] === 'declined') return [];
  return [commandRecord(line, ranOfEnd(end)), ...filesRead(end, cwd)];
}

/** The files that a command only read, as Codex understood it. */
function filesRead(end: JsonObject, cwd: string | undefined): ToolRecord[] {
  if (numberOf(end['exit_code']) !== 0 || !Array.isArray(end['parsed_cmd'])) return [];
  const folder = absolute(textOf(end['cwd']) ?? cwd ?? '', cwd);
  return end['parsed_cmd'].flatMap((parsed) => {
    const fields = objectOf(parsed);
    const path = fields?.['type'] === 'read' ? textOf(fields['path']) : undefined;
    return path ? [{ body: { kind: 'read', path: absolute(path, folder) } }] : [];
  });
}
