/** A build with a known fault in it, made for the harness alone: a harness that does not see it proves nothing. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type OutputOptions, type Plugin, type RolldownOptions, rolldown } from 'rolldown';
import { ROOT, withFault } from './program.ts';

/** What stands in the place of the durable writes: the file itself is emptied and filled, and nothing waits for the disk. */
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

/** Puts the plain writes into the source of the platform. */
function spoil(): Plugin {
  return {
    name: 'known-bad',
    transform(code, id) {
      if (!id.endsWith(join('src', 'platform', 'files.ts'))) return null;
      const renamed = code.replace(/export function (renameDurably|writeDurably)\(/g, 'function careful_$1(');
      if (renamed === code) this.error('src/platform/files.ts has no durable writes to replace');
      return renamed + PLAIN;
    },
  };
}

/** Builds the program with plain writes into a folder; gives the program. */
export async function buildKnownBad(folder: string): Promise<string> {
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
    if (name !== 'ctx' && name !== 'main') continue;
    const chunks = String(output.chunkFileNames).split('/')[0] as string;
    const build = await rolldown({
      ...config,
      cwd: ROOT,
      plugins: [spoil(), bundleFolder(folder, chunks, name === 'main')],
    });
    await build.write({ ...output, dir: folder });
    await build.close();
  }
  return withFault(join(folder, 'ctx.cjs'));
}
