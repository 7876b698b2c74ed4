// Commit objects: bytes and back, and trailers that no text of a stranger can forge or hide, in the eyes of Git too.
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  commitMessage,
  decodeCommit,
  encodeCommit,
  subjectOf,
  type Trailer,
  trailersOf,
} from '../../src/core/commit.ts';
import { EMPTY_TREE } from '../../src/core/tree.ts';
import { fc, hostileText } from '../support/property.ts';
import { errorOf, fsck, git, makeProject } from '../support/store.ts';

const PARENTS = ['1'.repeat(40), 'abcdef0123456789abcdef0123456789abcdef01'];

describe('bytes of a commit', () => {
  test('are what Git writes', () => {
    const { store } = makeProject();
    const message = commitMessage('A subject', [
      ['Ctx-Type', 'Normal'],
      ['Ctx-Steps', '3'],
    ]);
    const at = 1_769_040_000;
    const ours = encodeCommit({ tree: EMPTY_TREE, parents: [], author: 'claude-code', at, message });
    expect(ours.toString('utf8')).toBe(
      `tree ${EMPTY_TREE}
author claude-code <ctx@localhost> 1769040000 +0000
committer ctx <ctx@localhost> 1769040000 +0000

A subject

Ctx-Type: Normal
Ctx-Steps: 3
`,
    );
    const id = git(store, ['hash-object', '-t', 'commit', '--stdin', '-w'], ours).trim();
    expect(git(store, ['log', '-1', '--format=%an|%ae|%cn|%at|%ct|%B', id])).toBe(
      `claude-code|ctx@localhost|ctx|${at}|${at}|${message}\n`,
    );
  });

  test('come back as they were', () => {
    const arbitrary = fc.record({
      parents: fc.subarray(PARENTS),
      at: fc.integer({ min: 0, max: 999_999_999_999 }),
      subject: hostileText(),
      author: fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/),
    });
    fc.assert(
      fc.property(arbitrary, ({ parents, at, subject, author }) => {
        const message = commitMessage(subject, [['Ctx-Step', '1']]);
        const commit = decodeCommit(encodeCommit({ tree: EMPTY_TREE, parents, author, at, message }), 'x');
        expect(commit).toEqual({ tree: EMPTY_TREE, parents, author, authoredAt: at, committedAt: at, message });
      }),
    );
  });

  test.each<[string, string]>([
    ['', 'ctx'],
    [' ', 'ctx'],
    ['<>', 'ctx'],
    ['.,:;"\'\\', 'ctx'],
    ['a <b@c>', 'a b@c'],
    ['a\n\nb', 'a b'],
    ['x\0y', 'x y'],
    ['Anna-Lena Meier.', 'Anna-Lena Meier'],
    ['Ä. Ö.', 'Ä. Ö'],
    ['n'.repeat(300), `${'n'.repeat(99)}…`],
  ])('the author %j is %j', (author, name) => {
    const bytes = encodeCommit({ tree: EMPTY_TREE, parents: [], author, at: 5, message: 'm\n' });
    expect(decodeCommit(bytes, 'x').author).toBe(name);
  });

  test.each([
    [-1, 0],
    [1.9, 1],
  ])('the time %d is written as %i', (at, seconds) => {
    const bytes = encodeCommit({ tree: EMPTY_TREE, parents: [], author: 'ctx', at, message: 'm\n' });
    expect(decodeCommit(bytes, 'x')).toMatchObject({ authoredAt: seconds, committedAt: seconds });
  });

  test('a commit of somebody else is read too', () => {
    const text = `tree ${EMPTY_TREE}\nparent ${PARENTS[0]}\nauthor A U Thor <a@b> 12 +0200\ncommitter C <c@d> 34 -0700\ngpgsig -----BEGIN\n abc\nencoding x\n\nS\n\nbody\n`;
    expect(decodeCommit(Buffer.from(text), 'x')).toEqual({
      tree: EMPTY_TREE,
      parents: [PARENTS[0]],
      author: 'A U Thor',
      authoredAt: 12,
      committedAt: 34,
      message: 'S\n\nbody\n',
    });
    expect(decodeCommit(Buffer.from(`tree ${EMPTY_TREE}\n`), 'x').message).toBe('');
  });

  test.each([
    [''],
    ['\n\nm'],
    ['tree \n\nm'],
    [`tree ${EMPTY_TREE.slice(1)}\n\nm`],
    [`tree ${EMPTY_TREE.toUpperCase()}\n\nm`],
    [`tree ${EMPTY_TREE}0\n\nm`],
    [`tree ${EMPTY_TREE}\nparent HEAD\n\nm`],
    [`tree ${EMPTY_TREE}\nparent \n\nm`],
    [`x\n\ntree ${EMPTY_TREE}\n`],
  ])('%j is no commit, and is named', (text) => {
    const error = errorOf(() => decodeCommit(Buffer.from(text), 'f00'));
    expect(error.code).toBe('damaged');
    expect(error.message).toContain('commit f00');
  });
});

describe('subject and trailers', () => {
  test.each<[string, string]>([
    ['one\n\ntwo', 'one'],
    ['one', 'one'],
    ['', ''],
    ['\none', ''],
  ])('the subject of %j is %j', (message, subject) => {
    expect(subjectOf(message)).toBe(subject);
  });

  test.each<[string, [string, string][]]>([
    ['s\n\nCtx-Type: Normal\n', [['Ctx-Type', 'Normal']]],
    ['s\n\nCtx-Type: Normal\nCtx-Type: Abandoned', [['Ctx-Type', 'Abandoned']]],
    ['s\n\nCtx-Type: Normal\n\nbody\n', []],
    ['s\n\nCtx-Type: Normal\n\nCtx-Task: x: y\n', [['Ctx-Task', 'x: y']]],
    ['s\n\nCtx-Task:\nOther: z\n', [['Ctx-Task', '']]],
    ['s\n\n Ctx-Type: Normal\nxCtx-Type: y', []],
    ['', []],
  ])('those of %j are %j', (message, expected) => {
    expect([...trailersOf(message)]).toEqual(expected);
  });

  test('an empty subject gets one, and an empty value stays a trailer', () => {
    expect(commitMessage(' \r\n\r\n ', [['Ctx-Task', '\n\n']])).toBe('ctx\n\nCtx-Task:\n');
  });
});

/** Texts that have forged or hidden trailers somewhere before. */
const ATTACKS = [
  'x\n\nCtx-Type: Abandoned',
  'x\r\n\r\nCtx-Type: Abandoned',
  'x\u2028\u2028Ctx-Type: Abandoned',
  'x\x85\x85Ctx-Type: Abandoned',
  'x\v\fCtx-Type: Abandoned',
  'Ctx-Type: Abandoned',
  'Ctx-Type: Abandoned\n\n',
  '\n\n\n',
  '',
  '\0',
  'a\0b',
  '# comment',
  'Conflicts:',
  'Signed-off-by: a <a@b>',
  '(cherry picked from commit 1)',
  ' leading',
  '\tleading',
  'fixup! x',
  '\ud800',
  'x'.repeat(5_000),
  '😀'.repeat(100),
  '-- ',
  'diff --git a/a b/b',
  'Index: a',
];

const KEYS = ['Ctx-Type', 'Ctx-Session', 'Ctx-Task', 'Ctx-State', 'Ctx-Work', 'Ctx-New-Task'];
const trailers = fc
  .array(fc.oneof(hostileText(), fc.constantFrom(...ATTACKS)), { minLength: 1, maxLength: KEYS.length })
  .map((values) => values.map((value, index): Trailer => [KEYS[index] as string, value]));
const messages = fc.tuple(fc.oneof(hostileText(), fc.constantFrom(...ATTACKS)), trailers);

/** Git shows an empty value with a blank before it. */
const trailerLines = (text: string): string[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trimEnd());

describe('no text forges a trailer or hides one', () => {
  /** Checks the message of a subject and these values. */
  const check = (message: string, given: readonly Trailer[]): void => {
    expect([...trailersOf(message).keys()]).toEqual(given.map(([key]) => key));
    const lines = message.split('\n');
    expect(lines.slice(1)).toEqual(['', ...[...trailersOf(message)].map(([k, v]) => `${k}: ${v}`.trimEnd()), '']);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(200 + 'Ctx-New-Task: '.length);
    expect(subjectOf(message)).not.toBe('');
    expect(message).not.toMatch(/[^\P{Cc}\n]/u);
  };

  test('whatever the subject and the values', () => {
    fc.assert(
      fc.property(messages, ([subject, given]) => check(commitMessage(subject, given), given)),
      { numRuns: 1000 },
    );
  });

  test('agrees with git log on the trailers of 600 commits, and with git fsck', () => {
    const { store, repository } = makeProject();
    const samples = [
      ...ATTACKS.flatMap((attack): [string, Trailer[]][] => [
        [attack, [['Ctx-Type', 'Normal']]],
        [
          's',
          [
            ['Ctx-Task', attack],
            ['Ctx-Type', 'Normal'],
          ],
        ],
        [
          attack,
          [
            ['Ctx-Type', 'Normal'],
            ['Ctx-Task', attack],
          ],
        ],
      ]),
      ...fc.sample(messages, { numRuns: 600 - ATTACKS.length * 3, seed: 7 }),
    ];
    const written = samples.map(([subject, given], index) => {
      const message = commitMessage(subject, given);
      const author = subject;
      const bytes = encodeCommit({ tree: EMPTY_TREE, parents: [], author, at: index, message });
      return { oid: repository.objects.write('commit', bytes), message };
    });
    const format = '%H%x00%s%x00%(trailers:only,unfold)%x00%x00';
    const words = ['log', '--no-walk=unsorted', '--stdin', `--format=${format}`];
    const told = git(store, words, written.map(({ oid }) => `${oid}\n`).join(''));
    const entries = told.split('\0\0\n').slice(0, -1);
    expect(entries).toHaveLength(samples.length);
    for (const [index, entry] of entries.entries()) {
      const [oid, subject, block] = entry.split('\0');
      const { message } = written[index] as { oid: string; message: string };
      expect(oid).toBe(written[index]?.oid);
      expect(subject).toBe(subjectOf(message));
      expect(trailerLines(block ?? '')).toEqual(trailerLines(message.slice(message.indexOf('\n\n') + 2)));
    }
    expect(fsck(store)).toBe('');
  });

  test('agrees with git interpret-trailers', () => {
    const samples = [
      ...ATTACKS.map((attack): [string, Trailer[]] => [
        attack,
        [
          ['Ctx-Task', attack],
          ['Ctx-Type', 'Normal'],
        ],
      ]),
      ...fc.sample(messages, { numRuns: 30, seed: 8 }),
    ];
    for (const [subject, given] of samples) {
      const message = commitMessage(subject, given);
      // --no-divider: for a message out of a commit; without it "---" begins a patch.
      const words = ['interpret-trailers', '--parse', '--no-divider'];
      const { stdout } = spawnSync('git', words, { input: message, encoding: 'utf8' });
      expect(trailerLines(stdout)).toEqual(trailerLines(message.slice(message.indexOf('\n\n') + 2)));
    }
  });
  test('not even Git’s own scissors', () => {
    const scissors = '# ------------------------ >8 ------------------------';
    const message = commitMessage(scissors, [['Ctx-Type', 'Normal']]);
    const { stdout } = spawnSync('git', ['interpret-trailers', '--parse', '--no-divider'], { input: message });
    expect(stdout.toString('utf8')).toBe('Ctx-Type: Normal\n');
  });
});
