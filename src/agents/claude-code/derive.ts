/** Makes records of files, commands and plans from a tool call with its result. */

import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import type { Result } from '../shared/parts.ts';
import { planRecord, recordRead, recordWrite } from '../shared/tool-records.ts';

/** The beginning of a result if the user refused to let the tool run. */
const REFUSED = "The user doesn't want to ";
/** The result of a command that never ran. */
const NEVER_RAN =
  /^(<tool_use_error>|Claude requested permissions|Permission to use|Permission for this|.{0,80}hook (error|blocked)|.{0,200}has been denied)/s;

/** Returns whether the user refused a call. */
export function isRefused(result: Result): boolean {
  return result.failed && result.text.startsWith(REFUSED);
}

/** Returns the user's words on refusing, or null if there are none. */
export function wordsOfRefusal(result: Result): string | null {
  const words = /\bthe user said:\n([\s\S]+)$/.exec(result.text)?.[1];
  return words?.trim() || null;
}

function read(input: JsonObject, structured: JsonObject | undefined, cwd: string | undefined): ToolRecord[] {
  const file = objectOf(structured?.['file']);
  const path = textOf(file?.['filePath']) || textOf(input['file_path']);
  const content = textOf(file?.['content']);
  const lines = numberOf(file?.['numLines']);
  const isWhole =
    lines !== undefined && lines === numberOf(file?.['totalLines']) && numberOf(file?.['startLine']) === 1;
  return recordRead(path, cwd, isWhole ? content : undefined);
}

/** Returns whether the user changed the text before it was written: then the call does not contain it. */
function isChanged(structured: JsonObject | undefined): boolean {
  return structured?.['userModified'] === true;
}

function write(input: JsonObject, structured: JsonObject | undefined, cwd: string | undefined): ToolRecord[] {
  const path = textOf(structured?.['filePath']) || textOf(input['file_path']);
  const text = textOf(structured?.['content']) ?? textOf(input['content']);
  return recordWrite(path, cwd, isChanged(structured) ? undefined : text, originalOf(structured));
}

const originalOf = (structured: JsonObject | undefined): string | undefined =>
  textOf(structured?.['originalFile']) ?? textOf(structured?.['originalFileContents']);

/** One edit of a file. */
export interface TextEdit {
  before: string;
  after: string;
  /** True if every occurrence is replaced, not only the first. */
  all: boolean;
}

/** Returns the text after an edit, as Claude Code applies it; null if the text to replace is not in it. */
export function applyEdit(text: string, edit: TextEdit): string | null {
  if (edit.before === '') return text === '' ? edit.after : null;
  // The removal of words before a line break removes the line break, too.
  const takesBreak = edit.after === '' && !edit.before.endsWith('\n') && text.includes(`${edit.before}\n`);
  const before = takesBreak ? `${edit.before}\n` : edit.before;
  const at = text.indexOf(before);
  if (at < 0) return null;
  if (edit.all) return text.split(before).join(edit.after);
  return text.slice(0, at) + edit.after + text.slice(at + before.length);
}

function editsOf(input: JsonObject, structured: JsonObject | undefined): TextEdit[] | null {
  const list = Array.isArray(structured?.['edits']) ? structured['edits'] : input['edits'];
  const edits = Array.isArray(list) ? list : [input];
  const read = edits.map((edit): TextEdit | null => {
    const fields = objectOf(edit);
    const before = textOf(fields?.['old_string']) ?? textOf(fields?.['oldString']);
    const after = textOf(fields?.['new_string']) ?? textOf(fields?.['newString']);
    const all = fields?.['replace_all'] === true || fields?.['replaceAll'] === true;
    return before === undefined || after === undefined ? null : { before, after, all };
  });
  return read.every((edit) => edit !== null) ? read : null;
}

function edit(input: JsonObject, structured: JsonObject | undefined, cwd: string | undefined): ToolRecord[] {
  const path = textOf(structured?.['filePath']) || textOf(input['file_path']);
  const original = originalOf(structured);
  // The edit in the result counts: it has the text as it was found in the file.
  const single = textOf(structured?.['oldString']) !== undefined ? [structured as JsonObject] : undefined;
  const edits = single ? editsOf({ edits: single }, undefined) : editsOf(input, structured);
  // An edit that replaces nothing creates the file.
  let text: string | null = original ?? (edits?.[0]?.before === '' ? '' : null);
  for (const step of edits ?? []) text = text === null ? null : applyEdit(text, step);
  return recordWrite(path, cwd, edits && !isChanged(structured) ? (text ?? undefined) : undefined, original);
}

function command(input: JsonObject, result: Result): ToolRecord[] {
  const line = textOf(input['command']);
  if (!line?.trim()) return [];
  const structured = objectOf(result.structured);
  const failure = result.failed ? /^(?:Error: )?Exit code (\d{1,9})(?:\n|$)/.exec(result.text) : null;
  if (result.failed && !failure && NEVER_RAN.test(result.text)) return [];
  // A code that Claude Code explains ("No matches found") was not 0, but is unknown.
  const isUnknown =
    result.failed ||
    structured?.['interrupted'] === true ||
    structured?.['backgroundTaskId'] !== undefined ||
    structured?.['returnCodeInterpretation'] !== undefined ||
    input['run_in_background'] === true;
  const shown = [textOf(structured?.['stdout']), textOf(structured?.['stderr'])].filter((text) => text);
  const output =
    structured?.['stdout'] !== undefined && structured['isImage'] !== true ? shown.join('\n') : result.text;
  const duration = numberOf(structured?.['durationMs']);
  return [
    {
      body: {
        kind: 'command',
        command: line,
        exit_code: failure ? Number(failure[1]) : isUnknown ? null : 0,
        output: failure ? result.text.slice(failure[0].length) : output,
        ...(duration !== undefined && duration >= 0 ? { duration_ms: duration } : {}),
      },
    },
  ];
}

function todos(input: JsonObject): ToolRecord[] {
  const list = Array.isArray(input['todos']) ? input['todos'] : [];
  const steps = list.flatMap((item: JsonValue) => {
    const text = isObject(item) ? textOf(item['content']) : undefined;
    return text === undefined ? [] : [{ text, status: objectOf(item)?.['status'] }];
  });
  return planRecord(steps);
}

/** Returns the records of a call with its result; none if it was refused. `cwd` is the folder that the agent worked in. */
export function derive(name: string, input: JsonValue, result: Result, cwd: string | undefined): ToolRecord[] {
  if (isRefused(result)) return [];
  const fields = objectOf(input) ?? {};
  const structured = objectOf(result.structured);
  if (name === 'Bash' || name === 'PowerShell') return command(fields, result);
  if (result.failed) return [];
  switch (name) {
    case 'Read':
      return read(fields, structured, cwd);
    case 'Write':
      return write(fields, structured, cwd);
    case 'Edit':
    case 'MultiEdit':
      return edit(fields, structured, cwd);
    case 'NotebookEdit':
      return recordWrite(textOf(fields['notebook_path']) || textOf(structured?.['notebook_path']), cwd);
    case 'TodoWrite':
      return todos(fields);
    case 'ExitPlanMode': {
      const content = textOf(structured?.['plan']) || textOf(fields['plan']);
      return content ? [{ body: { kind: 'plan', content } }] : [];
    }
    default:
      return [];
  }
}
