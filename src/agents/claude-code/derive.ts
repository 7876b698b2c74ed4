/** What a tool call with its result says about files, commands and plans. */

import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { AnyBody } from '../../core/records/record.ts';
import type { Result } from '../shared/parts.ts';
import { applyEdit, type TextEdit } from './edit.ts';

/** A record that follows from a call, with a file's content where the transcript shows all of it. */
export interface Derived {
  body: AnyBody;
  content?: Buffer;
}

/** The beginning of what a tool says when the user refused to let it run. */
const REFUSED = "The user doesn't want to ";
/** What a command's result says when it never ran. */
const NEVER_RAN =
  /^(<tool_use_error>|Claude requested permissions|Permission to use|Permission for this|.{0,80}hook (error|blocked)|.{0,200}has been denied)/s;

export function isRefused(result: Result): boolean {
  return result.failed && result.text.startsWith(REFUSED);
}

/** What the user said on refusing, or null where they said nothing. */
export function wordsOfRefusal(result: Result): string | null {
  const words = /\bthe user said:\n([\s\S]+)$/.exec(result.text)?.[1];
  return words?.trim() || null;
}

function absolute(path: string, cwd: string | undefined): string {
  if (/^([/\\]|[A-Za-z]:)/.test(path) || cwd === undefined || cwd === '') return path;
  // Tidied where its secrets are out of it.
  return `${cwd}/${path}`;
}

function read(input: JsonObject, told: JsonObject | undefined, cwd: string | undefined): Derived[] {
  const file = objectOf(told?.['file']);
  const path = textOf(file?.['filePath']) || textOf(input['file_path']);
  if (!path) return [];
  const content = textOf(file?.['content']);
  const lines = numberOf(file?.['numLines']);
  const isWhole =
    lines !== undefined && lines === numberOf(file?.['totalLines']) && numberOf(file?.['startLine']) === 1;
  const body = { kind: 'read', path: absolute(path, cwd) };
  return [content !== undefined && isWhole ? { body, content: Buffer.from(content) } : { body }];
}

function written(path: string | undefined, text: string | null | undefined, cwd: string | undefined): Derived[] {
  if (!path) return [];
  const body = { kind: 'write', path: absolute(path, cwd) };
  return [typeof text === 'string' ? { body, content: Buffer.from(text) } : { body }];
}

/** Whether the user changed what the agent was about to write: then what was written is not what the call says. */
function isChanged(told: JsonObject | undefined): boolean {
  return told?.['userModified'] === true;
}

function write(input: JsonObject, told: JsonObject | undefined, cwd: string | undefined): Derived[] {
  const path = textOf(told?.['filePath']) || textOf(input['file_path']);
  const text = textOf(told?.['content']) ?? textOf(input['content']);
  return written(path, isChanged(told) ? null : text, cwd);
}

function editsOf(input: JsonObject, told: JsonObject | undefined): TextEdit[] | null {
  const list = Array.isArray(told?.['edits']) ? told['edits'] : input['edits'];
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

function edit(input: JsonObject, told: JsonObject | undefined, cwd: string | undefined): Derived[] {
  const path = textOf(told?.['filePath']) || textOf(input['file_path']);
  const original = textOf(told?.['originalFile']) ?? textOf(told?.['originalFileContents']);
  // What the result tells of the edit counts: it has the words as they were found in the file.
  const single = textOf(told?.['oldString']) !== undefined ? [told as JsonObject] : undefined;
  const edits = single ? editsOf({ edits: single }, undefined) : editsOf(input, told);
  // An edit that replaces nothing makes the file.
  let text: string | null = original ?? (edits?.[0]?.before === '' ? '' : null);
  for (const step of edits ?? []) text = text === null ? null : applyEdit(text, step);
  return written(path, edits && !isChanged(told) ? text : null, cwd);
}

function command(input: JsonObject, result: Result): Derived[] {
  const line = textOf(input['command']);
  if (!line?.trim()) return [];
  const told = objectOf(result.told);
  const failure = result.failed ? /^(?:Error: )?Exit code (\d{1,9})(?:\n|$)/.exec(result.text) : null;
  if (result.failed && !failure && NEVER_RAN.test(result.text)) return [];
  // A code that Claude Code explains ("No matches found") was not 0, and which it was is not told.
  const isUnknown =
    result.failed ||
    told?.['interrupted'] === true ||
    told?.['backgroundTaskId'] !== undefined ||
    told?.['returnCodeInterpretation'] !== undefined ||
    input['run_in_background'] === true;
  const shown = [textOf(told?.['stdout']), textOf(told?.['stderr'])].filter((text) => text);
  const output = told?.['stdout'] !== undefined && told['isImage'] !== true ? shown.join('\n') : result.text;
  const duration = numberOf(told?.['durationMs']);
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

function todos(input: JsonObject): Derived[] {
  const marks: Record<string, string> = { completed: '[x]', in_progress: '[>]' };
  const list = Array.isArray(input['todos']) ? input['todos'] : [];
  const lines = list.flatMap((item: JsonValue) => {
    const content = isObject(item) ? textOf(item['content']) : undefined;
    return content === undefined ? [] : [`- ${marks[String(objectOf(item)?.['status'])] ?? '[ ]'} ${content}`];
  });
  return lines.length > 0 ? [{ body: { kind: 'plan', content: lines.join('\n') } }] : [];
}

/** What follows from a call that got its result. `cwd` is where the agent worked. Nothing follows from what was refused. */
export function derive(name: string, input: JsonValue, result: Result, cwd: string | undefined): Derived[] {
  if (isRefused(result)) return [];
  const fields = objectOf(input) ?? {};
  const told = objectOf(result.told);
  if (name === 'Bash' || name === 'PowerShell') return command(fields, result);
  if (result.failed) return [];
  switch (name) {
    case 'Read':
      return read(fields, told, cwd);
    case 'Write':
      return write(fields, told, cwd);
    case 'Edit':
    case 'MultiEdit':
      return edit(fields, told, cwd);
    case 'NotebookEdit':
      return written(textOf(fields['notebook_path']) || textOf(told?.['notebook_path']), null, cwd);
    case 'TodoWrite':
      return todos(fields);
    case 'ExitPlanMode': {
      const content = textOf(told?.['plan']) || textOf(fields['plan']);
      return content ? [{ body: { kind: 'plan', content } }] : [];
    }
    default:
      return [];
  }
}
