// The check of the project's words: which texts of a file count, for which area, and when the check fails.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Place {
  area: string;
  word: string;
  line: number;
}

const { placesOf, run } = (await import(new URL('../.ci/words.mjs', import.meta.url).href)) as {
  placesOf: (path: string, source: string) => Place[];
  run: (root: string, args: string[], print: (line: string) => void) => number;
};

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'words-'));
  for (const folder of ['.ci', 'docs', 'src', 'test']) mkdirSync(join(root, folder));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
};

const check = (...args: string[]): { exit: number; output: string[] } => {
  const output: string[] = [];
  return { exit: run(root, args, (line) => output.push(line)), output };
};

const baseline = (): Record<string, Record<string, number>> =>
  JSON.parse(readFileSync(join(root, '.ci/words.json'), 'utf8'));

const wordsOf = (path: string, source: string): string[] => placesOf(path, source).map(({ word }) => word);

test('a caption, another comment and a string of a source file count for an area each', () => {
  const source = [
    '// Tells what a file holds.',
    "import { told } from './told.ts';",
    '/** Stands for a session. */',
    'export const a = 1; // nobody told',
    "export const b = 'begin anew';",
  ].join('\n');
  expect(placesOf('src/a.ts', source)).toEqual([
    { area: 'captions', word: 'tell', line: 1 },
    { area: 'captions', word: 'stand', line: 3 },
    { area: 'rest', word: 'tell', line: 4 },
    { area: 'help and errors', word: 'anew', line: 5 },
  ]);
});

test('the name of a test counts, and no other text of a test file', () => {
  const source = "// told\ntest('it stands', () => { run('it tells'); });\ntest.each(['they told'])('goes on: %s', f);";
  expect(placesOf('test/a.test.ts', source)).toEqual([
    { area: 'rest', word: 'stand', line: 2 },
    { area: 'rest', word: 'go on', line: 3 },
  ]);
});

test('a document counts with its blocks, but not with names in backquotes', () => {
  expect(placesOf('docs/a.md', '# A\n`told` is a field.\n\n    ctx du: tell what is large\n')).toEqual([
    { area: 'docs', word: 'tell', line: 4 },
  ]);
  expect(placesOf('CHANGELOG.md', 'Whoever asks')).toEqual([{ area: 'rest', word: 'whoever', line: 1 }]);
});

test('a name, the path of a module and a regular expression are no prose', () => {
  expect(wordsOf('src/a.ts', "import '../a told.ts';\nconst kind = 'told';\nconst p = /'he told' (it|`x`)/;")).toEqual(
    [],
  );
});

test('the texts of a template and the strings in its values are read, nested ones too', () => {
  expect(
    wordsOf('src/a.ts', `f(\`it stands \${g({ a: \`\${b('is told')} anew\` })} so\`); // goes on\nh('mend it')`),
  ).toEqual(['tell', 'anew', 'stand', 'go on', 'mend']);
});

test('a sentence that is broken over lines is read as one, and a division begins no pattern', () => {
  expect(
    wordsOf('src/a.ts', 'const a = b / 2; // the session goes\n// on, as what\n//  goes\nconst c = a / 3;'),
  ).toEqual(['go on', 'what goes']);
});

test('"where" counts as a condition, and not as a place', () => {
  for (const text of [
    'Null where it ends',
    'A name; absent where new',
    'Reads it, where it can',
    'not where there is one',
  ])
    expect(wordsOf('src/a.ts', `/** ${text}. */`), text).toEqual(['where']);
  for (const text of ['Shows where it is', 'The folder where sessions lie', 'See where there is room'])
    expect(wordsOf('src/a.ts', `/** ${text}. */`), text).toEqual([]);
});

test('parts of other words do not count', () => {
  const text = 'Understands a standard; a standalone teller, recommended; depends on storage and long online logs.';
  expect(wordsOf('src/a.ts', `/** ${text} */`)).toEqual([]);
});

test('strings of rules about what users write do not count', () => {
  expect(wordsOf('src/language/rules.ts', "const rule = 'to go on with it';")).toEqual([]);
  expect(wordsOf('src/core/time.ts', "const rule = 'to go on with it';")).toEqual(['go on']);
});

test('a count that rises fails and names the file, and a text may move between files', () => {
  write('src/a.ts', '// told\n');
  write('src/b.ts', '// clean\n');
  expect(check('--write').exit).toBe(0);
  expect(baseline()).toEqual({ captions: { 'src/a.ts': 1 }, 'help and errors': {}, docs: {}, rest: {} });

  write('src/a.ts', '// clean\n');
  write('src/b.ts', '// told\n');
  expect(check()).toEqual({ exit: 0, output: [] });

  write('src/c.ts', '\n// anew\n');
  const { exit, output } = check();
  expect(exit).toBe(1);
  expect(output.slice(0, -1)).toEqual([
    'words: captions: 2 places, 1 allowed',
    '  src/b.ts:1: tell',
    '  src/c.ts:2: anew',
  ]);
});

test('a lower area makes no room in another', () => {
  write('src/a.ts', '// told\n');
  write('README.md', 'clean\n');
  check('--write');
  write('src/a.ts', '// clean\n');
  write('README.md', 'It stands.\n');
  expect(check().exit).toBe(1);
});

test('--write lowers the baseline, and never raises it', () => {
  write('src/a.ts', '// told, told\n');
  check('--write');
  write('src/a.ts', '// told\n');
  expect(check().output).toEqual(['words: fewer than the baseline allows; lower it with `node .ci/words.mjs --write`']);
  expect(check('--write')).toEqual({ exit: 0, output: [] });
  expect(baseline()['captions']).toEqual({ 'src/a.ts': 1 });
  write('src/a.ts', '// told, told\n');
  expect(check('--write').exit).toBe(1);
  expect(baseline()['captions']).toEqual({ 'src/a.ts': 1 });
});

test('--list prints each place with its file and line', () => {
  write('src/a.ts', 'f();\n// one\n// stands\n');
  expect(check('--list')).toEqual({ exit: 0, output: ['src/a.ts:3: stand (rest)'] });
});

test('a comment that begins with a question word fails, in any source', () => {
  write('src/a.ts', '// Reads a file.\n\n/** Whether it is there. */\nconst a = 1; // What follows\n');
  write('bench/b.cjs', '/**\n * How long it takes.\n * Measures what is there.\n */\n');
  const { exit, output } = check();
  expect(exit).toBe(1);
  expect(output.slice(0, -1)).toEqual([
    'bench/b.cjs:2: a comment begins with "How"',
    'src/a.ts:3: a comment begins with "Whether"',
  ]);
  write('src/a.ts', '// Reads a file.\n');
  write('bench/b.cjs', '// Whatever it takes, and where.\n');
  expect(check()).toEqual({ exit: 0, output: [] });
});
