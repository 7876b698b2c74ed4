// Stored text on a real terminal: whatever stands in whatever place, only text, our colours and our spinner reach it.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { tellCases } from '../support/cases.ts';
import { NOON, type Repo, repository, write } from '../support/cli.ts';
import { fc } from '../support/property.ts';
import { commands, damageWith, EVIL, everywhere, fill, texts } from './hostile.ts';
import { expectCalm, onTerminal, opener, type Terminal } from './pty.ts';
import { FULL } from './support.ts';

const COLOUR_WORDS: [name: string, env: Record<string, string>, colours: boolean][] = [
  ['by itself', {}, true],
  ['with NO_COLOR', { NO_COLOR: '1' }, false],
  ['with FORCE_COLOR', { FORCE_COLOR: '3' }, true],
  ['with TERM=dumb', { TERM: 'dumb' }, false],
  ['through a pager', { CTX_PAGER: 'cat -' }, true],
];

/** Asserts that all came to an end, and calm. */
function expectAll({ text, codes }: Terminal, count: number, colours: boolean): void {
  expect(codes.length).toBe(count);
  for (const code of codes) expect([0, 1, 2, 5]).toContain(code);
  expectCalm(text, { colours, spinner: true });
}

describe.skipIf(!opener)('on a terminal (skipped where neither script nor python3 can open one)', () => {
  let repo: Repo;
  let session: string;
  beforeAll(async () => {
    repo = repository({ now: NOON });
    session = await fill(repo, everywhere);
  });

  test.each(COLOUR_WORDS)('all the text that moves terminals, everywhere, %s', (_name, env, colours) => {
    const copy = repo.copy();
    write(join(copy.store, 'settings.json'), JSON.stringify({ [everywhere.setting]: 1, fsync: false }));
    const lines = commands(everywhere, session);
    const seen = onTerminal(lines, { cwd: copy.dir, env });
    expectAll(seen, lines.length, colours);
    // Every place did come to the terminal: the judge has seen it all.
    for (const place of [
      'task',
      'question',
      'note',
      'plan',
      'command',
      'file',
      'content',
      'message',
      'interruption',
      'compact',
      'from',
      'to',
      'newTask',
      'reason',
      'setting',
      'prompt',
      'error',
    ] as const)
      expect(seen.text, place).toContain(`<${place}>`);
    expect(seen.text.includes('\u001b[36m')).toBe(colours);
  });

  test('a damaged store whose names, refs and commits are hostile', () => {
    const copy = repo.copy();
    damageWith(copy, session, EVIL.join('.'));
    const lines = [
      ...[['fsck'], ['fsck', '--full'], ['log'], ['log', '--oneline', '--stat'], ['show', 'HEAD'], ['show', 'HEAD~1']],
      ...[
        ['diff', 'HEAD~1', 'HEAD'],
        // By their trees: the other way goes by what the session recorded.
        ['diff', 'HEAD', 'HEAD~1'],
        ['stage', 'status'],
        ['stage', 'recover'],
        ['stage', 'list'],
        ['op', 'log'],
      ],
      ...[['stage', 'cleanup', '--dry-run'], ['gc'], ['fsck', '--repair'], ['stage', 'flush'], ['--json', 'fsck']],
    ];
    const seen = onTerminal(lines, { cwd: copy.dir });
    expectAll(seen, lines.length, true);
    for (const place of ['commit', 'entry', 'record', 'operation', 'left'])
      expect(seen.text, place).toContain(`<${place}>`);
    expect(seen.codes.filter((code) => code === 5).length).toBeGreaterThan(3);
  });

  test('a store whose names move terminals, shown by Git itself, which speaks on standard error too', () => {
    const copy = repo.copy();
    copy.git('pack-refs', '--all');
    const name = `evil\u009b31mRED\u202ex`;
    write(join(copy.store, 'refs', 'heads', name), 'junk\n');
    const pack = `pack-\u009b31m\u202e${'0'.repeat(36)}`;
    write(join(copy.store, 'objects', 'pack', `${pack}.pack`), 'junk\n');
    write(join(copy.store, 'objects', 'pack', `${pack}.idx`), 'junk\n');
    const tag = `object ${copy.git('rev-parse', 'main').trim()}\ntype commit\ntag a~b\r   \rThe store is whole\rx\ntagger a <b> 1 +0000\n\nx\n`;
    const made = execFileSync(
      'git',
      ['--git-dir', copy.store, 'hash-object', '-t', 'tag', '-w', '--literally', '--stdin'],
      {
        input: tag,
      },
    );
    copy.git('update-ref', 'refs/tags/overwriting', made.toString().trim());
    const asked = [
      ['branch'],
      ['for-each-ref'],
      ['log', '--all'],
      ['gc'],
      ['fsck'],
      ['show-ref'],
      ['ls-tree', 'main'],
      ['cat-file', '--batch-all-objects', '--batch'],
    ];
    const lines = [...asked, ['cat-file', '-p', '0123456789'], ['log', '--oneline', 'main']].map((words) => [
      'git',
      ...words,
    ]);
    const seen = onTerminal(lines, { cwd: copy.dir });
    expect(seen.codes).toHaveLength(lines.length);
    expect(seen.codes.at(-1)).toBe(0);
    expectCalm(seen.text, { colours: true });
    // Git did say it.
    expect(seen.text).toMatch(/ignoring (broken )?ref .*evil\ufffd31mRED\ufffdx/);
    expect(seen.text).toMatch(/pack-\ufffd31m\ufffd0/);
    expect(seen.text).toContain('\n  The store is whole\n  x');
    expect(seen.text).toContain('tagger a <b> 1 +0000');
  });

  test('any text in any place', async () => {
    await fc.assert(
      fc.asyncProperty(texts, async (t) => {
        tellCases(1);
        const made = repository({ now: NOON });
        const id = await fill(made, t);
        const lines = commands(t, id).slice(0, 18);
        expectAll(onTerminal(lines, { cwd: made.dir }), lines.length, true);
      }),
      { numRuns: FULL ? 60 : 2 },
    );
  }, 600_000);

  test('the judge is awake', () => {
    const colours = { colours: true, spinner: true };
    for (const evil of EVIL.filter((text) => !['\t', '\n', '\r\n', '\u2028'].includes(text)))
      expect(() => expectCalm(`a${evil}b`, colours), JSON.stringify(evil)).toThrow();
    expect(() => expectCalm('\u001b[31m', { colours: false })).toThrow();
    expectCalm('\u001b[31mred\u001b[39m\n', colours);
  });
});
