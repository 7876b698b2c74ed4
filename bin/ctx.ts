/** The program `ctx`: loads the rest, from V8's code cache where there is one for this Node. */
// Compiling it anew would cost every hook about a tenth of Node's own start. Without a cache everything works the same.
import {
  chmodSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { createRequire, Module } from 'node:module';
import { join } from 'node:path';
import { Script } from 'node:vm';

type Main = typeof import('../src/cli/main.ts');

const FOLDER = import.meta.dirname;
const PROGRAM = join(FOLDER, 'main.cjs');

/** Where the code cache of this very program for this very Node lies; V8 checks once more that it fits. */
function cacheFile(): string {
  const { size, mtimeMs } = statSync(PROGRAM);
  return join(FOLDER, 'cache', `${process.versions.v8}-${process.arch}-${size}-${Math.floor(mtimeMs)}.bin`);
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Keeps what V8 has compiled by now; where the folder is not ours to write to, there is no cache, and that is fine. */
function writeCache(file: string, script: Script): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(join(FOLDER, 'cache'), { recursive: true });
    // For everybody who runs this program: the mask is the store's.
    chmodSync(join(FOLDER, 'cache'), 0o755);
    const handle = openSync(temporary, 'wx', 0o644);
    writeSync(handle, script.createCachedData());
    fchmodSync(handle, 0o644);
    fsyncSync(handle);
    closeSync(handle);
    renameSync(temporary, file);
  } catch {
    rmSync(temporary, { force: true });
  }
}

/** Loads the program as Node itself would, but from the cache. The build leaves nothing but ASCII in it. */
function load(): { program: Main; keep: () => void } {
  const file = cacheFile();
  const cachedData = readCache(file);
  const script = new Script(Module.wrap(readFileSync(PROGRAM, 'latin1')), { filename: PROGRAM, cachedData });
  const require = createRequire(PROGRAM);
  const module = new Module(PROGRAM);
  module.filename = PROGRAM;
  // The program's own chunks require it back: they must get this one.
  require.cache[PROGRAM] = module;
  script.runInThisContext()(module.exports, require, module, PROGRAM, FOLDER);
  return {
    program: module.exports as Main,
    keep: () => (cachedData && !script.cachedDataRejected ? undefined : writeCache(file, script)),
  };
}

/** The command line; CTX_WARM, which only the build sets, runs several before the cache is kept, each with an input of its own. */
async function run(program: Main): Promise<number> {
  const words = process.argv.slice(2);
  const lines = process.env.CTX_WARM?.split('\n') ?? [];
  for (const line of lines) {
    const [command = '', input] = line.split(' <');
    if (input !== undefined) {
      closeSync(0);
      // The lowest number that is free.
      openSync(input, 'r');
    }
    await program.main([...words, ...command.split(' ')]);
  }
  return lines.length > 0 ? 0 : program.main(words);
}

// Whatever is made from here on, by Git and by libraries too, is the user's alone.
process.umask(0o077);
const { program, keep } = load();
// Everything is written by the time `main` is done: nothing is left to wait for.
void run(program).then((code) => {
  keep();
  process.exit(code);
});
