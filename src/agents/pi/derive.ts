/** Makes records of what pi's own tools did, from a call and its result. */

import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { Result } from '../shared/parts.ts';
import { recordCommand, recordRead, recordWrite } from '../shared/tool-records.ts';

/** The end of the output of a command that failed, and of one that was aborted. */
const EXIT = /(?:^|\n\n)Command exited with code (-?\d{1,9})$/;
const BROKEN_OFF = /(?:^|\n\n)Command (aborted|timed out\b.*)$/;
/** A note after a file, or in its place, that says that the file was not shown whole. */
const CUT = /\n\[[^\n]*(Showing lines|more lines in file|Use offset=)[^\n]*\]\s*$|^\[Line \d+ is/;

function ran(command: string | undefined, { failed, text }: Result): ToolRecord[] {
  const exit = EXIT.exec(text);
  const brokenOff = BROKEN_OFF.exec(text);
  if (!failed) return recordCommand(command, 0, text === '(no output)' ? '' : text);
  // A call that was refused never ran.
  if (!exit && !brokenOff) return [];
  const output = text.slice(0, (exit ?? brokenOff)?.index);
  return recordCommand(command, exit ? Number(exit[1]) : null, output);
}

/** Returns the content of a file that was read whole; undefined if the result shows only a part of it. */
function wholeFile(input: JsonValue, { content, text, structured }: Result): string | undefined {
  const fields = objectOf(input);
  const isPart = fields?.['offset'] !== undefined || fields?.['limit'] !== undefined;
  const isText = Array.isArray(content) && content.length === 1 && objectOf(content[0])?.['type'] === 'text';
  const isCut = objectOf(structured)?.['truncation'] !== undefined || CUT.test(text);
  return isPart || isCut || !isText ? undefined : text;
}

/** Returns the records of a call with its result. `cwd` is the folder that the agent worked in. */
export function derive(name: string, input: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  const fields = objectOf(input);
  if (name === 'bash') return ran(textOf(fields?.['command']), result);
  if (result.failed) return [];
  // The path may begin with the `@` of a mention.
  const path = (textOf(fields?.['path']) ?? textOf(fields?.['file_path']))?.replace(/^@/, '');
  if (name === 'read') return recordRead(path, cwd, wholeFile(input, result));
  if (name === 'write') return recordWrite(path, cwd, textOf(fields?.['content']));
  return name === 'edit' ? recordWrite(path, cwd) : [];
}
