/** What a call of Gemini CLI with its result says about files, commands and plans. */

import { type JsonObject, type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { textIn } from '../shared/blocks.ts';
import type { ToolPart } from '../shared/parts.ts';
import { commandRecord, fileRecord } from '../shared/tool-records.ts';
import { responseTexts } from './parts.ts';
import { ranOf } from './shell.ts';

const MARKS: Record<string, string> = { completed: '[x]', in_progress: '[>]', cancelled: '[-]' };

function plan(input: JsonObject): ToolRecord[] {
  const todos = Array.isArray(input['todos']) ? input['todos'] : [];
  const lines = todos.flatMap((todo) => {
    const text = textOf(objectOf(todo)?.['description']);
    return text === undefined ? [] : [`- ${MARKS[String(objectOf(todo)?.['status'])] ?? '[ ]'} ${text}`];
  });
  return lines.length === 0 ? [] : [{ body: { kind: 'plan', content: lines.join('\n') } }];
}

/** A file that was written: where it lies and what is in it, as the program shows it to the user. */
function written(input: JsonObject, part: ToolPart, cwd: string | undefined): ToolRecord[] {
  const shown = objectOf(part['result']);
  const path = textOf(shown?.['filePath']) ?? textOf(input['file_path']);
  const content = part.toolName === 'write_file' ? textOf(input['content']) : undefined;
  return fileRecord('write', path, cwd, textOf(shown?.['newContent']) ?? content);
}

/** What stands before each file that was read with others: its path on a line of its own, blank lines around it. */
const SEPARATOR = /(?:^|\n\n)--- (.+) ---(?=\n\n)/g;

/** Files that were read together. The call may name patterns: the result tells which files those were. */
function readMany(output: JsonValue | undefined, cwd: string | undefined): ToolRecord[] {
  const texts = typeof output === 'string' ? [output] : responseTexts(output);
  const paths = texts.flatMap((text) => [...text.matchAll(SEPARATOR)].map(([, path]) => path));
  return [...new Set(paths)].flatMap((path) => fileRecord('read', path, cwd));
}

/** A command and how it went. One that failed, or was stopped, ran if the result has that in the words of the shell. */
function ran(input: JsonObject, part: ToolPart): ToolRecord[] {
  const { exit_code, output, isTold } = ranOf(textIn(part['output']) || (textOf(part['errorText']) ?? ''));
  const hasFailed = part.state !== 'output-available';
  if (hasFailed && !isTold) return [];
  return commandRecord(textOf(input['command']), hasFailed && exit_code === 0 ? null : exit_code, output);
}

/** What follows from a call. One that failed did nothing, but for a command that ran to its bad end. */
export function derive(part: ToolPart, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(part.input) ?? {};
  if (part.toolName === 'run_shell_command' && part.state !== 'input-available') return ran(input, part);
  if (part.state !== 'output-available') return [];
  switch (part.toolName) {
    case 'read_file':
      return fileRecord('read', textOf(input['file_path']) ?? textOf(input['absolute_path']), cwd);
    case 'read_many_files':
      return readMany(part['output'], cwd);
    case 'write_file':
    case 'replace':
      return written(input, part, cwd);
    case 'write_todos':
      return plan(input);
    default:
      return [];
  }
}
