/** A build with a known fault in it, made for the harness alone: a harness that does not see it proves nothing. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputOptions, type Plugin, type RolldownOptions, rolldown } from 'rolldown';
import { ROOT, withFault } from './program.ts';

/** Code in place of the durable writes: the file itself is emptied and filled, and nothing waits for the disk. */
const PLAIN = `
function plainWrite(path: string, content: string | Buffer): void {
  makeFolder(dirname(path), { fsync: false });
  const handle = openSync(path, 'w', FILE_MODE);
  writeAll(handle, Buffer.from(content as string));
  closeSync(handle);
}
export function renameDurably(from: string, to: string, _durability: Durability): void {
  plainWrite(to, readFileSync(from));
  unlinkSync(from);
}
export function writeDurably(path: string, _temporary: string, content: string | Buffer, _durability: Durability): void {
  plainWrite(path, content);
}
`;

/**
 * Faults of a build in place of durable writes: ones that do not wait for the disk at all, or not for the names; and
 * one can hide what goes wrong in its hooks.
 */
export const FAULTS = ['plain writes', 'no fsync', 'no fsync of folders', 'silent hooks'] as const;
export type Fault = (typeof FAULTS)[number];

/** Code in place of the wait for a folder's names. */
const SKIPPED = `
export function syncFolder(_path: string, _durability: Durability): void {}
`;

/** Code in place of the note of a failure. */
const SILENT = `
export function noteHookError(_layout: Pick<Layout, 'hookErrors'>, _error: HookError): void {}
`;

const FILES = join('platform', 'files.ts');

/** Changes the text of a source file. */
const SPOILED: Record<Fault, (code: string, path: string) => string> = {
  'plain writes': (code, path) => {
    if (path !== FILES) return code;
    return code.replace(/export function (renameDurably|writeDurably)\(/g, 'function careful_$1(') + PLAIN;
  },
  'no fsync': (code) => {
    const skipped = code.replace(/\bfsyncSync\(/g, 'skipSync(');
    return skipped === code ? code : `${skipped}\nfunction skipSync(_handle: number): void {}\n`;
  },
  'no fsync of folders': (code, path) =>
    path === FILES ? code.replace('export function syncFolder(', 'function careful_syncFolder(') + SKIPPED : code,
  'silent hooks': (code, path) =>
    path === join('history', 'store', 'hook-errors.ts')
      ? code.replace('export function noteHookError(', 'function careful_noteHookError(') + SILENT
      : code,
};

/** Puts a fault into the source; notes the files that it was put into. */
function spoil(fault: Fault, spoiled: Set<string>): Plugin {
  const source = join(ROOT, 'src', '/');
  return {
    name: 'known-bad',
    transform(code, id) {
      if (!id.startsWith(source)) return null;
      const bad = SPOILED[fault](code, id.slice(source.length));
      if (bad === code) return null;
      spoiled.add(id.slice(source.length));
      return bad;
    },
  };
}

/** The entry, and what it loads. */
const PROGRAMS = ['ctx', 'main', 'hook'];

/** Builds the program with a fault into a folder; gives the program. */
export async function buildKnownBad(folder: string, fault: Fault = 'plain writes'): Promise<string> {
  const load = async (path: string): Promise<Record<string, unknown>> =>
    (await import(pathToFileURL(join(ROOT, path)).href)) as Record<string, unknown>;
  const configs = (await load('rolldown.config.mjs'))['default'] as RolldownOptions[];
  const bundleFolder = (await load('.ci/bundle-folder.mjs'))['bundleFolder'] as (
    dist: string,
    chunks: string,
    isParts: boolean,
  ) => Plugin;
  for (const config of configs) {
    const output = config.output as OutputOptions;
    const name = Object.keys(config.input as object).join();
    if (!PROGRAMS.includes(name)) continue;
    const isEntry = name === 'ctx';
    const spoiled = new Set<string>();
    const chunks = String(output.chunkFileNames).split('/')[0] as string;
    const build = await rolldown({
      ...config,
      cwd: ROOT,
      plugins: [spoil(fault, spoiled), bundleFolder(folder, chunks, !isEntry)],
    });
    await build.write({ ...output, dir: folder });
    await build.close();
    if (!isEntry && spoiled.size === 0) throw new Error(`there was nowhere in ${name} to put ${fault}`);
  }
  const program = withFault(join(folder, 'ctx.cjs'));
  // One that does not run would be caught for that alone.
  for (const words of [['--version'], ['hook', 'claude-code']])
    execFileSync(process.execPath, [program, ...words], { cwd: folder, input: '{}' });
  return program;
}
