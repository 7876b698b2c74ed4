// The quick reader and commander read the same command line the same way: whatever the quick one answers, commander answers too.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { read } from '../../src/cli/commander.ts';
import type { Command } from '../../src/cli/frame/command.ts';
import { safeParse, schemas } from '../../src/cli/frame/schema.ts';
import { parseFully } from '../../src/cli/parser.ts';
import { parseQuick } from '../../src/cli/quick.ts';
import { HOT_COMMANDS, loadCommands, loadCommandsOf } from '../../src/cli/table.ts';
import { SAMPLES } from '../support/samples.ts';

const VALUES = [
  '-',
  '0',
  '12',
  '-3',
  'x',
  'two words',
  '',
  '--unknown',
  '-x',
  '--message=a',
  '--message=',
  '-mtext',
  '-qm',
  '--json=yes',
  'a=b',
  'é',
];
const GLOBALS = ['--json', '--quiet', '-q', '-C', '--session', '--no-color', '--'];

/** A line that means a command, or nearly does: its own options, mostly with a value that may do, among other words. */
function lineOf({ name, options = [] }: Command): fc.Arbitrary<string[]> {
  const value = fc.constantFrom(...VALUES);
  const own = options.map(({ flags, choices }) =>
    fc.tuple(
      fc.constantFrom(...flags.split(/[ ,]+/).filter((flag) => flag.startsWith('-'))),
      choices ? fc.constantFrom(...choices, ...VALUES) : value,
    ),
  );
  const part = fc.oneof(...own, fc.tuple(fc.constantFrom(...GLOBALS), value), fc.tuple(value));
  const parts = (maxLength: number) => fc.array(part, { maxLength }).map((all) => all.flat());
  return fc.tuple(parts(1), parts(4)).map(([before, after]) => [...before, ...name.split(' '), ...after]);
}

/** Counts the lines that the quick reader answers; all of those it must read as commander does. */
async function answered(commands: readonly Command[], numRuns: number): Promise<number> {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...commands).chain(lineOf), async (line) => {
      const few = (await loadCommandsOf(line)) ?? [];
      const quick = parseQuick(line, few);
      if (!quick) return;
      count += 1;
      expect(read(line, few), line.join(' ')).toEqual(quick);
    }),
    { seed: 20260121, numRuns },
  );
  return count;
}

test('every line that the quick reader answers means the same to commander', async () => {
  // A reader that answers nothing would pass as well.
  expect(await answered(HOT_COMMANDS, 500)).toBeGreaterThan(50);
  expect(await answered(await loadCommands(), 800)).toBeGreaterThan(50);
});

test('one line of each command is read without commander', async () => {
  for (const command of await loadCommands()) {
    const { line } = SAMPLES[command.name] as { line: string[] };
    const parsed = await parseFully(line);
    expect('command' in parsed && parsed.command.name, line.join(' ')).toBe(command.name);
    expect(parseQuick(line, (await loadCommandsOf(line)) ?? []), line.join(' ')).not.toBeNull();
  }
});

test('what the quick reader answers of a hot command needs no further check', async () => {
  await fc.assert(
    fc.property(fc.constantFrom(...HOT_COMMANDS).chain(lineOf), (line) => {
      const quick = parseQuick(line, HOT_COMMANDS);
      if (!quick) return;
      const checked = safeParse(quick.command.input(schemas), quick.input);
      expect(checked.success && checked.data).toEqual(quick.input);
    }),
    { seed: 20260121, numRuns: 1500 },
  );
});
