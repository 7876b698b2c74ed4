/** Makes records of files, commands and plans from a call of opencode with its result. */
import { isObject, type JsonObject, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { ToolPart } from '../shared/parts.ts';
import { planRecord, recordCommand, recordRead, recordWrite } from '../shared/tool-records.ts';

function planRecords(input: JsonObject): ToolRecord[] {
  const todos = Array.isArray(input['todos']) ? input['todos'].filter(isObject) : [];
  const steps = todos.map((todo) => ({ text: textOf(todo['content']) ?? '', status: todo['status'] }));
  return planRecord(steps, { cancelled: '[-]' });
}

/** Returns the records of the files that a patch changed. */
function patched(structured: JsonObject, cwd: string | undefined): ToolRecord[] {
  const files = Array.isArray(structured['files']) ? structured['files'].filter(isObject) : [];
  return files.flatMap((file): ToolRecord[] => {
    const path = textOf(file['filePath']) ?? textOf(file['file']);
    const movedTo = textOf(file['movePath']);
    const [at] = recordWrite(path, cwd);
    const gone: ToolRecord[] = at ? [{ body: { kind: 'delete', path: at.body['path'] } }] : [];
    if (file['type'] === 'delete' || file['status'] === 'deleted') return gone;
    return [
      ...(movedTo ? gone : []),
      ...recordWrite(movedTo ?? path, cwd, textOf(file['after']), textOf(file['before'])),
    ];
  });
}

/** Returns the first text of a command's output: the texts after it are opencode's own. */
function outputOf({ output }: ToolPart): string {
  const [first] = Array.isArray(output) ? output : [];
  return textOf(output) ?? textOf(objectOf(first)?.['text']) ?? '';
}

/** Returns the record of a command. One that failed ran if the result has an exit code or output. */
function commandRecords(input: JsonObject, part: ToolPart, structured: JsonObject): ToolRecord[] {
  if (part.state === 'output-error' && structured['exit'] === undefined && !textOf(structured['output'])) return [];
  const code = numberOf(structured['exit']);
  const exit_code = code !== undefined && Number.isSafeInteger(code) ? code : null;
  const output = textOf(structured['output']) ?? (outputOf(part) || (textOf(part['errorText']) ?? ''));
  const time = objectOf(part['time'] as JsonObject | undefined);
  const [begun, ended] = [
    time?.['start'] ?? time?.['ran'] ?? time?.['created'],
    time?.['end'] ?? time?.['completed'],
  ].map(numberOf);
  const took = (ended ?? Number.NaN) - (begun ?? Number.NaN);
  const duration = took >= 0 ? { duration_ms: Math.round(took) } : {};
  const records = recordCommand(textOf(input['command']), exit_code, output);
  return records.map((record) => ({ ...record, body: { ...record.body, ...duration } }));
}

/** Returns the records of a call. One that failed did nothing, except for a command that ran and failed. */
export function derive(part: ToolPart, cwd: string | undefined): ToolRecord[] {
  const input = objectOf(part.input) ?? {};
  const structured = objectOf(part['result']) ?? {};
  // opencode 2 has other names for some tools and their inputs.
  if (['bash', 'shell'].includes(part.toolName) && part.state !== 'input-available')
    return commandRecords(input, part, structured);
  if (part.state !== 'output-available') return [];
  const path = textOf(input['filePath']) ?? textOf(input['path']);
  const changed = objectOf(structured['filediff']);
  switch (part.toolName) {
    case 'read':
      return recordRead(path, cwd);
    case 'write':
      return recordWrite(path, cwd, textOf(input['content']));
    case 'edit':
    case 'multiedit':
      return recordWrite(path, cwd, textOf(changed?.['after']), textOf(changed?.['before']));
    case 'apply_patch':
    case 'patch':
      return patched(structured, cwd);
    case 'todowrite':
      return planRecords(input);
    default:
      return [];
  }
}
