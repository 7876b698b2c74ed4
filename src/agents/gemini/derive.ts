/** What a call of Gemini CLI with its result says about files, commands and plans. */
import type { ToolRecord } from '../../core/hook-event.ts';
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { ToolPart } from '../shared/parts.ts';
import { commandRecord, fileRecord } from '../shared/tool-records.ts';
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

/** What follows from a call. One that failed did nothing. */
export function derive(part: ToolPart, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(part.input) ?? {};
  if (part.state !== 'output-available') return [];
  switch (part.toolName) {
    case 'read_file':
      return fileRecord('read', textOf(input['file_path']) ?? textOf(input['absolute_path']), cwd);
    case 'write_file':
    case 'replace':
      return written(input, part, cwd);
    case 'run_shell_command': {
      const { exit_code, output } = ranOf(textOf(part['output']) ?? '');
      return commandRecord(textOf(input['command']), exit_code, output);
    }
    case 'write_todos':
      return plan(input);
    default:
      return [];
  }
}
