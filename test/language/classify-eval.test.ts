// The evaluation of the classifier: its figures over rows whose answer is known by hand, its exit codes, and its words for bad rows.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  accuracy,
  calibration,
  calibrationError,
  classFigures,
  imprecise,
  type Judged,
  macroF1,
  reportOf,
  strictAccuracy,
} from '../../bench/classify/figures.ts';
import { BadRow, readRows } from '../../bench/classify/rows.ts';
import type { Classification } from '../../src/core/message-class.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const FIXTURE = join(root, 'fixtures/classify/labelled.jsonl');

const judge = (
  label: Classification,
  predicted: Classification,
  alt: Classification | null = null,
  confidence = 0.9,
): Judged => ({ row: { label, alt }, predicted, confidence });

describe('figures', () => {
  const judged = [
    judge('Response', 'Response'),
    judge('Modification', 'Response', 'Response'),
    judge('Modification', 'Modification'),
    judge('Modification', 'Abandon', 'NewTask', 0.6),
  ];

  test('accuracy counts what label or alt name', () => {
    expect(accuracy(judged)).toBe(0.75);
    expect(strictAccuracy(judged)).toBe(0.5);
  });

  test('macro-F1 is the mean over the classes that occur', () => {
    // Response: 2 of 2 and 2 predicted. Modification: 2 rows, 1 found.
    expect(macroF1(judged)).toBeCloseTo((1 + 2 / 3) / 2, 10);
  });

  test('precision, and which class misses it', () => {
    const byName = Object.fromEntries(classFigures(judged).map((one) => [one.name, one.precision]));
    expect(byName).toMatchObject({ Response: 1, Modification: 1, Abandon: 0, NewTask: null, Unclear: null });
    expect(imprecise(judged).map(({ name }) => name)).toEqual(['Abandon']);
    const nine = Array.from({ length: 9 }, () => judge('Abandon', 'Abandon'));
    expect(imprecise([...nine, judge('Response', 'Abandon')])).toEqual([]);
    expect(imprecise([...nine.slice(1), judge('Response', 'Abandon')])).toHaveLength(1);
    // Only those that end or start a session must be that precise.
    expect(imprecise([judge('Response', 'Modification')])).toEqual([]);
  });

  test('calibration sets confidence beside what is right', () => {
    expect(calibration(judged)).toEqual([
      { from: 0.5, to: 0.7, rows: 1, confidence: 0.6, right: 0 },
      { from: 0.9, to: 0.95, rows: 3, confidence: expect.closeTo(0.9), right: 1 },
    ]);
    expect(calibrationError(judged)).toBeCloseTo((0.6 + 3 * 0.1) / 4, 10);
  });

  test('the report shows them all', () => {
    const report = reportOf(judged);
    expect(report).toContain('Accuracy   0.750 (label or alt), 0.500 (label alone)');
    expect(report).toContain('Macro-F1   0.833');
    expect(report).toMatch(/^Modification +0 +1 +0 +1 +0 +0 +0$/m);
    expect(report).toContain('Precision of Abandon      0.000 (0 of 1; 0 by the label alone), at least 0.9');
  });
});

describe('rows', () => {
  const good = '{"label":"Response","state":"Running","user_message":"x"}';

  test('what may be absent is', () => {
    const row = { label: 'Response', alt: null, state: 'Running', lastMessage: null, message: 'x', agent: '' };
    expect(readRows('a', `${good}\n\n`)).toEqual([row]);
  });

  test.each<[string, RegExp]>([
    [`${good}\n{`, /^a:2: this line is not JSON$/],
    ['[]', /^a:1: this line is not a JSON object$/],
    [`${good}\n\n{"label":"Yes","user_message":"x"}`, /^a:3: "label" is "Yes"; it must be one of Response, /],
    ['{"label":"Response","alt":3,"user_message":"x"}', /^a:1: "alt" is 3/],
    [
      '{"label":"Response","state":"Idle","user_message":"x"}',
      /^a:1: "state" is "Idle"; it must be null or one of Running/,
    ],
    ['{"label":"Response"}', /^a:1: "user_message" is not a text$/],
    ['{"label":"Response","user_message":"x","assistant_last_message_excerpt":1}', /^a:1: "assistant_last/],
    ['\n', /^a: no rows in it$/],
  ])('names the file and the line of %j', (text, message) => {
    expect(() => readRows('a', text)).toThrow(BadRow);
    expect(() => readRows('a', text)).toThrow(message);
  });
});

describe('npm run classify:eval', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'ctx-classify-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (...words: string[]) => {
    const script = join(root, 'bench/classify/eval.ts');
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', script, ...words], {
      encoding: 'utf8',
      cwd: root,
    });
    return { status, stdout, stderr };
  };

  test('prints the figures of a file', () => {
    const { status, stdout, stderr } = run(FIXTURE, '--errors');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('Rows       10');
    expect(stdout).toContain('Accuracy   0.900 (label or alt), 0.800 (label alone)');
    expect(stdout).toContain('the search page needs a loading state');
  });

  test('exits with 1 where a class is not precise enough', () => {
    const file = join(folder, 'wrong.jsonl');
    writeFileSync(file, '{"label":"Response","state":"Running","user_message":"never mind"}\n');
    const { status, stderr } = run(file);
    expect(status).toBe(1);
    expect(stderr).toBe('error: the precision of Abandon is 0.000, less than 0.9\n');
  });

  test('explains what is wrong with a file, and how to call the command', () => {
    const file = join(folder, 'bad.jsonl');
    writeFileSync(file, '{"label":"Nothing"}\n');
    expect(run(file)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining(`error: ${file}:1: "label"`),
    });
    expect(run(join(folder, 'none.jsonl'))).toMatchObject({ status: 1, stderr: expect.stringContaining('ENOENT') });
    expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage: npm run classify:eval') });
  });
});
