/** Makes records of files, commands and plans from a call with its result. */
import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { Result } from '../shared/parts.ts';
import { changedFiles, patchedFiles, patchIn } from '../shared/patch.ts';
import { absolute, planRecord, recordCommand, recordRead } from '../shared/tool-records.ts';
import { type CommandResult, commandLine, commandOf, readCommandEnd, readCommandResult } from './commands.ts';

/** Returns the record of a command that has run. */
export const commandRecord = (command: string, ran: Omit<CommandResult, 'session'>): ToolRecord[] =>
  recordCommand(command, ran.exit_code, ran.output, ran.duration_ms);

function planOf(input: JsonObject | undefined): ToolRecord[] {
  const list = Array.isArray(input?.['plan']) ? input['plan'] : [];
  const steps = list.flatMap((item: JsonValue) => {
    const text = isObject(item) ? textOf(item['step']) : undefined;
    return text === undefined ? [] : [{ text, status: objectOf(item)?.['status'] }];
  });
  return planRecord(steps);
}

/** Returns the patch that a call applies; null if it applies none. */
function patchOf(name: string, input: JsonValue): string | null {
  if (name === 'apply_patch') return textOf(input) ?? textOf(objectOf(input)?.['input']) ?? '';
  const command = commandOf(name, input);
  return command === undefined ? null : patchIn(command);
}

/** Returns whether a result says that a patch was applied: by its exit code, or in words. */
function isApplied(text: string): boolean {
  const { exit_code, output } = readCommandResult(text);
  return exit_code === 0 || (exit_code === null && /^\s*Success\b/.test(output));
}

/** Returns the folder that a call worked in: its own, or that of the session. */
function folderOf(input: JsonValue, cwd: string | undefined): string | undefined {
  const fields = objectOf(input);
  const own = textOf(fields?.['workdir']) || textOf(fields?.['working_directory']);
  return own ? absolute(own, cwd) : cwd;
}

/** Returns the records of a call with its result, if Codex writes none apart from it. `cwd` is the folder that the agent worked in. */
export function derive(name: string, input: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  if (result.failed) return [];
  const patch = patchOf(name, input);
  if (patch !== null) return isApplied(result.text) ? patchedFiles(patch, folderOf(input, cwd)) : [];
  if (name === 'update_plan') return planOf(objectOf(input));
  const path = name === 'view_image' ? textOf(objectOf(input)?.['path']) : undefined;
  if (path) return recordRead(path, cwd);
  const command = commandOf(name, input);
  return command === undefined ? [] : commandRecord(command, readCommandResult(result.text));
}

/** Returns whether an end is one of a command, by its fields. */
function isCommandEnd(end: JsonObject): boolean {
  return end['command'] !== undefined && (end['exit_code'] !== undefined || end['aggregated_output'] !== undefined);
}

/** Returns the records of the end of a tool, which Codex writes in a record of its own; null if that has none. */
export function deriveEnd(end: JsonObject, cwd: string | undefined): ToolRecord[] | null {
  const changes = objectOf(end['changes']);
  if (changes) {
    const isDone = end['success'] === true || end['status'] === 'completed';
    const records = isDone ? changedFiles(changes, cwd) : [];
    // Changes in an unknown form: the patch of the call contains them, too.
    return isDone && records.length === 0 && Object.keys(changes).length > 0 ? null : records;
  }
  if (!isCommandEnd(end)) return null;
  const line = commandLine(end['command']);
  if (line === undefined) return null;
  // A command that never ran has no exit code of its own.
  if (end['status'] === 'declined') return [];
  return [...commandRecord(line, readCommandEnd(end)), ...filesRead(end, cwd)];
}

/** Returns the records of files that a command only read, as Codex understood it. */
function filesRead(end: JsonObject, cwd: string | undefined): ToolRecord[] {
  if (numberOf(end['exit_code']) !== 0 || !Array.isArray(end['parsed_cmd'])) return [];
  const folder = absolute(textOf(end['cwd']) ?? cwd ?? '', cwd);
  return end['parsed_cmd'].flatMap((parsed) => {
    const fields = objectOf(parsed);
    return fields?.['type'] === 'read' ? recordRead(textOf(fields['path']), folder) : [];
  });
}
