/** What pi's own tools did, by a call and its result. */

import { type JsonValue, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { commandDeed, readDeed, writeDeed } from '../shared/deeds.ts';
import type { Result } from '../shared/parts.ts';

/** What stands behind the output of a command that failed, and of one that was broken off. */
const EXIT = /(?:^|\n\n)Command exited with code (-?\d{1,9})$/;
const BROKEN_OFF = /(?:^|\n\n)Command (aborted|timed out\b.*)$/;
/** What stands behind or in place of a file that was not shown whole. */
const CUT = /\n\[[^\n]*(Showing lines|more lines in file|Use offset=)[^\n]*\]\s*$|^\[Line \d+ is/;

function ran(command: string | undefined, { failed, text }: Result): ToolRecord[] {
  const exit = EXIT.exec(text);
  const brokenOff = BROKEN_OFF.exec(text);
  if (!failed) return commandDeed(command, 0, text === '(no output)' ? '' : text);
  // A call that was refused never ran.
  if (!exit && !brokenOff) return [];
  const output = text.slice(0, (exit ?? brokenOff)?.index);
  return commandDeed(command, exit ? Number(exit[1]) : null, output);
}

/** The content of a file that was read whole; undefined where only a part of it is shown. */
function wholeFile(input: JsonValue, { content, text, told }: Result): string | undefined {
  const fields = objectOf(input);
  const isPart = fields?.['offset'] !== undefined || fields?.['limit'] !== undefined;
  const isText = Array.isArray(content) && content.length === 1 && objectOf(content[0])?.['type'] === 'text';
  const isCut = objectOf(told)?.['truncation'] !== undefined || CUT.test(text);
  return isPart || isCut || !isText ? undefined : text;
}

/** A call with its result: what it did. `cwd` is where the agent worked. */
export function derive(name: string, input: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  const fields = objectOf(input);
  if (name === 'bash') return ran(textOf(fields?.['command']), result);
  if (result.failed) return [];
  // A path may be written as it is typed to the agent.
  const path = (textOf(fields?.['path']) ?? textOf(fields?.['file_path']))?.replace(/^@/, '');
  if (name === 'read') return readDeed(path, cwd, wholeFile(input, result));
  if (name === 'write') return writeDeed(path, cwd, textOf(fields?.['content']));
  return name === 'edit' ? writeDeed(path, cwd) : [];
}
