// The table of commands tests itself: whoever adds a command or a flag meets these rules without remembering them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { GLOBAL_OPTIONS, namesOf, type OptionSpec, optionKey } from '../../src/cli/frame/command.ts';
import { GROUPS, loadCommands, loadCommandsOf } from '../../src/cli/table.ts';
import { VERSION } from '../../src/cli/version.ts';
import { folder, json, refused, run, seen } from '../support/cli.ts';
import { SAMPLES } from '../support/samples.ts';

const commands = await loadCommands();
const root = fileURLToPath(new URL('../..', import.meta.url));

test('the first word of a line finds all the commands that begin with it, and a line without one finds none', async () => {
  const first = (name: string): string => name.split(' ')[0] as string;
  for (const word of new Set(commands.flatMap(namesOf).map(first))) {
    const found = (await loadCommandsOf(['-C', 'folder', word, 'log']))?.map(({ name }) => name).sort();
    const named = commands.filter((command) => namesOf(command).some((name) => first(name) === word));
    expect(found, word).toEqual(named.map(({ name }) => name).sort());
  }
  expect(await loadCommandsOf(['--version'])).toBeNull();
});

test.each([
  ['a folder that is named like a command', ['-C', 'stage', 'log', '--al', 'x'], "error: Unknown option '--al'"],
  [
    'a word that no command has',
    ['log', '--unheard-of'],
    "error: Unknown option '--unheard-of'\nhint: See: ctx log --help",
  ],
  ['a group alone', ['op'], 'error: ctx op needs a command: log'],
  ['one that is nearly a command', ['stage', 'list', 'x', '--al'], 'error: Unknown option'],
  ['a command that there is not', ['logg'], 'Did you mean: ctx log\n'],
])('%s is read as if every command were loaded', (_what, words, told) => {
  expect(run(words, { cwd: folder() })).toMatchObject({ code: 2, stderr: expect.stringContaining(told) as string });
});

/** The ways to write an option: `-m`, `--message`. */
const spellings = (option: OptionSpec): string[] => option.flags.match(/--?[a-zA-Z][a-z-]*/g) ?? [];

/** Every command line in the tests: each list of plain words that begins with those of a command, before them global options. */
function linesInTests(): string[][] {
  const folder = join(root, 'test');
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return paths
    .filter((path) => !import.meta.filename.endsWith(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'))
    .flatMap((text) => [...text.matchAll(/\[([^[\]]*)\]/g)])
    .map(([, list]) => [...(list as string).matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, word]) => word as string));
}

/** The words behind the global options that come first. */
function withoutGlobals(line: readonly string[]): readonly string[] {
  const option = GLOBAL_OPTIONS.find((candidate) => spellings(candidate).includes(line[0] ?? ''));
  return option ? withoutGlobals(line.slice(option.flags.includes('<') ? 2 : 1)) : line;
}

const lines = linesInTests().map(withoutGlobals);

describe.each(commands.map((command) => [command.name, command] as const))('ctx %s', (_name, command) => {
  const words = command.name.split(' ');
  const own = lines.filter((line) =>
    namesOf(command).some((name) => name.split(' ').every((word, index) => line[index] === word)),
  );

  test('is reported by --help: usage, every option, an example with what it does, and its exit codes', () => {
    const { code, stdout, stderr } = run([...words, '--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const text = stdout.replaceAll(/\s+/g, ' ');
    expect(stdout).toMatch(new RegExp(`^Usage: ctx ${command.name}\\b`));
    expect(text).toContain(command.summary);
    for (const option of command.options ?? []) expect(text).toContain(`${option.flags} ${option.description}`);
    for (const argument of command.arguments ?? []) expect(text).toContain(argument.description);
    expect(command.examples).not.toHaveLength(0);
    for (const [line, what] of command.examples) expect(text).toContain(`${line} ${what}`.replaceAll(/\s+/g, ' '));
    const codes = /^Exit codes:\n((?: .*\n)*)/m.exec(stdout)?.[1] ?? '';
    // A hook ends with 0 even where its line is wrong.
    if (command.name === 'hook') expect(codes).toMatch(/^ {2}0 {2}whatever happens, [^\n]*\n$/);
    else expect(codes).toMatch(/^ {2}0 {2}done\n(.*\n)* {2}2 {2}the command line is wrong\n/);
    for (const option of GLOBAL_OPTIONS)
      expect(stdout).toContain(spellings(option).find((name) => text.includes(name)));
    expect(stdout.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  test('is run by a test, with each of its options, in every way to write them', () => {
    expect(own, `no test runs "ctx ${command.name}" (as a list of words)`).not.toEqual([]);
    for (const name of (command.options ?? []).flatMap(spellings)) {
      expect(
        own.some((line) => line.includes(name)),
        `no test runs "ctx ${command.name} ${name}"`,
      ).toBe(true);
    }
  });

  test.skipIf(SAMPLES[command.name]?.foreign)(
    'refuses an option that it does not have, with exit code 2 and where to look',
    () => {
      expect(refused([...words, '--no-such-option'])).toEqual({
        // An agent would take 2 for an order to stop.
        exit: command.name === 'hook' ? 0 : 2,
        code: 'usage',
        message: "Unknown option '--no-such-option'",
        hint: `See: ctx ${command.name} --help`,
        data: null,
      });
    },
  );

  test('has examples that can be read', () => {
    for (const [line] of command.examples) expect(line).toMatch(new RegExp(`(^|\\| )ctx ${command.name}( |$)`));
  });
});

test('options are written alike everywhere: one key, one meaning of a short form', () => {
  const shorts = new Map<string, string>();
  for (const option of commands.flatMap((command) => [...(command.options ?? []), ...GLOBAL_OPTIONS])) {
    expect(optionKey(option)).toMatch(/^[a-z]+(_[a-z]+)*$/);
    for (const short of spellings(option).filter((name) => !name.startsWith('--'))) {
      expect([short, shorts.get(short) ?? optionKey(option)]).toEqual([short, optionKey(option)]);
      shorts.set(short, optionKey(option));
    }
  }
});

test('the summaries and the groups are in the help of ctx, which is also what ctx alone prints', () => {
  const help = run(['--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  for (const name of [...Object.keys(GROUPS), 'init', 'log', 'show', 'diff'])
    expect(help.stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
  expect(run([])).toMatchObject({ code: 0, stdout: `${help.stdout.trimEnd()}\n`, stderr: '' });
  expect(run(['-h'])).toEqual(help);
  expect(run(['help'])).toEqual(help);
  for (const name of ['CTX_DIR', 'CTX_SESSION', 'CTX_NOW', 'CTX_PAGER', 'NO_COLOR'])
    expect(help.stdout).toContain(name);
  for (const code of [0, 1, 2, 3, 4, 5, 70]) expect(help.stdout).toMatch(new RegExp(`^ {2}${code} `, 'm'));
});

test.each(Object.keys(GROUPS))('ctx %s --help lists its commands', (group) => {
  const { code, stdout, stderr } = run([group, '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const { name } of commands.filter((command) => command.name.startsWith(`${group} `))) {
    expect(stdout).toMatch(new RegExp(`^ {2}${name.split(' ')[1]} `, 'm'));
  }
});

test('--version prints the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  expect(VERSION).toBe(version);
  expect(run(['--version'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  expect(run(['-V'])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  [['--version'], 'version', /^\d+\.\d+\.\d+$/],
  [['--help'], 'help', /^Usage: ctx /],
  [['help'], 'help', /^Usage: ctx /],
  [['log', '--help'], 'help', /^Usage: ctx log /],
  [['help', 'stage', 'start'], 'help', /^Usage: ctx stage start /],
])('a caller that asks for JSON gets what is printed instead of a command as JSON too: %j', (words, told, text) => {
  expect(json(words)).toEqual({ [told]: expect.stringMatching(text) as string });
});

describe('a command line that is wrong', () => {
  test.for([
    [['frobnicate'], "Unknown command 'frobnicate'"],
    [['stage'], 'ctx stage needs a command'],
    [['observe'], 'ctx observe needs a command'],
    [['stage', 'sattus'], "Unknown command 'sattus'"],
    [['--frobnicate'], "Unknown option '--frobnicate'"],
    [['stage', 'start'], "Missing required argument 'task'"],
    [['stage', 'ask'], "Missing required argument 'text'"],
    [['stage', 'status', 'extra'], 'Too many arguments'],
    [['stage', 'confirm', 'extra'], 'Too many arguments'],
    [['stage', 'switch'], "Missing required argument 'session'"],
    [['stage', 'flush', '-m'], 'argument missing'],
    [['stage', 'start', '--replace', '--beside', 'x'], '--replace and --beside exclude each other'],
    [['stage', 'start', '--agent', '', 'x'], '--agent needs a name'],
    [['stage', 'compact', '--type', 'other'], 'Allowed choices are normal, abandoned, stale, interrupted'],
    [['stage', 'compact', '--idle-seconds', '5'], '--idle-seconds goes with --type stale'],
    [['stage', 'compact', '--type', 'stale', '--idle-seconds', '1.5'], 'It must be a whole number'],
    [['stage', 'compact', '--type', 'stale', '--idle-seconds', '-5'], '--idle-seconds cannot be negative'],
    [['stage', 'compact', '--new-task', 'x'], '--new-task goes with --type interrupted'],
    [['stage', 'compact', '--type', 'interrupted'], '--type interrupted needs --new-task'],
    [['stage', 'compact', '--type', 'interrupted', '--new-task', ' '], '--type interrupted needs --new-task'],
    [['observe', 'read'], "Missing required argument 'paths'"],
    [['observe', 'note'], "Missing required argument 'text'"],
    [['observe', 'command', '--exit-code', '0'], "Missing required argument 'command'"],
    [['observe', 'command', '--', 'npm', 'test'], '--exit-code is missing'],
    [['observe', 'command', '--exit-code', 'one', '--', 'npm'], 'It must be a whole number'],
    [
      ['observe', 'command', '--exit-code', '0', '--duration-ms', '-1', '--', 'npm'],
      '--duration-ms cannot be negative',
    ],
    [['observe', 'relate', 'file:a', 'Imports'], "Missing required argument 'to'"],
    [['observe', 'relate', 'file:a', 'Likes', 'file:b'], 'label'],
    [['observe', 'relate', 'a', 'Imports', 'file:b'], 'takes task:…, note:…, file:…, item:… or decision:…'],
    [
      ['observe', 'relate', 'file:a', 'Imports', 'file:b', '--confidence', 'total'],
      'Allowed choices are high, medium, low',
    ],
    [['log', '-n', 'x'], 'It must be a whole number'],
    [['log', '-n', '-1'], '-n cannot be negative'],
    [['log', '--type', 'other'], '--type takes normal, abandoned, stale or interrupted'],
    [['list', '--limit', '-1'], '--limit cannot be negative'],
    [['ingest'], "Missing required argument 'transcript'"],
  ])('%j', ([line, message]) => {
    const error = refused(line as string[]);
    expect(error).toMatchObject({
      exit: 2,
      code: 'usage',
      hint: expect.stringMatching(/^See: ctx .*--help$/),
      data: null,
    });
    expect(error.message).toContain(message);
  });

  test('says what might have been meant', () => {
    expect(seen(run(['stage', 'sattus']))).toMatchInlineSnapshot(`
      "exit 2
      err| error: Unknown command 'sattus'. Did you mean: ctx status
      err| hint: See: ctx stage --help"
    `);
    expect(seen(run(['lgo']))).toMatchInlineSnapshot(`
      "exit 2
      err| error: Unknown command 'lgo'
      err| hint: See: ctx --help"
    `);
    expect(seen(run(['stage', 'start', '--replce', 'x']))).toMatchInlineSnapshot(`
      "exit 2
      err| error: Unknown option '--replce'
      err| hint: See: ctx stage start --help"
    `);
  });

  test('with --json, even if nothing else of it could be read', () => {
    expect(refused([])).toMatchObject({
      exit: 2,
      code: 'usage',
      message: expect.stringMatching(/^ctx needs a command: init, /),
    });
    expect(refused(['--frobnicate'])).toMatchObject({ exit: 2, code: 'usage' });
    expect(run(['observe', 'command', '--frobnicate', '--', '--json'])).toMatchObject({ code: 2, stdout: '' });
  });
});
