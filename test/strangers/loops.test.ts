// Things that lead back to themselves: pointers, saved commits and their chains, operations, and trees and histories by way of refs/replace.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decodeOperation, encodeOperation, type Operation } from '../../src/history/operations/operation.ts';
import { tellCases } from '../support/cases.ts';
import { fsck, NOON, run } from '../support/cli.ts';
import { expectHarmless, type Lived, LOOKS, livedIn, picture, WRITES, watchMany } from './support.ts';
import { Victim } from './victim.ts';

let lived: Lived;
beforeAll(() => {
  lived = livedIn();
});

const MAIN = 'refs/heads/main';
const archive = (): string => `refs/archive/${lived.archived}`;
const head = (victim: Victim, ref: string): string => victim.git('rev-parse', ref);

/** Checks that every command does nothing bad to such a store, and nothing outside of it. */
async function expectCalm(victim: Victim): Promise<void> {
  const outside = (): Record<string, string> => picture(victim.outer, (path) => path === 'project/.ctx');
  const before = outside();
  const lines = [...LOOKS, ...WRITES];
  tellCases(lines.length);
  expectHarmless(await watchMany(lines, { cwd: victim.dir }), lines);
  expect(outside()).toEqual(before);
  rmSync(victim.outer, { recursive: true, force: true });
}

const fsckOf = (victim: Victim): { code: number | null; stdout: string } =>
  run(['fsck'], { cwd: victim.dir, now: NOON });

describe('a pointer that is a link to pointers, as Git would follow it', () => {
  const LOOPS: [name: string, plant: (victim: Victim) => void, named: () => string][] = [
    ['the main line to itself', (v) => v.write(MAIN, `ref: ${MAIN}\n`), () => MAIN],
    ['a session to itself', (v) => v.write(v.session, `ref: ${v.session}\n`), () => `refs/sessions/${lived.session}`],
    [
      'a session and an archive to one another',
      (v) => {
        v.write(v.session, `ref: ${archive()}\n`);
        v.write(archive(), `ref: ${v.session}\n`);
      },
      () => archive(),
    ],
    ['an archive to STAGE', (v) => v.write(archive(), 'ref: STAGE\n'), () => archive()],
    ['STAGE to itself', (v) => v.write('STAGE', 'ref: STAGE\n'), () => 'STAGE'],
    ['STAGE to HEAD', (v) => v.write('STAGE', 'ref: HEAD\n'), () => 'STAGE'],
    // It would be right, if it were followed.
    ['the main line to another branch', (v) => divert(v, MAIN), () => MAIN],
    ['a session to another branch', (v) => divert(v, v.session), () => `refs/sessions/${lived.session}`],
  ];
  const divert = (victim: Victim, ref: string): void => {
    victim.write('refs/heads/other', `${head(victim, ref)}\n`);
    victim.write(ref, 'ref: refs/heads/other\n');
  };

  test.each(LOOPS)('%s: is named, and hangs nobody', async (_name, plant, named) => {
    const victim = new Victim(lived);
    plant(victim);
    const checked = fsckOf(victim);
    expect(checked.code, checked.stdout).toBe(5);
    expect(checked.stdout).toContain(`damage ${named()}: `);
    await expectCalm(victim);
  });

  test.each([
    ['itself', 'ref: HEAD\n'],
    ['STAGE', 'ref: STAGE\n'],
  ])('HEAD to %s: the store is refused until it is repaired', async (_name, text) => {
    const victim = new Victim(lived);
    victim.write('HEAD', text);
    for (const words of [['log'], ['stage', 'flush'], ['git', 'log']])
      expect(run(words, { cwd: victim.dir }).code, words.join(' ')).toBe(5);
    expect(run(['fsck'], { cwd: victim.dir })).toMatchObject({
      code: 5,
      stdout: expect.stringContaining('damage HEAD: '),
    });
    expect(run(['fsck', '--repair'], { cwd: victim.dir }).code).toBe(0);
    expect(run(['log'], { cwd: victim.dir }).code).toBe(0);
    victim.write('HEAD', text);
    await expectCalm(victim);
  });
});

describe('a saved commit and a chain that lead to one another', () => {
  /** Makes a commit like the head of the main line, with other trailers, the new head. */
  const save = (victim: Victim, change: (text: string) => string): string => {
    const text = change(`${victim.git('cat-file', 'commit', MAIN)}\n`);
    victim.write(MAIN, `${victim.object('commit', Buffer.from(text))}\n`);
    return head(victim, MAIN);
  };
  const LOOPS: [name: string, plant: (victim: Victim) => void][] = [
    [
      'the chain of a saved commit is its parent',
      (v) => {
        const [id] = [/Ctx-Session: (.*)/.exec(v.git('cat-file', 'commit', MAIN))?.[1]];
        const parent = head(v, `${MAIN}~1`);
        save(v, (text) => text.replace(/Ctx-Work: .*/, `Ctx-Work: ${parent}`));
        v.write(`refs/archive/${id}`, `${parent}\n`);
      },
    ],
    [
      'the archive of a session is the commit that it was saved as',
      (v) => v.write(archive(), `${v.git('log', '--format=%H', `--grep=Ctx-Session: ${lived.archived}`, MAIN)}\n`),
    ],
    [
      'a session is open and archived, each as the other',
      (v) => {
        const [open, old] = [head(v, v.session), head(v, archive())];
        v.write(v.session, `${old}\n`);
        v.write(archive(), `${open}\n`);
      },
    ],
  ];

  test.each(LOOPS)('%s', async (_name, plant) => {
    const victim = new Victim(lived);
    plant(victim);
    const checked = fsckOf(victim);
    expect(checked.code, checked.stdout).toBe(5);
    expect(checked.stdout).toMatch(/^damage /m);
    await expectCalm(victim);
  });
});

test.each([
  ['operations that each take the other back', false],
  ['one of them begun', true],
])('%s: undo and fsck come to an end', async (_name, begun) => {
  const victim = new Victim(lived);
  const folder = join(victim.store, 'oplog');
  const [newer, older] = [head(victim, MAIN), head(victim, `${MAIN}~1`)];
  const names = readdirSync(folder).sort();
  const last = victim.git('--no-pager', 'show', '-s', '--format=%H', MAIN);
  expect(last).toBe(newer);
  const base: Operation = {
    version: 1,
    id: '0fffffff-ffff-7fff-8000-000000000000',
    at: NOON,
    command: 'undo',
    message: 'Took it back',
    moves: [],
  };
  const ids = Array.from({ length: 200 }, (_, index) => `0fffffff-ffff-7fff-8000-${String(index).padStart(12, '0')}`);
  for (const [index, id] of ids.entries()) {
    const [from, to] = index % 2 === 0 ? [newer, older] : [older, newer];
    const operation = { ...base, id, moves: [{ pointer: MAIN, old: from, new: to }] };
    const text = encodeOperation(operation);
    expect(decodeOperation(text, id).moves).toHaveLength(1);
    writeFileSync(join(folder, `${id}.json`), text);
    if (begun && index === 0) writeFileSync(join(folder, 'begun.json'), text);
  }
  expect(readdirSync(folder).length).toBe(names.length + ids.length + (begun ? 1 : 0));
  await expectCalm(victim);
});

describe('refs/replace', () => {
  const questions = [
    ...LOOKS.filter(([first]) => first !== 'fsck'),
    ['git', 'log', '--format=%H %P', 'main'],
    ['git', 'cat-file', '-p', 'main^{tree}'],
    ['git', 'ls-tree', '-r', 'main'],
  ];
  const answers = async (victim: Victim): Promise<string[]> => {
    const { ran, stdout } = await watchMany(
      questions.map((words) => ['--json', ...words]),
      { cwd: victim.dir },
    );
    expect(ran).toHaveLength(questions.length);
    // The text between two answers shows how long one took.
    return [...ran.map(({ words, code }) => `${words.join(' ')}: ${code}`), stdout.replace(/"ms":\d+/g, '')];
  };
  const replace = (victim: Victim, oid: string, by: string): void => {
    victim.git('update-ref', `refs/replace/${oid}`, by);
  };
  const PLANTS: [name: string, plant: (victim: Victim) => void][] = [
    [
      'a tree that contains itself',
      (v) => {
        const files = head(v, 'main:files');
        replace(v, files, v.tree([['40000', 'again', files]]));
      },
    ],
    [
      'a history that begins with its end',
      (v) => {
        const root = v.git('rev-list', '--max-parents=0', MAIN);
        const text = v.git('cat-file', 'commit', root).replace(/^(tree .*)$/m, `$1\nparent ${head(v, MAIN)}`);
        replace(v, root, v.object('commit', Buffer.from(`${text}\n`)));
      },
    ],
    ['another session in the place of the saved one', (v) => replace(v, head(v, MAIN), head(v, `${MAIN}~1`))],
  ];

  test.each(PLANTS)('with %s is not followed, by ctx and by the Git that it runs', async (_name, plant) => {
    const victim = new Victim(lived);
    const before = await answers(victim);
    plant(victim);
    expect(victim.git('for-each-ref', '--format=%(refname)', 'refs/replace')).toMatch(/^refs\/replace\/[0-9a-f]{40}$/);
    expect(await answers(victim)).toEqual(before);
    tellCases(questions.length);
    for (const words of [['fsck', '--full'], ['gc'], ['fsck', '--full']])
      expect(run(words, { cwd: victim.dir, now: NOON }).code, words.join(' ')).toBe(0);
    expect(await answers(victim)).toEqual(before);
    await expectCalm(victim);
  });

  test('Git by itself would follow it', () => {
    const victim = new Victim(lived);
    const before = victim.git('log', '--format=%s', MAIN);
    replace(victim, head(victim, MAIN), head(victim, `${MAIN}~1`));
    expect(victim.git('log', '--format=%s', MAIN)).not.toBe(before);
    fsck(victim.dir);
  });
});
