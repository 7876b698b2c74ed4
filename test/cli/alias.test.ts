// Aliases: `alias.<name>` of the settings is a command line of ctx under a name of the user's own.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { splitLine } from '../../src/cli/command-line.ts';
import { NOON, type Repo, repository, run, write } from '../support/cli.ts';

/** A store with aliases and a session that was saved. */
function aliased(alias: Record<string, unknown>, trusted = true): Repo {
  const repo = repository({ now: NOON });
  write(join(repo.store, 'settings.json'), JSON.stringify({ fsync: false, alias }));
  // It was copied from another place, and only one that was made here is trusted by itself.
  if (trusted) repo.run(['init', '--trust']);
  repo.run(['start', 'A first task']);
  repo.run(['stage', 'compact']);
  return repo;
}

test('an alias runs the command line that it names, with what is behind it', () => {
  const repo = aliased({ last: 'log -1', say: 'observe note "two words"', j: 'log --json', g: 'git log --format=%s' });
  expect(repo.run(['last', '--oneline'])).toEqual(repo.run(['log', '-1', '--oneline']));
  expect(repo.json(['last'])).toEqual(repo.json(['log', '-1']));
  expect(repo.run(['j'])).toEqual(repo.run(['log', '--json']));
  expect(repo.run(['g', '-1'])).toEqual(repo.run(['git', 'log', '--format=%s', '-1']));
  expect(run(['-C', repo.dir, 'last', '--oneline'])).toEqual(repo.run(['log', '-1', '--oneline']));
  expect(run(['last', '--oneline', '-C', repo.dir])).toEqual(repo.run(['log', '-1', '--oneline']));
  repo.run(['start', 'Another']);
  repo.run(['say', '--flush']);
  expect(repo.run(['show', 'STAGE', '--steps']).stdout).toContain('note two words\n');
});

test('the failure of an alias with --json is JSON', () => {
  const repo = aliased({ j: 'show --json nothing-of-it' });
  expect(JSON.parse(repo.run(['j']).stdout)).toMatchObject({ ok: false, error: { code: 'not_found' } });
});

test('help shows the help of the command that an alias begins with', () => {
  const repo = aliased({ last: 'log -1' });
  expect(repo.run(['help', 'last'])).toEqual(repo.run(['log', '--help']));
  expect(repo.run(['last', '--help'])).toEqual(repo.run(['log', '--help']));
});

test('an alias hides no command', () => {
  const repo = aliased({ log: 'status', stage: 'log' });
  expect(repo.run(['log']).stdout).toContain('A first task');
  expect(repo.run(['stage', 'status']).stdout).toContain('No session is active.');
});

test.each([
  ['another', 'begins with no command of ctx: last'],
  ['itself', 'begins with no command of ctx: itself'],
  ['shell', 'begins with !, and ctx runs no shell'],
  ['open', 'has a quotation without an end'],
  ['option', 'begins with no command of ctx: nothing'],
])('the alias %s is refused: it %s', (name, why) => {
  const alias = { last: 'log', another: 'last', itself: 'itself', shell: '!touch x', open: 'log "x', option: '--json' };
  expect(aliased(alias).refused([name])).toMatchObject({
    exit: 1,
    code: 'invalid_settings',
    message: `alias.${name} ${why}.`,
  });
});

test.each([[{ x: 1 }], [{ '-x': 'log' }], [{ x: ' ' }], ['log'], [['log']]])(
  'settings with the aliases %j are refused',
  (alias) => {
    const repo = repository();
    write(join(repo.store, 'settings.json'), JSON.stringify({ alias }));
    expect(repo.refused(['log'])).toMatchObject({ exit: 1, code: 'invalid_settings' });
  },
);

test('settings that came with a project run no alias until the store is trusted', () => {
  const repo = aliased({ last: 'log -1' }, false);
  expect(repo.refused(['last'])).toMatchObject({
    code: 'invalid_settings',
    hint: 'Trust this store with: ctx init --trust',
  });
  repo.run(['init', '--trust']);
  expect(repo.run(['last']).code).toBe(0);
});

test('without a store, or without such an alias, an unknown command stays one', () => {
  expect(aliased({ last: 'log' }).refused(['lst'])).toMatchObject({ exit: 2, code: 'usage' });
  expect(repository().refused(['toString'])).toMatchObject({ exit: 2, code: 'usage' });
  expect(run(['lst', '-C', '/nonexistent'])).toMatchObject({ code: 2 });
  expect(run(['lst', '-C'])).toMatchObject({ code: 2 });
});

describe('the words of an alias', () => {
  test.each([
    ['log -1', ['log', '-1']],
    ['  log\t"a b" \'c "d\' e\\ f ', ['log', 'a b', 'c "d', 'e f']],
    ['a"b"\'c\'d ""', ['abcd', '']],
    ['"a \\" \\\\ \\n"', ['a " \\ \\n']],
    ['$HOME `x` ;|&', ['$HOME', '`x`', ';|&']],
    ['', []],
    ['"a', null],
    ["a'", null],
    ['a\\', null],
  ])('%s are %j', (line, words) => expect(splitLine(line)).toEqual(words));
});
