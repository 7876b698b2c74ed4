/** An agent's list of MCP servers with that of ctx in it, or without: from text to text, everything else as it was. */
import { CtxError } from './errors.ts';
import type { HookState } from './hook-settings.ts';
import type { JsonObject, JsonValue } from './json.ts';
import { addChild, lineAt, type Node, plainValue, propertiesOf, readJsonc, removeChild, replaceNode } from './jsonc.ts';

/** The program that the server is started with. */
export interface ServerProgram {
  /** Path of the node that runs ctx now. */
  node: string;
  /** Path of this package's `dist/ctx.cjs`. */
  program: string;
}

/** Edits of a text that lists servers; null is a missing file. Each throws `invalid_settings` if a text cannot be parsed. */
export interface ServerText {
  /** @throws {CtxError} invalid_settings too if the user has a server of the same name */
  install: (text: string | null) => string;
  uninstall: (text: string, before: string | null) => string | null;
  state: (text: string | null) => HookState;
}

/** The name of the server in the settings. */
export const SERVER = 'ctx';

/** Returns whether a command line starts the server of ctx, from wherever. */
export const isOwnServer = (words: readonly unknown[]): boolean =>
  words.at(-1) === 'mcp' && /(?:^|[\\/])ctx\.cjs$/.test(String(words.at(-2)));

export function refusedServer(file: string, why: string): CtxError {
  return new CtxError('invalid_settings', `${file}, ${why}`, {
    hint: 'Nothing was changed. Correct the file and run the command again.',
  });
}

/** Says that the user has a server of the same name. */
export const takenServer = (file: string, line: number): CtxError =>
  new CtxError('invalid_settings', `${file}, line ${line}: it has another server that is named ${SERVER}`, {
    hint: 'Nothing was changed. Give that server another name, and run the command again.',
  });

/** Place and form of the servers that an agent lists in JSON. */
export interface JsonServers {
  /** The key of the list. */
  key: string;
  entryOf: (server: ServerProgram) => JsonObject;
}

/** A server as most agents take it. */
export const commandAndArguments = ({ node, program }: ServerProgram): JsonObject => ({
  command: node,
  args: [program, 'mcp'],
});

/** A document that was read. */
interface Read {
  text: string;
  mark: string;
  root: Node | undefined;
  list: Node | undefined;
  own: Node | undefined;
}

const under = (node: Node | undefined, key: string): Node | undefined =>
  node?.type === 'object' ? propertiesOf(node).findLast((property) => property.key === key)?.value : undefined;

/** Returns the words of a server's command line. */
function wordsOf(entry: JsonValue): unknown[] {
  const { command, args } = (entry ?? {}) as JsonObject;
  return [command, args].flatMap((one) => (Array.isArray(one) ? one : one === undefined ? [] : [one]));
}

/** Returns the edits of settings in JSON, which may have comments. */
export function jsonServerText({ key, entryOf }: JsonServers, program: ServerProgram, file: string): ServerText {
  const wanted = entryOf(program);
  const read = (given: string): Read => {
    const mark = given.startsWith('\ufeff') ? '\ufeff' : '';
    const text = given.slice(mark.length);
    let root: Node | undefined;
    try {
      root = readJsonc(text);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw refusedServer(file, error.message);
    }
    const refuse = (node: Node, why: string): never => {
      throw refusedServer(file, `line ${lineAt(text, node.offset)}: ${why}`);
    };
    if (root && root.type !== 'object') refuse(root, 'it is not a JSON object');
    const list = under(root, key);
    if (list && list.type !== 'object') refuse(list, `"${key}" must be an object of servers`);
    return { text, mark, root, list, own: under(list, SERVER) };
  };
  const isOurs = (node: Node | undefined): boolean => node !== undefined && isOwnServer(wordsOf(plainValue(node)));
  const install = (given: string | null): string => {
    const { text, mark, root, list, own } = read(given ?? '');
    if (own && !isOurs(own)) throw takenServer(file, lineAt(text, own.offset));
    if (own)
      return JSON.stringify(plainValue(own)) === JSON.stringify(wanted)
        ? (given ?? '')
        : mark + replaceNode(text, own, wanted);
    if (!root) return install(`${mark}${text}${/(^|[\r\n])$/.test(text) ? '' : '\n'}{}\n`);
    return list
      ? mark + addChild(text, root, list, wanted, SERVER)
      : install(mark + addChild(text, root, root, {}, key));
  };
  const isFrom = (text: string, before: string | null): boolean => {
    try {
      return !isOurs(read(before ?? '').own) && install(before) === install(text);
    } catch (error) {
      if (error instanceof CtxError) return false;
      throw error;
    }
  };
  return {
    install,
    state: (given) => {
      const { own } = read(given ?? '');
      if (!isOurs(own)) return 'none';
      return install(given) === given ? 'current' : 'outdated';
    },
    uninstall: (given, before) => {
      const { text, mark, root, list, own } = read(given);
      if (!own || !isOurs(own) || !list || !root) return given;
      if (isFrom(given, before)) return before;
      const isAlone = list.children?.length === 1 && (before === null || !read(before).list);
      const left = isAlone ? removeChild(text, root, list.parent as Node) : removeChild(text, list, own.parent as Node);
      return before === null && /^\{\s*\}\s*$/.test(left) ? null : mark + left;
    },
  };
}
