// The lists in the pages for users are those of the program: states, exit codes, settings, values of the library.
import { describe, expect, test } from 'vitest';
import { EXIT_MEANINGS } from '../src/cli/exit-codes.ts';
import { STATE_KINDS, stateDiagram } from '../src/core/state.ts';
import { DEFAULT_SETTINGS, readSettings } from '../src/history/store/settings.ts';
import * as library from '../src/index.ts';
import { readPage } from './support/pages.ts';
import { between, blocksOf, rowsOf } from './support/readme.ts';

/** The first column of the table below a heading, without backticks. */
function firstColumn(page: string, heading: string): string[] {
  const [, section] = readPage(page).split(new RegExp(`^#+ ${heading}$`, 'm'));
  const rows = rowsOf((section ?? '').split(/^#+ /m)[0] ?? '').slice(1);
  return rows.map(([cell]) => (cell ?? '').replaceAll('`', ''));
}

describe('README.md', () => {
  test('the diagram of states is the state table', () => {
    const [block] = blocksOf(between(readPage('README.md'), 'state-diagram'));
    expect(block?.language).toBe('mermaid');
    expect(block?.text).toBe(stateDiagram());
  });

  test('every exit code is listed', () => {
    const listed = rowsOf(between(readPage('README.md'), 'exit-codes')).slice(1);
    expect(listed).toEqual(EXIT_MEANINGS.map(([code, meaning]) => [String(code), meaning]));
  });
});

test('docs/sessions.md explains every state', () => {
  expect(firstColumn('docs/sessions.md', 'States').sort()).toEqual([...STATE_KINDS].sort());
});

test('docs/settings.md lists every setting, and its defaults are the defaults', () => {
  expect(firstColumn('docs/settings.md', 'Keys')).toEqual(Object.keys(DEFAULT_SETTINGS));
  const block = blocksOf(readPage('docs/settings.md')).find((candidate) => candidate.text.includes('"ask_threshold"'));
  expect(readSettings(block?.text ?? '')).toEqual({ settings: DEFAULT_SETTINGS, unknown: [] });
});

test('docs/library.md lists every value of the library', () => {
  const named = [...between(readPage('docs/library.md'), 'library').matchAll(/`(\w+)`/g)].map((match) => match[1]);
  expect(named.sort()).toEqual(Object.keys(library).sort());
});
