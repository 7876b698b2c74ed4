/** The tools of the agents: one name for those that do the same, and what of an input a pattern is compared with. */
import { isObject, type JsonObject, type JsonValue, textOf } from '../json.ts';

/** The tool that runs a command. */
export const commandTool = 'Bash';
/** The tool that changes a file. */
export const editTool = 'Edit';
const READ = 'Read';

/** The names that agents give to such tools, in lower case. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  [commandTool]: ['bash', 'shell', 'local_shell', 'exec_command', 'run_shell_command', 'execute', 'run_terminal_cmd'],
  [editTool]: [
    ...['edit', 'write', 'multiedit', 'notebookedit', 'write_file', 'replace', 'apply_patch', 'patch'],
    ...['str_replace', 'create', 'edit_file', 'search_replace', 'delete_file', 'delete', 'move'],
  ],
  [READ]: ['read', 'read_file', 'read_many_files', 'view', 'notebookread'],
  WebFetch: ['webfetch', 'web_fetch', 'fetch'],
  WebSearch: ['websearch', 'web_search', 'google_web_search', 'search'],
};

const BY_NAME = new Map(Object.entries(NAMES).flatMap(([tool, names]) => names.map((name) => [name, tool] as const)));

/** Returns the name that ctx has for a tool of an agent; its own name if ctx has none. */
export const toolNamed = (name: string): string => BY_NAME.get(name.toLowerCase()) ?? name;

/** Subject that a tool is used on: a command, paths or a text. */
export type Subject =
  | { of: 'command'; command: string }
  | { of: 'paths'; paths: readonly string[] }
  | { of: 'text'; text: string }
  /** The input does not say it: patterns cannot be compared. */
  | { of: 'unknown' };

const PATH_KEYS = ['file_path', 'path', 'absolute_path', 'abs_path', 'filePath', 'notebook_path', 'target_file'];
const TEXT_KEYS = ['url', 'query', 'prompt', 'pattern', 'name'];
/** A file in a patch, as Codex and opencode write it. */
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm;

/** Finds what a tool is used for in its input. */
export function subjectOf(tool: string, input: JsonValue): Subject {
  if (tool === commandTool) return commandIn(input);
  if (tool === editTool || tool === READ) {
    const paths = pathsIn(input);
    return paths.length > 0 ? { of: 'paths', paths } : { of: 'unknown' };
  }
  if (typeof input === 'string') return { of: 'text', text: input };
  if (!isObject(input)) return { of: 'unknown' };
  const text = TEXT_KEYS.map((key) => textOf(input[key])).find((one) => one !== undefined);
  return text === undefined ? { of: 'unknown' } : { of: 'text', text };
}

const SHELL_PROGRAM = /(?:^|\/)(?:ba|z|da|k)?sh$/;

function commandIn(input: JsonValue): Subject {
  if (typeof input === 'string') return { of: 'command', command: input };
  const given = isObject(input) ? (input['command'] ?? input['cmd'] ?? input['script']) : undefined;
  if (typeof given === 'string') return { of: 'command', command: given };
  const words = Array.isArray(given) ? given.filter((word) => typeof word === 'string') : [];
  if (!Array.isArray(given) || words.length === 0 || words.length < given.length) return { of: 'unknown' };
  const [program = '', option = '', text] = words;
  // Codex passes the words of a shell that runs the command.
  if (SHELL_PROGRAM.test(program) && /^-l?c$/.test(option) && text !== undefined && words.length === 3)
    return { of: 'command', command: text };
  return { of: 'command', command: words.map(quoted).join(' ') };
}

const quoted = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;

function pathsIn(input: JsonValue): string[] {
  if (typeof input === 'string') return patched(input);
  if (!isObject(input)) return [];
  const own = PATH_KEYS.flatMap((key) => textOf(input[key]) ?? []);
  const list = Array.isArray(input['paths']) ? input['paths'].filter((one) => typeof one === 'string') : [];
  const patch = ['patch', 'patchText', 'input', 'command'].flatMap((key) => patched(textOf(input[key]) ?? ''));
  return [...own, ...list, ...patch, ...editedIn(input)];
}

const patched = (text: string): string[] =>
  [...text.matchAll(PATCHED)].map((match) => (match[1] ?? match[2] ?? '').trim());

/** Returns the files of a call that names several edits. */
const editedIn = ({ edits, changes }: JsonObject): string[] => [
  ...(Array.isArray(edits) ? edits.flatMap((one) => (isObject(one) ? (textOf(one['file_path']) ?? []) : [])) : []),
  ...(isObject(changes) ? Object.keys(changes) : []),
];
