// What the README says is so: its lists are those of the program, and its commands do what it shows.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EXIT_MEANINGS } from '../src/cli/exit-codes.ts';
import { GLOBAL_OPTIONS } from '../src/cli/frame/command.ts';
import { loadCommands } from '../src/cli/table.ts';
import { STATE_KINDS, stateDiagram } from '../src/core/state.ts';
import * as library from '../src/index.ts';
import { DEFAULT_SETTINGS, readSettings } from '../src/store/settings.ts';
import { between, blocksOf, comparable, expectedExit, rowsOf, runLine, sessionsOf } from './support/readme.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** The first column of the table below a heading, without backticks. */
function firstColumn(heading: string): string[] {
  const [, section] = readme.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const rows = rowsOf((section ?? '').split(/^#+ /m)[0] ?? '').slice(1);
  return rows.map(([cell]) => (cell ?? '').replaceAll('`', ''));
}

describe('the lists are those of the program', () => {
  test('the diagram of states is the state table', () => {
    const [block] = blocksOf(between(readme, 'state-diagram'));
    expect(block?.language).toBe('mermaid');
    expect(block?.text).toBe(stateDiagram());
  });

  test('every state is explained', () => {
    expect(firstColumn('The session').slice(0, STATE_KINDS.length).sort()).toEqual([...STATE_KINDS].sort());
  });

  test('every command is listed with its summary', async () => {
    const commands = await loadCommands();
    const listed = rowsOf(between(readme, 'commands')).slice(1);
    expect(listed).toEqual(commands.map((command) => [`\`ctx ${command.name}\``, command.summary]));
  });

  test('every option of every command is listed', () => {
    const [, table] = readme.split('These options work with every command:');
    const listed = rowsOf((table ?? '').split(/^A revision/m)[0] ?? '').slice(1);
    const flags = GLOBAL_OPTIONS.map((option) => [`\`${option.flags.replaceAll(', ', '`, `')}\``, option.description]);
    expect(listed).toEqual(flags);
  });

  test('every exit code is listed', () => {
    const listed = rowsOf(between(readme, 'exit-codes')).slice(1);
    expect(listed).toEqual(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]));
  });

  test('every setting is listed, and the defaults are the defaults', () => {
    expect(firstColumn('Settings')).toEqual(Object.keys(DEFAULT_SETTINGS));
    const block = blocksOf(readme).find((candidate) => candidate.text.includes('"ask_threshold"'));
    expect(readSettings(block?.text ?? '')).toEqual({ settings: DEFAULT_SETTINGS, unknown: [] });
  });

  test('every value of the library is listed', () => {
    const named = [...between(readme, 'library').matchAll(/`(\w+)`/g)].map((match) => match[1]);
    expect(named.sort()).toEqual(Object.keys(library).sort());
  });

  test('every npm script that is named exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const named = [...readme.matchAll(/npm run (\w+)/g)].map((match) => match[1] as string);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});

describe('the commands do what is shown', () => {
  let home: string;
  let directory: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(() => {
    home = realpathSync(mkdtempSync(join(tmpdir(), 'ctx-readme-')));
    directory = join(home, 'acme-http');
    mkdirSync(join(home, 'bin'));
    mkdirSync(join(directory, 'node_modules'), { recursive: true });
    symlinkSync(join(root, 'dist/ctx.cjs'), join(home, 'bin/ctx'));
    symlinkSync(root, join(directory, 'node_modules/ctx'));
    cpSync(join(root, '.ctx-example'), join(directory, '.ctx-example'), { recursive: true });
    mkdirSync(join(directory, 'fixtures/claude-code'), { recursive: true });
    const transcript = 'fixtures/claude-code/retry-backoff.jsonl';
    copyFileSync(join(root, transcript), join(directory, transcript));
    expect(spawnSync('git', ['init', '-q', directory]).status).toBe(0);
    environment = { ...process.env, HOME: home, PATH: `${join(home, 'bin')}:${process.env['PATH']}` };
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  test('in the order of the page, as in one terminal', () => {
    for (const { commands, output } of sessionsOf(readme)) {
      let shown = '';
      for (const command of commands) {
        const ran = runLine(command, directory, environment);
        expect({ command, ...ran }).toEqual({ command, status: expectedExit(command), output: ran.output });
        shown += ran.output;
      }
      if (output) expect(comparable(shown, directory)).toBe(comparable(output.text, directory));
    }
  });

  test('the library does what its example shows', () => {
    const blocks = blocksOf(readme);
    const at = blocks.findIndex((block) => block.language === 'js');
    writeFileSync(join(directory, 'example.mjs'), blocks[at]?.text ?? '');
    expect(runLine('node example.mjs', directory, environment)).toEqual({ status: 0, output: blocks[at + 1]?.text });
  });

  test('the line for a hook ingests what the hook is told of', () => {
    const block = blocksOf(readme).find((candidate) => candidate.text.includes('"hooks"'));
    const settings = JSON.parse(block?.text ?? '') as { hooks: { Stop: { hooks: { command: string }[] }[] } };
    const command = settings.hooks.Stop[0]?.hooks[0]?.command ?? '';
    const project = join(home, 'hooked');
    expect(runLine(`ctx init ${project}`, directory, environment).status).toBe(0);
    const told = JSON.stringify({ transcript_path: join(directory, 'fixtures/claude-code/retry-backoff.jsonl') });
    writeFileSync(join(project, 'told.json'), told);
    expect(runLine(`(${command}) <told.json`, project, environment)).toEqual({ status: 0, output: '' });
    expect(runLine('ctx stage status --exit-code', project, environment).status).toBe(0);
  });
});
