/** The records of what was done over the protocol: by calls of tools, by requests for files, and in terminals, each of them once. */

import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { idOf } from '../shared/fields.ts';
import type { Result, ToolPart } from '../shared/parts.ts';
import { recordCommand, recordDelete, recordRead, recordWrite } from '../shared/tool-records.ts';
import { type Claim, type Diff, unclaimed, withGiven } from './request-records.ts';

const COMMAND_LIMIT = 1024;
/** The length of a terminal's output that is remembered, from its end. */
const OUTPUT_LIMIT = 1024;
const TERMINALS_LIMIT = 8;

/** Returns the items of a call's content, and of its result's. */
function itemsOf(part: ToolPart | undefined, result: Result): JsonObject[] {
  const lists = [part?.['content'], result.content].map((list) => (Array.isArray(list) ? list : []));
  return lists.flat().filter(isObject);
}

function pathsOf(input: JsonObject | undefined, part: ToolPart | undefined): string[] {
  const own = textOf(input?.['path']) ?? textOf(input?.['file_path']) ?? textOf(input?.['abs_path']);
  if (own !== undefined) return [own];
  const locations = Array.isArray(part?.['locations']) ? part['locations'] : [];
  return [...new Set(locations.flatMap((place: JsonValue) => textOf(objectOf(place)?.['path']) ?? []))];
}

/** Returns the record of each changed file, with its whole content if there was no file before. */
function writtenRecords(items: readonly JsonObject[], cwd: string | undefined): Claim[] {
  const files = new Map<string, Diff[]>();
  for (const item of items) {
    const path = textOf(item['path']);
    const diff = { before: textOf(item['oldText']) ?? null, now: textOf(item['newText']) };
    if (path !== undefined) files.set(path, [...(files.get(path) ?? []), diff]);
  }
  return [...files].flatMap(([path, diffs]) => {
    // The result may repeat what the call contained when it began.
    const isWhole = diffs.every(({ before, now }) => before === null && now === diffs[0]?.now);
    return recordWrite(path, cwd, isWhole ? diffs[0]?.now : undefined).map((record) => ({ record, diffs }));
  });
}

/** An exit code in the words of an agent that gives no number. */
const EXIT = /\bexit(?:ed)?(?: with)? (?:code|status)[:=]? (-?\d{1,9})\b/gi;

/** Returns the record of a command that has ended. If it failed, only an exit code shows that it ran at all. */
function commandRecords(input: JsonObject | undefined, { content, text, structured, failed }: Result): ToolRecord[] {
  const command = input?.['command'];
  const line = Array.isArray(command) ? command.map(String).join(' ') : textOf(command);
  const output = objectOf(structured) ?? objectOf(content);
  const code = numberOf(output?.['exit_code']) ?? numberOf(output?.['exitCode']);
  if (!failed || code !== undefined) return recordCommand(line, code, text);
  // The agent's own words are after the output. A command that ended with 0 failed for another reason.
  const words = Number([...text.matchAll(EXIT)].at(-1)?.[1] ?? 0);
  return words === 0 ? [] : recordCommand(line, words, text);
}

function recordsOf(
  kind: string,
  input: JsonObject | undefined,
  result: Result,
  part: ToolPart | undefined,
  cwd: string | undefined,
): Claim[] {
  const withoutDiffs = (records: ToolRecord[]): Claim[] => records.map((record) => ({ record, diffs: [] }));
  const items = itemsOf(part, result);
  // The terminal's own requests contain its command.
  if (kind === 'execute' && items.every(({ type }) => type !== 'diff'))
    return items.some(({ type }) => type === 'terminal') ? [] : withoutDiffs(commandRecords(input, result));
  if (result.failed) return [];
  const diffs = items.filter(({ type }) => type === 'diff');
  if (diffs.length > 0) return writtenRecords(diffs, cwd);
  const paths = pathsOf(input, part);
  if (kind === 'read') return withoutDiffs(paths.flatMap((path) => recordRead(path, cwd)));
  if (kind === 'edit') return withoutDiffs(paths.flatMap((path) => recordWrite(path, cwd)));
  return kind === 'delete' ? withoutDiffs(paths.flatMap((path) => recordDelete(path, cwd))) : [];
}

/** Returns the records of a call with its result, without those that requests have given. */
export function derive(
  kind: string,
  input: JsonValue,
  result: Result,
  cwd: string | undefined,
  { part, memory }: { part: ToolPart | undefined; memory: JsonObject },
): { records: ToolRecord[]; memory: JsonObject } {
  return unclaimed(memory, recordsOf(kind, objectOf(input), result, part, cwd), result.callId);
}

/** An open terminal: its command, the end of its output, its exit code if it is known, and the call that shows it. */
interface Terminal {
  [key: string]: JsonValue;
  id: string;
  call: string | null;
  command: string;
  output: string;
  exit_code: number | null;
}

function terminalsOf(memory: JsonObject): Terminal[] {
  const list = Array.isArray(memory['terminals']) ? memory['terminals'] : [];
  return list.flatMap((item) => {
    const id = textOf(objectOf(item)?.['id']);
    const command = textOf(objectOf(item)?.['command']);
    if (!isObject(item) || id === undefined || command === undefined) return [];
    const output = textOf(item['output']) ?? '';
    return [{ id, call: idOf(item['call']) ?? null, command, output, exit_code: numberOf(item['exit_code']) ?? null }];
  });
}

/** Returns the command that a terminal is made for. */
export function commandOf(params: JsonObject): string {
  const words = Array.isArray(params['args']) ? params['args'].map(String) : [];
  return [textOf(params['command']) ?? '', ...words].join(' ').slice(0, COMMAND_LIMIT);
}

/** Returns the memory with another open terminal. */
export function openTerminal(memory: JsonObject, id: string, command: string): JsonObject {
  const one: Terminal = { id, call: null, command, output: '', exit_code: null };
  return { terminals: [...terminalsOf(memory), one].slice(-TERMINALS_LIMIT) };
}

/** Returns the memory with the output of a terminal, and the exit code of its command. */
export function updateTerminal(memory: JsonObject, id: string, update: JsonObject): JsonObject {
  const exit = objectOf(update['exitStatus']) ?? update;
  const code = numberOf(exit['exitCode']);
  const output = textOf(update['output'])?.slice(-OUTPUT_LIMIT);
  const terminals = terminalsOf(memory).map((one) =>
    one.id === id ? { ...one, exit_code: code ?? one.exit_code, output: output ?? one.output } : one,
  );
  return { terminals };
}

/** Returns the memory with the terminals that a call shows: what runs there is part of the call. */
export function showTerminals(memory: JsonObject, call: string, content: JsonValue | undefined): JsonObject {
  const shown = (Array.isArray(content) ? content : []).flatMap((item) => idOf(objectOf(item)?.['terminalId']) ?? []);
  if (shown.length === 0) return {};
  return { terminals: terminalsOf(memory).map((one) => (shown.includes(one.id) ? { ...one, call } : one)) };
}

/** The records of a terminal, and the call that shows it if there is one. */
interface TerminalRecords {
  records: ToolRecord[];
  callId?: string;
}

/** Returns the records of one terminal, or of all that are left, and the memory without them. */
export function closeTerminals(
  memory: JsonObject,
  id: string | null,
): { records: TerminalRecords[]; memory: JsonObject } {
  const all = terminalsOf(memory);
  const closed = all.filter((one) => id === null || one.id === id);
  const records = closed.map(({ call, command, exit_code, output }): TerminalRecords => {
    const records = recordCommand(command, exit_code, output);
    return call === null ? { records } : { records, callId: call };
  });
  const touched = records.reduce(
    (before, { records, callId }) => withGiven(before, records, { call: callId ?? null }),
    memory,
  );
  const terminals = all.filter((one) => !closed.includes(one));
  return { records, memory: { terminals, touched: touched['touched'] ?? [] } };
}
