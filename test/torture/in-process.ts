/** Commands run in this very process, through the same values as on the command line: for what is done without a fault. */
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { openRepository, type Repository } from '../../src/app/open.ts';
import type { App } from '../../src/cli/frame/command.ts';
import { parseFully } from '../../src/cli/parser.ts';
import { guardVerbatim, type Parsed, parseQuick } from '../../src/cli/quick.ts';
import { HOT_COMMANDS } from '../../src/cli/table.ts';
import { CtxError } from '../../src/core/errors.ts';
import { homeOf } from './homes.ts';
import { NOW, ROOT } from './program.ts';

// A hook opens the store of its conversation by itself.
process.env['CTX_NOW'] = String(NOW);
// The doctor looks at the program that hooks call.
process.argv[1] = join(ROOT, 'dist', 'ctx.cjs');

/** Opens the store of a project at the fixed time. */
export function openProject(project: string, now = NOW): Repository {
  return openRepository({ directory: project, clock: () => now, lockWait: 2000 });
}

/** The result of a command, or the error of its refusal. Anything but a CtxError is thrown. */
export type Answer = { result: unknown; error: null } | { result: null; error: CtxError };

/** Runs a command line on a project. */
export async function runHere(project: string, words: readonly string[], input = '', now = NOW): Promise<Answer> {
  let opened: Repository | undefined;
  try {
    const guarded = guardVerbatim(words);
    const parsed = await parse(guarded);
    const session = parsed.globals.session ?? null;
    const dashes = guarded.indexOf('--');
    const repository: App['repository'] = (options) => {
      opened ??= openRepository({ directory: project, clock: () => now, lockWait: 2000, session, ...options });
      return opened;
    };
    const app: App = {
      repository,
      watched: (_doing, options) => repository(options),
      interruptible: async (work) => work(),
      notices: () => [],
      mirror: async () => undefined,
      finishFiles: async () => undefined,
      canPick: false,
      checkStore: () => undefined,
      directory: resolve(project),
      store: undefined,
      environment: { ...process.env, HOME: homeOf(project, words) },
      json: true,
      answer: null,
      story: null,
      text: (value) => (value === '-' ? [Buffer.from(input)] : value),
      behindDashes: dashes < 0 ? [] : guarded.slice(dashes + 1),
      input: () => [Buffer.from(input)],
      stdin: Readable.from([Buffer.from(input)]),
      output: async () => true,
      note: () => undefined,
      ask: () => null,
      bytes: (pieces) => {
        for (const _ of pieces);
      },
      remark: () => undefined,
      warn: () => undefined,
      progress: { show: () => undefined, end: () => undefined },
    };
    const result = await parsed.command.run(app, parsed.input as Record<string, unknown>);
    return { result: settle(result), error: null };
  } catch (error) {
    if (error instanceof CtxError) return { result: null, error };
    throw error;
  } finally {
    // Thousands of stores are opened in this process, one after the other.
    opened?.objects.close();
  }
}

/** Command lines that were read before: the same few are run over and over. */
const read = new Map<string, Parsed>();

async function parse(words: readonly string[]): Promise<Parsed> {
  const line = words.join('\0');
  const known = read.get(line) ?? parseQuick(words, HOT_COMMANDS);
  if (known) return known;
  const parsed = await parseFully(words);
  if ('told' in parsed) throw new Error(`${words.join(' ')} asks for help`);
  read.set(line, parsed);
  return parsed;
}

/** Turns pieces that come one by one into a list. */
function settle(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (Symbol.iterator in value) return [...(value as Iterable<unknown>)].map(settle);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, settle(item)]));
}
