/** What was done over the protocol: by a call of a tool, by requests for files, and in terminals. Each is told once. */

import { isObject, type JsonObject, type JsonValue, numberOf, objectOf, textOf } from '../../core/json.ts';
import type { ToolRecord } from '../../core/session/hook-event.ts';
import { commandDeed, deleteDeed, readDeed, writeDeed } from '../shared/deeds.ts';
import { idOf } from '../shared/fields.ts';
import type { Result, ToolPart } from '../shared/parts.ts';
import { accounted, type Claim, type Diff, withTouched } from './touched.ts';

const COMMAND_LIMIT = 1024;
/** How much of a terminal's output is remembered: its end. */
const OUTPUT_LIMIT = 1024;
const TERMINALS_LIMIT = 8;

/** The items of a call's content, and of its result's. */
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

/** What changed in each file: where there was none before, all of it is told. */
function written(items: readonly JsonObject[], cwd: string | undefined): Claim[] {
  const files = new Map<string, Diff[]>();
  for (const item of items) {
    const path = textOf(item['path']);
    const diff = { before: textOf(item['oldText']) ?? null, now: textOf(item['newText']) };
    if (path !== undefined) files.set(path, [...(files.get(path) ?? []), diff]);
  }
  return [...files].flatMap(([path, diffs]) => {
    // What a call has told when it began, its result may say once more.
    const isWhole = diffs.every(({ before, now }) => before === null && now === diffs[0]?.now);
    return writeDeed(path, cwd, isWhole ? diffs[0]?.now : undefined).map((deed) => ({ deed, diffs }));
  });
}

/** An exit code, as agents that give no number put it into words. */
const EXIT = /\bexit(?:ed)?(?: with)? (?:code|status)[:=]? (-?\d{1,9})\b/gi;

/** A command that has ended. Of one that failed, only an exit code tells that it has run at all. */
function ran(input: JsonObject | undefined, { content, text, told, failed }: Result): ToolRecord[] {
  const command = input?.['command'];
  const line = Array.isArray(command) ? command.map(String).join(' ') : textOf(command);
  const output = objectOf(told) ?? objectOf(content);
  const code = numberOf(output?.['exit_code']) ?? numberOf(output?.['exitCode']);
  if (!failed || code !== undefined) return commandDeed(line, code, text);
  // What the agent says of it stands behind the output. One that ended with 0 has failed of something else.
  const words = Number([...text.matchAll(EXIT)].at(-1)?.[1] ?? 0);
  return words === 0 ? [] : commandDeed(line, words, text);
}

function done(
  kind: string,
  input: JsonObject | undefined,
  result: Result,
  part: ToolPart | undefined,
  cwd: string | undefined,
): Claim[] {
  const bare = (deeds: ToolRecord[]): Claim[] => deeds.map((deed) => ({ deed, diffs: [] }));
  const items = itemsOf(part, result);
  // A terminal tells its command itself.
  if (kind === 'execute' && items.every(({ type }) => type !== 'diff'))
    return items.some(({ type }) => type === 'terminal') ? [] : bare(ran(input, result));
  if (result.failed) return [];
  const diffs = items.filter(({ type }) => type === 'diff');
  if (diffs.length > 0) return written(diffs, cwd);
  const paths = pathsOf(input, part);
  if (kind === 'read') return bare(paths.flatMap((path) => readDeed(path, cwd)));
  if (kind === 'edit') return bare(paths.flatMap((path) => writeDeed(path, cwd)));
  return kind === 'delete' ? bare(paths.flatMap((path) => deleteDeed(path, cwd))) : [];
}

/** A call with its result: what it did, but for what requests have told. */
export function derive(
  kind: string,
  input: JsonValue,
  result: Result,
  cwd: string | undefined,
  { part, memory }: { part: ToolPart | undefined; memory: JsonObject },
): { deeds: ToolRecord[]; memory: JsonObject } {
  return accounted(memory, done(kind, objectOf(input), result, part, cwd), result.callId);
}

/** A terminal that is open: its command, the end of its output, its exit code once that is told, and the call that shows it. */
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

/** The command that a terminal is made for. */
export function commandOf(params: JsonObject): string {
  const words = Array.isArray(params['args']) ? params['args'].map(String) : [];
  return [textOf(params['command']) ?? '', ...words].join(' ').slice(0, COMMAND_LIMIT);
}

export function openTerminal(memory: JsonObject, id: string, command: string): JsonObject {
  const one: Terminal = { id, call: null, command, output: '', exit_code: null };
  return { terminals: [...terminalsOf(memory), one].slice(-TERMINALS_LIMIT) };
}

/** Notes what a terminal has put out, and how its command came to its end. */
export function hearTerminal(memory: JsonObject, id: string, told: JsonObject): JsonObject {
  const exit = objectOf(told['exitStatus']) ?? told;
  const code = numberOf(exit['exitCode']);
  const output = textOf(told['output'])?.slice(-OUTPUT_LIMIT);
  const terminals = terminalsOf(memory).map((one) =>
    one.id === id ? { ...one, exit_code: code ?? one.exit_code, output: output ?? one.output } : one,
  );
  return { terminals };
}

/** Notes which terminals a call shows: what runs there is what the call does. */
export function showTerminals(memory: JsonObject, call: string, content: JsonValue | undefined): JsonObject {
  const shown = (Array.isArray(content) ? content : []).flatMap((item) => idOf(objectOf(item)?.['terminalId']) ?? []);
  if (shown.length === 0) return {};
  return { terminals: terminalsOf(memory).map((one) => (shown.includes(one.id) ? { ...one, call } : one)) };
}

/** What was done in a terminal, and by which call where one shows it. */
interface Told {
  deeds: ToolRecord[];
  callId?: string;
}

/** Tells what ran in one terminal, or in all that are left. */
export function closeTerminals(memory: JsonObject, id: string | null): { told: Told[]; memory: JsonObject } {
  const all = terminalsOf(memory);
  const closed = all.filter((one) => id === null || one.id === id);
  const told = closed.map(({ call, command, exit_code, output }): Told => {
    const deeds = commandDeed(command, exit_code, output);
    return call === null ? { deeds } : { deeds, callId: call };
  });
  const touched = told.reduce(
    (before, { deeds, callId }) => withTouched(before, deeds, { call: callId ?? null }),
    memory,
  );
  const terminals = all.filter((one) => !closed.includes(one));
  return { told, memory: { terminals, touched: touched['touched'] ?? [] } };
}
