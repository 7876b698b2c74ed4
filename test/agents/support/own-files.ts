/** The files that ctx puts among the plugins of pi and opencode, run as those run them: by events, in a process like any other. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PLUGIN } from '../../../src/agents/opencode/hooks.ts';
import { EXTENSION } from '../../../src/agents/pi/extension.ts';
import { hookFile } from '../../../src/core/hook-file.ts';
import { folder, write } from '../../support/cli.ts';

const SOURCES = { pi: EXTENSION, opencode: PLUGIN };

type Handler = (...words: unknown[]) => unknown;

/** Begins a process. */
type Spawn = () => unknown;

/** A file of ours as it stands among an agent's. */
export const ownFile = (name: keyof typeof SOURCES, command: string): string =>
  write(join(folder('own-'), 'ctx.mjs'), hookFile(SOURCES[name], command));

/** Loads a file of ours, and returns its exports. @param command the command, or a substitute for the processes that it begins */
async function load(name: keyof typeof SOURCES, command: string | Spawn): Promise<Record<string, Handler>> {
  const file = ownFile(name, typeof command === 'string' ? command : '');
  if (typeof command !== 'string') {
    const door = write(`${file}.door.mjs`, 'export const door = {};\nexport const spawn = () => door.spawn();\n');
    write(file, readFileSync(file, 'utf8').replace('"node:child_process"', JSON.stringify(pathToFileURL(door).href)));
    ((await import(pathToFileURL(door).href)) as { door: { spawn: Spawn } }).door.spawn = command;
  }
  return (await import(pathToFileURL(file).href)) as Record<string, Handler>;
}

/** A command that notes what it is told, and answers with a text. */
export function probe(answer = ''): { command: string; told: () => Record<string, unknown>[] } {
  const file = join(folder('told-'), 'told');
  const said = write(`${file}.answer`, answer);
  return {
    command: `cat >>'${file}'; echo >>'${file}'; cat '${said}'`,
    told: () =>
      (existsSync(file) ? readFileSync(file, 'utf8') : '')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}

/** An answer of ctx's. */
export const answerOf = (additionalContext: string): string =>
  JSON.stringify({ hookSpecificOutput: { hookEventName: 'prompt', additionalContext } });

/** Returns a session of pi's in a file. */
export const piSession = (cwd: string, id: string, file: string | undefined): object => ({
  cwd,
  sessionManager: { getSessionId: () => id, getSessionFile: () => file },
});

/** pi with our extension in it: fires an event, and gives what the extension answers. */
export async function piWith(
  command: string | Spawn,
): Promise<(event: string, body: object, session: object) => unknown> {
  const { default: extension } = await load('pi', command);
  const handlers = new Map<string, Handler>();
  extension?.({ on: (event: string, handler: Handler) => handlers.set(event, handler) });
  return (event, body, session) => handlers.get(event)?.({ type: event, ...body }, session);
}

export interface OpencodeHooks {
  event: Handler;
  'chat.message': Handler;
  'tool.execute.after': Handler;
  'experimental.session.compacting': Handler;
  dispose: Handler;
}

/** Our plugin as both generations of opencode load it. */
export async function loadOpencode(command: string | Spawn): Promise<{ id: string; server: Handler; setup: Handler }> {
  const { default: plugin, ...others } = (await load('opencode', command)) as Record<string, unknown>;
  if (Object.keys(others).length > 0) throw new Error('The plugin exports more than opencode takes.');
  return plugin as { id: string; server: Handler; setup: Handler };
}

/** opencode 1 with our plugin in it. @param parents of sessions, for who asks; null where nobody is answered */
export async function opencodeWith(
  command: string | Spawn,
  directory: string,
  parents: Record<string, string> | null = {},
): Promise<OpencodeHooks> {
  const plugin = await loadOpencode(command);
  const get = ({ path: { id } }: { path: { id: string } }) =>
    parents ? Promise.resolve({ data: { parentID: parents[id] } }) : new Promise(() => {});
  return (await plugin.server({ directory, client: { session: { get } } })) as OpencodeHooks;
}

/** Answer of opencode 2 about a session. */
export type SecondSession = { parentID?: string; tokens?: object; location?: { directory: string } };

export interface SecondHost {
  /** Calls the handlers of a hook, one after the other, and gives what they were called with. */
  calls: <Event extends object>(hook: string, event: Event) => Promise<Event>;
  /** Tells of an event. */
  tells: (type: string, data: object, location?: string) => Promise<void>;
  /** Unloads the plugin. */
  unloads: () => Promise<void>;
  /** Names of the hooks that the plugin has registered. */
  hooks: string[];
}

/** Differences between versions of opencode 2. */
export interface SecondOptions {
  /** The folder that the plugin is loaded for; null where a version does not say so. */
  here: string | null;
  sessions?: Record<string, SecondSession>;
  /** Hooks that a version does not know. */
  lacks?: readonly string[];
}

/** opencode 2 with our plugin in it, as its documents describe it. */
export async function secondWith(
  command: string,
  { here, sessions = {}, lacks = [] }: SecondOptions,
): Promise<SecondHost> {
  Reflect.deleteProperty(globalThis, Symbol.for('ctx.runs-in-opencode-1'));
  const { setup } = await loadOpencode(command);
  const handlers = new Map<string, Handler[]>();
  const domain = (name: string) => ({
    hook: async (hook: string, handler: Handler) => {
      const full = `${name}.${hook}`;
      if (lacks.includes(full)) throw new Error(`There is no hook ${full}.`);
      handlers.set(full, [...(handlers.get(full) ?? []), handler]);
      return { dispose: async () => handlers.delete(full) };
    },
  });
  const waiting: ((result: IteratorResult<object>) => void)[] = [];
  const stream = {
    [Symbol.asyncIterator]: () => ({
      next: () => new Promise<IteratorResult<object>>((resolve) => waiting.push(resolve)),
    }),
  };
  const get = async ({ sessionID }: { sessionID: string }) => {
    const found = sessions[sessionID];
    if (!found) throw new Error('There is no such session.');
    return { id: sessionID, ...found };
  };
  const session = { ...domain('session'), get };
  const location = here === null ? {} : { location: { directory: here } };
  const cleanup = await setup({ ...location, session, tool: domain('tool'), event: { subscribe: () => stream } });
  return {
    hooks: [...handlers.keys()],
    calls: async (hook, event) => {
      for (const handler of handlers.get(hook) ?? []) await handler(event);
      return event;
    },
    tells: async (type, data, at) => {
      const event = { id: 'evt_1', type, data, ...(at === undefined ? {} : { location: { directory: at } }) };
      waiting.shift()?.({ done: false, value: event });
      // The plugin has asked for the next one once it has heard this one.
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    },
    unloads: async () => {
      await (cleanup as Handler)();
    },
  };
}
