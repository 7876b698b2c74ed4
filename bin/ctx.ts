/** The program `ctx`: loads the rest, from V8's code cache where there is one for this Node. */
// Compiling it anew would cost every hook about a tenth of Node's own start. Without a cache everything works the same.
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';

type Main = typeof import('../src/cli/main.ts');
type Hook = typeof import('../src/cli/hook-main.ts');

const FOLDER = import.meta.dirname;
const CACHE = join(FOLDER, 'cache');

/** A file of the program that was loaded. */
interface Part {
  exports: object;
  /** Keeps what V8 has compiled of it by now, where that is not kept yet. */
  keep: () => void;
}

/** By path: the program is loaded in parts, each where it is first needed. */
const parts = new Map<string, Part>();

/** Options that Node was started with. */
const OPTIONS = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? '').split(' ')].filter((word) => word !== '');
/** Those that may be V8's: it takes no cache that was made under others, so whoever uses some gets one of their own. */
const V8_OPTIONS = OPTIONS.filter((word) =>
  /^--(?:max|min|stack|huge|perf|abort|disallow|interpreted|jitless)/.test(word),
);
/** Most caches of a part: somebody's options may be others each time. */
const MOST_CACHES = 8;

/** Sums V8's options, for the name of a file. */
function optionsSum(): string {
  const words = V8_OPTIONS.join(' ');
  let sum = 0;
  for (let at = 0; at < words.length; at += 1) sum = (Math.imul(sum, 31) + words.charCodeAt(at)) | 0;
  return words === '' ? '' : `-${(sum >>> 0).toString(16)}`;
}

/** This Node and its options, under which a cache was made. */
const MADE_UNDER = `${process.versions.v8}-${process.arch}${optionsSum()}`;

/** A name for a part: `main.cjs`, `hook-steps.cjs`. */
const nameOf = (file: string): string => file.slice(FOLDER.length + 1).replace(/[\\/]/g, '-');

/** Length of the sum that the build puts at the end of each part. */
const SUM_LENGTH = 16;

/** Reads the build of a part from the text before its sum. */
const buildOf = (source: string): string => source.slice(-2 * SUM_LENGTH - 2, -SUM_LENGTH - 2);

/** The names by which parts know what others offer are those of one build: with another one the wrong function would be called. */
function replaced(file: string, why: string): Error {
  const message = `${file} ${why}: ctx was replaced while it ran, or is not installed whole.`;
  return Object.assign(new Error(message), { code: 'ERR_CTX_REPLACED' });
}

/** The text of a part. @param build that of whoever asks for it; undefined for the first one */
function sourceOf(file: string, build: string | undefined): string {
  let source: string;
  try {
    source = read(file).toString('latin1');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // The machine lacks something: that says nothing about the file.
    if (['ENOMEM', 'EMFILE', 'ENFILE', 'EIO'].includes(code)) throw error;
    throw replaced(file, `cannot be read (${code})`);
  }
  if (build !== undefined && buildOf(source) !== build) throw replaced(file, 'is of another build');
  return source;
}

/** Returns the file of the code cache of this very part for this very Node; V8 itself checks little more than the length of the part. */
const cacheFile = (file: string, source: string): string =>
  `${CACHE}/${nameOf(file)}-${MADE_UNDER}-${source.slice(-SUM_LENGTH)}.bin`;

/** Buffer that files are read into, one after the other: a process pays for each page of memory that it touches for the first time. */
const ROOM = Buffer.allocUnsafeSlow(1024 * 1024);

/** The bytes of a file, which are there until the next one is read. */
function read(file: string): Buffer {
  const handle = openSync(file, 'r');
  try {
    let length = 0;
    for (let more = -1; more !== 0 && length < ROOM.length; length += more)
      more = readSync(handle, ROOM, length, ROOM.length - length, null);
    return length < ROOM.length ? ROOM.subarray(0, length) : readFileSync(file);
  } finally {
    closeSync(handle);
  }
}

function readCache(file: string): Buffer | undefined {
  try {
    return read(file);
  } catch {
    return undefined;
  }
}

/**
 * Checks if a cache can be kept: a folder that is not ours to write to has none, and that is fine. Those of what the part
 * was before are nobody's any more.
 */
function mayKeep(file: string, cache: string): boolean {
  try {
    mkdirSync(CACHE, { recursive: true });
    // For everybody who runs this program: the mask is the store's.
    chmodSync(CACHE, 0o755);
    accessSync(CACHE, constants.W_OK);
    const sum = cache.slice(cache.lastIndexOf('-'));
    const known = readdirSync(CACHE).filter((name) => name.startsWith(`${nameOf(file)}-`) && name.endsWith('.bin'));
    for (const name of known) if (!name.endsWith(sum)) discard(join(CACHE, name));
    return known.filter((name) => name.endsWith(sum)).length < MOST_CACHES;
  } catch {
    return false;
  }
}

/** Keeps what V8 has compiled. */
function writeCache(file: string, script: Script): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
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
  const { setFlagsFromString } = require('node:v8') as typeof import('node:v8');
  setFlagsFromString('--no-lazy');
  try {
    return new Script(source, { filename });
  } finally {
    setFlagsFromString('--lazy');
  }
}

/** The tag by which V8 distinguishes caches: its version, the processor, and the options that it has just now. */
const versionTag = (): number => (require('node:v8') as typeof import('node:v8')).cachedDataVersionTag();

/** Compiles a part from the cache. The build runs the hot commands for one, which has what they use and no more. */
function compile(file: string, source: string): { script: Script; keep: Part['keep'] } {
  const cache = cacheFile(file, source);
  const cachedData = readCache(cache);
  if (cachedData) {
    const script = new Script(source, { filename: file, cachedData });
    if (script.cachedDataRejected !== true) return { script, keep: () => undefined };
    const under = versionTag();
    // V8 would not compile the same text a second time: the next process makes it anew. Under options that we do not know
    // for V8's, or that a long command sets for itself, what it refuses may be good for everybody else.
    const isUseless = (): boolean => OPTIONS.length === V8_OPTIONS.length && under === versionTag();
    return { script, keep: () => (isUseless() ? discard(cache) : undefined) };
  }
  const isWarming = process.env.CTX_WARM !== undefined;
  const isKept = mayKeep(file, cache);
  const script = isKept && !isWarming ? compileWhole(source, file) : new Script(source, { filename: file });
  return { script, keep: () => (isKept ? writeCache(cache, script) : undefined) };
}

/** Loads a part as Node itself would. The build leaves nothing but ASCII in it, and puts a function around it. */
function load(file: string, wanted?: string): object {
  const known = parts.get(file);
  if (known) return known.exports;
  const source = sourceOf(file, wanted);
  const build = buildOf(source);
  const { script, keep } = compile(file, source);
  const folder = dirname(file);
  // The parts lie in one folder, and the first of them above it.
  const pathOf = (name: string): string => (name.startsWith('./') ? folder + name.slice(1) : FOLDER + name.slice(2));
  const requirePart = (name: string, replace?: (part: object) => void): unknown => {
    if (!name.startsWith('.')) return require(name);
    return replace ? later(pathOf(name), build, replace) : load(pathOf(name), build);
  };
  // Without a prototype V8 takes it for a dictionary from the start: two hundred names are added to it one by one.
  const part: Part = { exports: Object.create(null) as object, keep };
  // Parts require each other: whoever does gets this one, as far as it is.
  parts.set(file, part);
  try {
    script.runInThisContext()(part.exports, requirePart, part, file, folder);
  } catch (error) {
    // Whoever asks again is told the same.
    parts.delete(file);
    throw error;
  }
  return part.exports;
}

/**
 * Stands for a part that others refer to until something of it is asked for: most lines need little of all that they may need.
 * @param build that of whoever refers to it
 * @param replace is given the part itself then
 */
function later(file: string, build: string, replace: (part: object) => void): object {
  const get = (_: object, name: PropertyKey): unknown => {
    const part = load(file, build);
    replace(part);
    return (part as Readonly<Record<PropertyKey, unknown>>)[name];
  };
  return parts.get(file)?.exports ?? new Proxy({}, { get });
}

/** The program of hooks; null where it cannot be loaded, for agents take some errors for an order to stop. */
function hookProgram(): Hook | null {
  try {
    return load(`${FOLDER}/hook.cjs`) as Hook;
  } catch {
    return null;
  }
}

/** A line of a hook goes to a program of its own, which leaves all but plain ones to the other. */
async function answer(words: readonly string[]): Promise<number> {
  const code = words[0] === 'hook' ? await hookProgram()?.hookMain(words) : null;
  return code ?? (load(`${FOLDER}/main.cjs`) as Main).main(words);
}

/** The command line; CTX_WARM, which only the build sets, runs several before the cache is kept, each with an input of its own. */
async function run(): Promise<number> {
  const lines = process.env.CTX_WARM?.split('\n');
  if (!lines) return answer(process.argv.slice(2));
  for (const line of lines) {
    const [command = '', input] = line.split(' <');
    if (input !== undefined) {
      closeSync(0);
      // The lowest number that is free.
      openSync(input, 'r');
    }
    await answer(command.split(' '));
  }
  return 0;
}

/** Reports an error if not even the program could do so: agents take some codes of a hook for an order to stop. */
function failed(error: unknown): number {
  const message = error instanceof Error ? error.message : String(error);
  try {
    writeSync(2, `error: ${message}\nhint: Run the command again. If that does not help, reinstall ctx.\n`);
  } catch {
    // Nobody listens.
  }
  return process.argv[2] === 'hook' ? 0 : 70;
}

/** Reports an error that no command has caught; returns the exit code. */
function crashed(error: unknown): number {
  try {
    return (load(`${FOLDER}/main.cjs`) as Main).crashed(error, process.argv.slice(2));
  } catch {
    return failed(error);
  }
}

// Node itself would print the line of the bundle in which it happened, all of it.
process.on('uncaughtException', (error) => process.exit(crashed(error)));

// Whatever is made from here on, by Git and by libraries too, is the user's alone.
process.umask(0o077);
// Everything is written by the time a line is done: nothing is left to wait for.
void run()
  .catch(crashed)
  .then((code) => {
    for (const { keep } of parts.values()) keep();
    process.exit(code);
  });
