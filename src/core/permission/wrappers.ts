/** Commands that run another one: `sudo`, `timeout 5`, `xargs`, `sh -c …`. */
import { readShell, type SimpleCommand, type Word } from './shell.ts';
import { variablesSet } from './variables.ts';

/** Syntax of a wrapper's command line. */
interface Wrapper {
  /** Options that take the next word as their value. */
  values: readonly string[];
  /** The options that take none, or have their value in the same word; any other option is not understood. */
  flags: RegExp;
  /** Number of arguments before the command. */
  before?: number;
  /** True if variables may be set before the command. */
  sets?: boolean;
  /** True if it runs the command with more arguments than are known. */
  adds?: boolean;
  /** True if a rule must allow the wrapper itself: it does more than to run a command. */
  counts?: boolean;
  /** True if a shell reads the command, as `eval` does. */
  evaluates?: boolean;
  /** Options whose value, in the same word or in the next one, is split into words that take its place. */
  splits?: RegExp;
  /** Command that it runs if none is given; nothing if absent. */
  otherwise?: string;
}

const NONE = /^(?!)/;

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  sudo: {
    values: [
      '-u',
      '-g',
      '-p',
      '-C',
      '-D',
      '-h',
      '-T',
      '-R',
      '-U',
      '-r',
      '-t',
      '--user',
      '--group',
      '--prompt',
      '--host',
    ],
    flags: /^-[AbEHknPS]+$|^--(?:preserve-env(?:=.*)?|set-home|non-interactive|stdin|background|user=.*|group=.*)$/,
    sets: true,
    counts: true,
  },
  doas: { values: ['-u', '-C'], flags: /^-[nL]+$/, counts: true },
  env: {
    values: ['-u', '--unset', '-C', '--chdir'],
    flags: /^-[i0v]*$|^--(?:ignore-environment|null|debug|unset=.*|chdir=.*)$/,
    sets: true,
    splits: /^(?:-[i0v]*S|--split-string(?:=|$))/,
  },
  timeout: {
    values: ['-k', '--kill-after', '-s', '--signal'],
    flags: /^-[fpv]+$|^-[ks].+$|^--(?:foreground|preserve-status|verbose|kill-after=.*|signal=.*)$/,
    before: 1,
  },
  nice: { values: ['-n', '--adjustment'], flags: /^-\d+$|^-n-?\d+$|^--adjustment=-?\d+$/ },
  ionice: {
    values: ['-c', '-n', '--class', '--classdata'],
    flags: /^-t$|^-[cn]\d$|^--(?:ignore|class=.*|classdata=.*)$/,
  },
  nohup: { values: [], flags: NONE },
  busybox: { values: [], flags: NONE },
  caffeinate: { values: ['-t', '-w'], flags: /^-[dimsu]+$/ },
  chroot: { values: [], flags: /^--(?:userspec|groups)=.*$|^--skip-chdir$/, before: 1, counts: true },
  chrt: { values: ['-T', '-P', '-D'], flags: /^-[abdfiorRv]+$/, before: 1 },
  flock: {
    values: ['-w', '-E', '--timeout', '--wait', '--conflict-exit-code'],
    flags:
      /^-[sxenuoFv]+$|^--(?:shared|exclusive|nonblock|nb|unlock|close|no-fork|verbose|(?:timeout|wait|conflict-exit-code)=.*)$/,
    before: 1,
  },
  taskset: { values: [], flags: /^-[ac]+$|^--(?:all-tasks|cpu-list)$/, before: 1 },
  watch: {
    values: ['-n', '--interval'],
    flags: /^-[bcdegtw]+$|^-n[\d.]+$|^--(?:beep|color|differences|errexit|chgexit|no-title|interval=.*)$/,
    evaluates: true,
  },
  setsid: { values: [], flags: /^-[cfw]+$|^--(?:ctty|fork|wait)$/ },
  stdbuf: { values: ['-i', '-o', '-e'], flags: /^-[ioe].+$|^--(?:input|output|error)=.*$/ },
  time: { values: ['-f', '--format'], flags: /^-[pv]+$|^--(?:portability|verbose|format=.*)$/ },
  command: { values: [], flags: /^-p$/ },
  builtin: { values: [], flags: NONE },
  exec: { values: ['-a'], flags: /^-[cl]+$/ },
  catchsegv: { values: [], flags: NONE },
  choom: { values: ['-n', '-p'], flags: /^-n-?\d+$|^--adjust=.*$/ },
  'dbus-run-session': { values: [], flags: NONE },
  linux32: { values: [], flags: NONE },
  linux64: { values: [], flags: NONE },
  numactl: { values: [], flags: /^-[NCmilp].+$|^--(?:cpunodebind|physcpubind|membind|interleave|preferred)=.*$/ },
  prlimit: { values: [], flags: /^-[a-z].*=.*$|^--[a-z]+=.*$/ },
  setarch: { values: [], flags: /^-[v3BFILRSTXZ]+$/, before: 1 },
  toybox: { values: [], flags: NONE },
  unbuffer: { values: [], flags: /^-p$/ },
  xargs: {
    values: [
      '-n',
      '-L',
      '-P',
      '-I',
      '-s',
      '-d',
      '-E',
      '-a',
      '--max-args',
      '--max-lines',
      '--max-procs',
      '--delimiter',
      '--arg-file',
    ],
    flags:
      /^-[0rtxp]+$|^-[nLPIsdEial].+$|^--(?:null|no-run-if-empty|verbose|exit|max-args=.*|max-procs=.*|delimiter=.*|replace(?:=.*)?|arg-file=.*)$/,
    adds: true,
    otherwise: 'echo',
  },
};

/** Programs that run others in ways that are not read here. */
const RUNNERS = new Set([
  ...[
    'su',
    'runuser',
    'pkexec',
    'sg',
    'gosu',
    'su-exec',
    'setpriv',
    'capsh',
    'chpst',
    'softlimit',
    'start-stop-daemon',
  ],
  ...[
    'unshare',
    'nsenter',
    'systemd-run',
    'cgexec',
    'firejail',
    'bwrap',
    'proot',
    'fakeroot',
    'fakechroot',
    'xvfb-run',
  ],
  ...['script', 'parallel', 'entr', 'tsp', 'rlwrap', 'torsocks', 'torify', 'proxychains', 'proxychains4', 'tsocks'],
  ...['strace', 'ltrace', 'gdb', 'lldb', 'valgrind', 'perf', 'rr', 'hyperfine', 'rtk', 'alias'],
  // Shells with a syntax of their own.
  ...['fish', 'csh', 'tcsh', 'nu', 'xonsh', 'elvish', 'pwsh', 'powershell', 'cmd'],
]);
/** Options of programs that run a command only if these are given. */
const RUN_OPTIONS: Readonly<Record<string, RegExp>> = Object.fromEntries(
  ['fd', 'fdfind'].map((name) => [name, /^-[A-Za-z]*[xX]|^--exec(?:-batch)?(?:=|$)/]),
);
const SHELLS = new Set(['sh', 'bash', 'rbash', 'zsh', 'dash', 'ksh', 'mksh', 'pdksh', 'oksh', 'yash', 'ash']);
/** Options of `find` that run a command, up to a `;` or `+`. */
const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir']);

/** Returns the name of a program, without its folder. */
export const programName = (text: string): string => text.slice(text.lastIndexOf('/') + 1);

/** Commands that a command runs, as far as they are understood. */
export interface Unwrapped {
  /** The commands that it runs. */
  inner: SimpleCommand[];
  /** True if a rule must allow the command itself. */
  counts: boolean;
  isWhole: boolean;
}

const PLAIN: Unwrapped = { inner: [], counts: true, isWhole: true };

const bare = (words: readonly Word[]): SimpleCommand => ({ words, assigned: [], written: [] });

/** Returns what a command runs besides itself. @param depth how deep it is within others */
export function unwrap(command: SimpleCommand, depth: number): Unwrapped {
  const unwrapped = commandsIn(command, depth);
  const { input } = command;
  if (input === undefined) return unwrapped;
  return { ...unwrapped, inner: unwrapped.inner.map((one) => ({ input, ...one })) };
}

function commandsIn({ words, input }: SimpleCommand, depth: number): Unwrapped {
  const [first] = words;
  if (!first) return PLAIN;
  // Only the shell will know which program it is.
  if (first.open !== 'no') return { ...PLAIN, isWhole: false };
  const name = plainName(programName(first.text));
  if (name === 'find') return found(words);
  if (SHELLS.has(name)) return shell(words, input, depth);
  if (name === 'source' || name === '.') return sourced(words[1], input, depth);
  if (name === 'eval') return evaluated(words.slice(words[1]?.text === '--' ? 2 : 1), depth);
  const set = variablesSet(name, words.slice(1));
  if (set)
    return { inner: [{ words: [], assigned: set.names, written: [] }], counts: !set.isAll, isWhole: set.isWhole };
  if (name === 'trap') return trapped(words, depth);
  const runs = Object.hasOwn(RUN_OPTIONS, name) ? RUN_OPTIONS[name] : undefined;
  if (RUNNERS.has(name) || words.some(({ text }) => runs?.test(text))) return suffixes(words, depth);
  const wrapper = wrapperNamed(name);
  return wrapper ? wrapped(words, wrapper, depth) : PLAIN;
}

const wrapperNamed = (name: string): Wrapper | undefined =>
  Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;

/** Returns the name of a program of GNU without the `g` that other systems put before it: `gtimeout`. */
const plainName = (name: string): string =>
  /^g(?:find|(?:chroot|env|nice|nohup|stdbuf|time|timeout|xargs)$)/.test(name) ? name.slice(1) : name;

function wrapped(words: readonly Word[], wrapper: Wrapper, depth: number): Unwrapped {
  const {
    values,
    flags,
    before = 0,
    sets = false,
    adds = false,
    counts = false,
    evaluates = false,
    splits,
    otherwise,
  } = wrapper;
  const assigned: string[] = [];
  let at = 1;
  let left = before;
  for (; at < words.length; at += 1) {
    const { text, open } = words[at] as Word;
    if (open !== 'no') return suffixes(words, depth);
    if (text === '--' && left === before) {
      // The command, or what is before it, may begin with a dash.
      continue;
    }
    const isOption = text.startsWith('-') && text !== '-' && left === before;
    const split = isOption ? splits?.exec(text)?.[0] : undefined;
    if (split !== undefined) {
      const [given, from] =
        split === text ? [words[at + 1], at + 2] : [{ ...NO_WORD, text: text.slice(split.length) }, at + 1];
      const rest = given && splitWord(given);
      return rest ? wrapped([words[0] as Word, ...rest, ...words.slice(from)], wrapper, depth) : suffixes(words, depth);
    }
    if (isOption && values.includes(text)) {
      at += 1;
      if (words[at]?.open === 'many') return suffixes(words, depth);
    } else if (isOption) {
      if (!flags.test(text)) return isLookUp(words) ? PLAIN : suffixes(words, depth);
    } else if (sets && /^[A-Za-z_]\w*=/.test(text)) assigned.push(text.slice(0, text.indexOf('=')));
    else if (left > 0) left -= 1;
    else break;
  }
  const inner = words.slice(at);
  if (inner.length === 0) {
    if (otherwise === undefined) return PLAIN;
    return { inner: [bare([{ text: otherwise, open: 'no' }, UNKNOWN])], counts, isWhole: true };
  }
  if (evaluates) return evaluated(inner, depth);
  // An option behind the arguments, such as `flock file -c '…'`, is not read.
  if (inner[0]?.text.startsWith('-')) return suffixes(words, depth);
  const filled = adds ? withUnknown(inner, placeholderIn(words.slice(1, at))) : inner;
  return { inner: [{ words: filled, assigned, written: [] }], counts, isWhole: true };
}

/** Splits a text as `env -S` does; null if that is not understood. */
function splitWord({ text, open }: Word): readonly Word[] | null {
  // `env` has escapes of its own.
  if (open !== 'no' || text.includes('\\')) return null;
  // A word in front keeps what sets a variable among the words.
  const { commands, isWhole } = readShell(`env ${text}`);
  const [only, ...others] = commands;
  if (!only || others.length > 0 || !isWhole || only.written.length > 0) return null;
  return only.words.some((word) => word.open !== 'no') ? null : only.words.slice(1);
}

/** Checks if the words only look up a command: `command -v git`. */
const isLookUp = ([first, second]: readonly Word[]): boolean =>
  first?.text === 'command' && /^-[vV]$/.test(second?.text ?? '');

const NO_WORD: Word = { text: '', open: 'no' };
/** Arguments that are known only when the command runs. */
const UNKNOWN: Word = { text: '', open: 'many' };

/** Returns the text that `xargs` replaces, by its options; empty if only the shell will know it. */
function placeholderIn(options: readonly Word[]): string {
  for (const [index, { text }] of options.entries()) {
    const given = /^(?:-I|-i|--replace=)(.+)$/s.exec(text)?.[1] ?? (text === '-I' ? options[index + 1] : undefined);
    if (given !== undefined) return typeof given === 'string' ? given : given.open === 'no' ? given.text : '';
  }
  return '{}';
}

/** Returns words with more at their end; each that may hold a placeholder may be anything. */
const withUnknown = (words: readonly Word[], placeholder = '{}'): Word[] => [
  ...words.map((word): Word => {
    const isFilled = word.open === 'no' && (/[{}%]/.test(word.text) || word.text.includes(placeholder));
    return isFilled ? { ...word, open: 'many', isFilled } : word;
  }),
  UNKNOWN,
];

/** Returns what a wrapper may run if its words are not understood: any of its ends, and each word as a text for a shell. */
function suffixes(words: readonly Word[], depth: number): Unwrapped {
  const some = words.slice(1, SUFFIXES_LIMIT);
  const ends = some.map((_, index) => bare(words.slice(index + 1)));
  const texts = some.filter(({ text, open }) => /\s/.test(text) && (open === 'no' || open === 'many'));
  const read = texts.flatMap(({ text }) => readShell(text.replace(/^-\S*?=/, ''), depth + 1).commands);
  return { inner: [...ends, ...read], counts: true, isWhole: false };
}

const SUFFIXES_LIMIT = 50;

function found(words: readonly Word[]): Unwrapped {
  const inner: SimpleCommand[] = [];
  let isWhole = true;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] as Word;
    if (mayRun(words, at)) isWhole = false;
    if (!FIND_RUNS.has(word.text)) continue;
    const end = words.findIndex(({ text }, index) => index > at && (text === ';' || text === '+'));
    const run = words.slice(at + 1, end < 0 ? undefined : end);
    if (end < 0 || run.length === 0) isWhole = false;
    if (run.length > 0) inner.push(bare(withUnknown(run).slice(0, -1)));
    at = end < 0 ? words.length : end;
  }
  return { inner, counts: true, isWhole };
}

/** Checks if a word of `find` may become an option that runs what comes after it. */
function mayRun(words: readonly Word[], at: number): boolean {
  const [word, next] = [words[at] as Word, words[at + 1]];
  if (word.open === 'no' || word.text !== '') return false;
  if (word.open === 'many') return true;
  const isProgram = next !== undefined && !/^[-(),!;]/.test(next.text);
  return isProgram && words.slice(at).some(({ text }) => text === ';' || text === '+');
}

/** Reads `sh -c '…'`; a shell that runs a file counts by itself, and what one reads from its input is not understood. */
function shell(words: readonly Word[], input: string | undefined, depth: number): Unwrapped {
  let [at, isText, isInput] = [1, false, false];
  for (let isOption = true; isOption && at < words.length; ) {
    const { text, open } = words[at] as Word;
    if (open !== 'no') return isText ? suffixes(words, depth) : unread(input, depth);
    if (text === '--version' || text === '--help') return PLAIN;
    isOption = /^[-+]./.test(text);
    if (!isOption) break;
    at += 1;
    if (text === '--') break;
    if (text === '--rcfile' || text === '--init-file') at += 1;
    if (!/^[-+][A-Za-z]+$/.test(text)) continue;
    isText ||= text.startsWith('-') && text.includes('c');
    isInput ||= text.startsWith('-') && text.includes('s');
    // Each of these takes a word of its own.
    at += text.split(/[oO]/).length - 1;
  }
  const operand = words[at];
  if (isText) return operand ? evaluated([operand], depth) : PLAIN;
  return isInput || !operand || isDevice(operand) ? unread(input, depth) : PLAIN;
}

/** Programs that a text runs read the same input as its shell, so that it is only looked through for what is not allowed. */
const unread = (input: string | undefined, depth: number): Unwrapped => ({
  ...(input === undefined ? PLAIN : read(input, depth)),
  isWhole: false,
});

/** Checks if a file may be an input that the command itself passes. */
const isDevice = ({ text, open }: Word): boolean => open !== 'no' || text === '-' || /^\/(?:dev|proc)\//.test(text);

const sourced = (file: Word | undefined, input: string | undefined, depth: number): Unwrapped =>
  file && isDevice(file) ? unread(input, depth) : PLAIN;

/** Reads `trap '…' EXIT`. */
function trapped(words: readonly Word[], depth: number): Unwrapped {
  const from = words[1]?.text === '--' ? 2 : 1;
  return words.length > from + 1 ? evaluated(words.slice(from, from + 1), depth) : PLAIN;
}

function evaluated(words: readonly Word[], depth: number): Unwrapped {
  if (words.some(({ open, isFilled }) => open !== 'no' && isFilled !== true)) return { ...PLAIN, isWhole: false };
  const text = words.map((word) => word.text).join(' ');
  // A placeholder becomes anything, but the commands around it stay.
  return words.every(({ open }) => open === 'no') ? read(text, depth) : { ...read(text, depth), isWhole: false };
}

function read(text: string, depth: number): Unwrapped {
  const { commands, isWhole } = readShell(text, depth + 1);
  return { inner: commands, counts: commands.length === 0, isWhole };
}
