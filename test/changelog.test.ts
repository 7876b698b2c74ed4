// CHANGELOG.md: short, in the order of the versions, one sentence an entry.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './support/store.ts';

/** The text of each version, by its heading. */
const versions = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')
  .split(/^## \[/m)
  .slice(1)
  .map((section): [string, string[]] => {
    const [heading = '', ...lines] = section.trimEnd().split('\n');
    return [heading.replace(']', ''), lines.filter((line) => line !== '')];
  });

test('the changelog begins with what is unreleased, and then has the version of the package', () => {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  expect(versions.map(([name]) => name).slice(0, 2)).toEqual(['Unreleased', version]);
});

test('a released version in the changelog has at most 40 lines', () => {
  for (const [name, lines] of versions.filter(([version]) => version !== 'Unreleased'))
    expect({ name, isShort: lines.length <= 40 }).toEqual({ name, isShort: true });
});

test('an entry of the changelog is one sentence on one line', () => {
  for (const [, lines] of versions)
    for (const line of lines.filter((each) => !each.startsWith('### ')))
      expect(line).toMatch(/^- (?:(?!\. [A-Z]).)+\.$/);
});
