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
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Main = typeof import('../src/cli/main.ts');

const FOLDER = import.meta.dirname;
/** Node's own, for its own modules. */
const requireOwn = createRequire(import.meta.filename);

/** A file of the program that was loaded. */
interface Part {
  exports: object;
  /** Keeps what V8 has compiled of it by now, where that is not kept yet. */
  keep: () => void;
}

/** By path: the program is loaded in parts, each where it is first needed. */
const parts = new Map<string, Part>();

/** V8 takes no cache that was made under other flags: whoever runs Node with some gets one of their own. */
function flags(): string {
  const given = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`.trim();
  let sum = 0;
  for (let at = 0; at < given.length; at += 1) sum = (Math.imul(sum, 31) + given.charCodeAt(at)) | 0;
  return given === '' ? '' : `-${(sum >>> 0).toString(16)}`;
}

/** Where the code cache of this very part for this very Node lies; V8 checks once more that it fits. */
function cacheFile(file: string): string {
  const { size, mtimeMs } = statSync(file);
  const stamp = `${process.versions.v8}-${process.arch}${flags()}-${size}-${Math.floor(mtimeMs)}`;
  return join(FOLDER, 'cache', `${basename(file)}-${stamp}.bin`);
}

function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Keeps what V8 has compiled; where the folder is not ours to write to, there is no cache, and that is fine. */
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
    discard(temporary);
  }
}

function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // There is no folder that it could lie in.
  }
}

/** Compiles all of it at once: what is kept then serves every command, whichever comes first. */
function compileWhole(source: string, filename: string): Script {
  const { setFlagsFromString } = requireOwn('node:v8') as typeof import('node:v8');
  setFlagsFromString('--no-lazy');
  try {
    return new Script(source, { filename });
  } finally {
    setFlagsFromString('--lazy');
  }
}

/** Compiles a part from the cache. The build runs the hot commands for one, which has what they use and no more. */
function compile(file: string): { script: Script; keep: Part['keep'] } {
  const source = readFileSync(file, 'latin1');
  const cache = cacheFile(file);
  const cachedData = readCache(cache);
  if (cachedData) {
    const script = new Script(source, { filename: file, cachedData });
    // V8 would not compile the same text a second time: the next process makes it anew.
    return { script, keep: () => (script.cachedDataRejected ? discard(cache) : undefined) };
  }
  const isWarming = process.env.CTX_WARM !== undefined;
  const script = isWarming ? new Script(source, { filename: file }) : compileWhole(source, file);
  return { script, keep: () => writeCache(cache, script) };
}

/** Loads a part as Node itself would. The build leaves nothing but ASCII in it, and puts a function around it. */
function load(file: string): object {
  const known = parts.get(file);
  if (known) return known.exports;
  const { script, keep } = compile(file);
  const folder = dirname(file);
  const require = (name: string): unknown => (name.startsWith('.') ? load(join(folder, name)) : requireOwn(name));
  const part: Part = { exports: {}, keep };
  // Parts require each other: whoever does gets this one, as far as it is.
  parts.set(file, part);
  script.runInThisContext()(part.exports, require, part, file, folder);
  return part.exports;
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
const program = load(join(FOLDER, 'main.cjs')) as Main;
// Everything is written by the time `main` is done: nothing is left to wait for.
void run(program).then((code) => {
  for (const { keep } of parts.values()) keep();
  process.exit(code);
});
