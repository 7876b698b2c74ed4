// Tests the pages for users: their commands do as shown, and their links, limits and generated parts hold.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsPage } from '../fixtures/docs/commands-page.ts';
import { manPage } from '../fixtures/docs/man-page.ts';
import { roomsIn, roomsOf, withLines } from '../fixtures/docs/rooms.ts';
import { loadCommands } from '../src/cli/table.ts';
import { RUN_MOVES } from '../src/core/run/states.ts';
import { makeTerminal, PAGES, readPage, type Terminal } from './support/pages.ts';
import {
  between,
  blocksOf,
  comparable,
  expectedExit,
  hasFixedHashes,
  linksOf,
  runLine,
  type Session,
  sessionsOf,
  titlesOf,
} from './support/readme.ts';
import { ROOT } from './support/store.ts';

/** Reports of tests, beside these tests. */
const EVIDENCE = ['test/agents/transcripts.md', 'test/language/classification.md'];

describe.each(PAGES.filter((page) => sessionsOf(readPage(page)).length > 0))('%s', (page) => {
  let terminal: Terminal;
  beforeAll(() => {
    terminal = makeTerminal();
  });
  afterAll(() => rmSync(terminal.home, { recursive: true, force: true }));

  /** Runs the commands of one block; gives what the terminal shows of all of them. */
  function run({ commands }: Session): string {
    return commands
      .map((command) => {
        const ran = runLine(command, terminal.directory, terminal.environment);
        expect({ command, ...ran }).toEqual({ command, status: expectedExit(command), output: ran.output });
        return ran.output;
      })
      .join('');
  }

  test('the commands do what is shown, in the order of the page, as in one terminal', () => {
    for (const session of sessionsOf(readPage(page))) {
      const shown = run(session);
      if (session.output === undefined) continue;
      if (hasFixedHashes(session)) expect(shown.trimEnd()).toBe(session.output.text.trimEnd());
      else expect(comparable(shown, terminal.home)).toBe(comparable(session.output.text, terminal.home));
    }
  }, 120_000);
});

describe('blocks that are no commands of a terminal', () => {
  let terminal: Terminal;
  beforeAll(() => {
    terminal = makeTerminal();
  });
  afterAll(() => rmSync(terminal.home, { recursive: true, force: true }));

  test.each(['docs/library.md', 'docs/embedding.md'])('the library does what the example of %s shows', (page) => {
    const blocks = blocksOf(readPage(page));
    const at = blocks.findIndex((block) => block.language === 'js');
    writeFileSync(join(terminal.directory, 'example.mjs'), blocks[at]?.text ?? '');
    const ran = runLine('node example.mjs', terminal.directory, terminal.environment);
    expect(ran).toEqual({ status: 0, output: blocks[at + 1]?.text });
  });

  test('the line for a hook of Claude Code ingests the transcript that the hook names', () => {
    const block = blocksOf(readPage('docs/hooks.md')).find((candidate) => candidate.text.includes('"hooks"'));
    const settings = JSON.parse(block?.text ?? '') as { hooks: { Stop: { hooks: { command: string }[] }[] } };
    const command = settings.hooks.Stop[0]?.hooks[0]?.command ?? '';
    const project = join(terminal.home, 'hooked');
    expect(runLine(`ctx init ${project}`, terminal.directory, terminal.environment).status).toBe(0);
    const transcript = join(terminal.directory, 'fixtures/claude-code/retry-backoff.jsonl');
    writeFileSync(join(project, 'payload.json'), JSON.stringify({ transcript_path: transcript }));
    const ran = runLine(`(${command}) <payload.json`, project, terminal.environment);
    expect(ran).toEqual({ status: 0, output: '' });
    expect(runLine('ctx stage status --exit-code', project, terminal.environment).status).toBe(0);
  });
});

describe('generated parts', () => {
  test('docs/runs.md has the transitions of a run as the code has them', () => {
    const rows = RUN_MOVES.map(({ from, event, to }) => `| ${from.join(', ')} | ${event} | ${to} |\n`).join('');
    expect(between(readPage('docs/runs.md'), 'run states')).toBe(`| from | by | to |\n| --- | --- | --- |\n${rows}`);
  });

  test('docs/commands.md is what the table of commands generates (npm run docs:write)', async () => {
    expect(readPage('docs/commands.md')).toBe(commandsPage(await loadCommands()));
  });

  test('docs/ctx.1 is what the table of commands generates (npm run docs:write), and package.json names it', async () => {
    expect(readPage('docs/ctx.1')).toBe(manPage(await loadCommands()));
    expect(JSON.parse(readPage('package.json'))).toMatchObject({ man: './docs/ctx.1' });
  });

  test.skipIf(spawnSync('groff', ['--version']).status !== 0)('docs/ctx.1 is set by groff without a warning', () => {
    const options = ['-man', '-ww', '-b', '-Kutf8', '-Tutf8', '-rLL=80n', join(ROOT, 'docs', 'ctx.1')];
    const { status, stdout, stderr } = spawnSync('groff', options, { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    // Bold and underlined letters are struck over each other.
    const text = stdout.replaceAll(/.[\b]/g, '');
    expect(text).toContain('-n, --max-count <number>');
    expect(text).toContain('echo \'{"kind":"note"');
  });

  test('CONTRIBUTING.md lists every room of src, with its lines to within a fifth (npm run docs:write)', () => {
    const rooms = roomsOf(ROOT);
    const listed = roomsIn(readPage('CONTRIBUTING.md'));
    expect(listed.map(({ name }) => name)).toEqual(rooms.map(({ name }) => name));
    for (const [at, { name, lines }] of rooms.entries()) {
      const shown = listed[at]?.lines ?? 0;
      expect({ name, shown, lines, isNear: Math.abs(shown - lines) * 5 <= lines }).toMatchObject({ isNear: true });
    }
  });

  test('withLines replaces the number of a room and nothing else', () => {
    const page = '| `src/core/` | what ctx is | nothing | 0 |\n| `src/gone/` | x | y | 7 |\n';
    expect(withLines(page, [{ name: 'core', lines: 21 }])).toBe(page.replace('nothing | 0', 'nothing | 21'));
  });
});

describe('every page', () => {
  test.each([...PAGES, ...EVIDENCE])('%s: each link leads to a file of the project, and to a title in it', (page) => {
    const broken = linksOf(readPage(page)).filter((link) => {
      const [path = '', title] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, target))) return true;
      return title !== undefined && !titlesOf(readFileSync(join(ROOT, target), 'utf8')).includes(title);
    });
    expect(broken).toEqual([]);
  });

  test.each([...PAGES, ...EVIDENCE])('%s: no path is one of the machine of an author', (page) => {
    expect(readPage(page).match(/shared\/transcripts|(?<![\w.~>])\/(?:opt|root|tmp)\//g)).toBeNull();
  });

  test('README.md has at most 250 lines, and docs/README.md lists every page', () => {
    expect(readPage('README.md').split('\n').length - 1).toBeLessThanOrEqual(250);
    const listed = linksOf(readPage('docs/README.md')).map((link) => `docs/${link}`);
    const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md');
    expect(listed.filter((link) => !link.includes('..')).sort()).toEqual(pages);
  });

  test('every npm script that a page names exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const named = PAGES.flatMap((page) => [...readPage(page).matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name));
    expect(named.length).toBeGreaterThan(0);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named));
  });
});
