/** The files that ctx puts among the plugins of pi and opencode, run as those run them: by events, in a process like any other. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PLUGIN } from '../../../src/agents/opencode/plugin.ts';
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

/** What a file of ours gives when it is loaded. @param command or what stands in for the processes that it begins */
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

/** Where a session of pi's stands. */
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

/** opencode with our plugin in it. @param parents of sessions, for who asks; null where nobody is answered */
export async function opencodeWith(
  command: string | Spawn,
  directory: string,
  parents: Record<string, string> | null = {},
): Promise<OpencodeHooks> {
  const { ctx } = await load('opencode', command);
  const get = ({ path: { id } }: { path: { id: string } }) =>
    parents ? Promise.resolve({ data: { parentID: parents[id] } }) : new Promise(() => {});
  return (await ctx?.({ directory, client: { session: { get } } })) as OpencodeHooks;
}
