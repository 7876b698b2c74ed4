/** The MCP servers in Codex's `config.toml`: a table of ctx's own at the end of it, everything else as it was. */
import { CtxError } from '../../core/errors.ts';
import { isObject, objectOf } from '../../core/json.ts';
import {
  isOwnServer,
  refusedServer,
  SERVER,
  type ServerProgram,
  type ServerText,
  takenServer,
} from '../../core/server-settings.ts';
import { readToml } from './review.ts';

const HEADER = new RegExp(`^[ \\t]*\\[[ \\t]*mcp_servers[ \\t]*\\.[ \\t]*["']?${SERVER}["']?[ \\t]*\\]`, 'm');
/** The beginning of a table that is not below that of ctx. */
const NEXT = new RegExp(`^[ \\t]*\\[(?![ \\t]*mcp_servers[ \\t]*\\.[ \\t]*["']?${SERVER}["']?[ \\t]*\\.)`, 'm');

/** A text that was read. */
interface Read {
  /** The command line of the server of this name; null if there is none. */
  words: unknown[] | null;
  /** Offsets at which its table begins and ends; null if it has none of its own. */
  place: [begin: number, end: number] | null;
}

function readServers(text: string, file: string): Read {
  let entry: unknown;
  try {
    entry = objectOf(readToml(text)['mcp_servers'] as never)?.[SERVER];
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw refusedServer(file, error.message);
  }
  const words = isObject(entry as never) ? [(entry as { command?: unknown }).command] : null;
  const args: unknown = words && (entry as { args?: unknown }).args;
  const header = HEADER.exec(text);
  if (!header) return { words: words?.concat(args) ?? null, place: null };
  const behind = header.index + header[0].length;
  const next = NEXT.exec(text.slice(behind));
  return { words: words?.concat(args) ?? null, place: [header.index, next ? behind + next.index : text.length] };
}

/** Returns the edits of `config.toml`. */
export function tomlServerText({ node, program }: ServerProgram, file: string): ServerText {
  const text = (word: string): string => JSON.stringify(word);
  const table = `[mcp_servers.${SERVER}]\ncommand = ${text(node)}\nargs = [${text(program)}, "mcp"]\n`;
  const install = (given: string | null): string => {
    const before = given ?? '';
    const { words, place } = readServers(before, file);
    if (words && !isOwnServer(words)) throw takenServer(file, before.slice(0, place?.[0] ?? 0).split('\n').length);
    if (words && place) {
      const same = words[0] === node && words[1] === program;
      return same
        ? before
        : before.slice(0, place[0]) + table + gapBefore(before.slice(place[1])) + before.slice(place[1]);
    }
    const end = before === '' || before.endsWith('\n') ? before : `${before}\n`;
    const after = `${end}${end === '' ? '' : '\n'}${table}`;
    // A list of servers that is written in one line takes no table.
    if (readServers(after, file).words?.[1] !== program)
      throw refusedServer(file, 'line 1: it has no place for a server');
    return after;
  };
  return {
    install,
    state: (given) => {
      const { words } = readServers(given ?? '', file);
      if (!words || !isOwnServer(words)) return 'none';
      return words[0] === node && words[1] === program ? 'current' : 'outdated';
    },
    uninstall: (given, before) => {
      const { words, place } = readServers(given, file);
      if (!words || !place || !isOwnServer(words)) return given;
      if (isFrom(given, before, install)) return before;
      const left = given.slice(0, place[0]).replace(/\n\n$/, '\n') + given.slice(place[1]);
      return left.trim() === '' && before === null ? null : left;
    },
  };
}

const gapBefore = (rest: string): string => (rest === '' ? '' : '\n');

function isFrom(text: string, before: string | null, install: (text: string | null) => string): boolean {
  try {
    return install(before) === install(text) && install(before) !== before;
  } catch (error) {
    if (error instanceof CtxError) return false;
    throw error;
  }
}
