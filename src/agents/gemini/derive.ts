/** Makes records of files, commands and plans from a call of Gemini CLI with its result. */
import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { textIn } from '../shared/blocks.ts';
import type { ToolPart } from '../shared/parts.ts';
import { planRecord, recordCommand, recordRead, recordWrite } from '../shared/tool-records.ts';
import { responseTexts } from './parts.ts';
import { readCommandResult } from './shell.ts';

function planRecords(input: JsonObject): ToolRecord[] {
  const todos = Array.isArray(input['todos']) ? input['todos'] : [];
  const steps = todos.flatMap((todo) => {
    const text = textOf(objectOf(todo)?.['description']);
    return text === undefined ? [] : [{ text, status: objectOf(todo)?.['status'] }];
  });
  return planRecord(steps, { cancelled: '[-]' });
}

/** Returns the record of a written file: its path and content, as the program shows them to the user. */
function writtenRecords(input: JsonObject, part: ToolPart, cwd: string | undefined): ToolRecord[] {
  const shown = objectOf(part['result']);
  const path = textOf(shown?.['filePath']) ?? textOf(input['file_path']);
  const content = part.toolName === 'write_file' ? textOf(input['content']) : undefined;
  return recordWrite(path, cwd, textOf(shown?.['newContent']) ?? content, textOf(shown?.['originalContent']));
}

/** The line before each file that was read with others: its path, with blank lines around it. */
const SEPARATOR = /(?:^|\n\n)--- (.+) ---(?=\n\n)/g;

/** Returns the records of files that were read together. The call may name patterns; the result names the files. */
function readMany(output: JsonValue | undefined, cwd: string | undefined): ToolRecord[] {
  const texts = typeof output === 'string' ? [output] : responseTexts(output);
  const paths = texts.flatMap((text) => [...text.matchAll(SEPARATOR)].map(([, path]) => path));
  return [...new Set(paths)].flatMap((path) => recordRead(path, cwd));
}

/** Returns the record of a command. One that failed, or was stopped, ran if the result has the form of the shell's. */
function commandRecords(input: JsonObject, part: ToolPart): ToolRecord[] {
  const { exit_code, output, hasRun } = readCommandResult(textIn(part['output']) || (textOf(part['errorText']) ?? ''));
  const hasFailed = part.state !== 'output-available';
  if (hasFailed && !hasRun) return [];
  return recordCommand(textOf(input['command']), hasFailed && exit_code === 0 ? null : exit_code, output);
}

/** Returns the records of a call. One that failed did nothing, except for a command that ran and failed. */
export function derive(part: ToolPart, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(part.input) ?? {};
  if (part.toolName === 'run_shell_command' && part.state !== 'input-available') return commandRecords(input, part);
  if (part.state !== 'output-available') return [];
  switch (part.toolName) {
    case 'read_file':
      return recordRead(textOf(input['file_path']) ?? textOf(input['absolute_path']), cwd);
    case 'read_many_files':
      return readMany(part['output'], cwd);
    case 'write_file':
    case 'replace':
      return writtenRecords(input, part, cwd);
    case 'write_todos':
      return planRecords(input);
    default:
      return [];
  }
}
