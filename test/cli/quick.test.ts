// The quick reader and commander read the same command line the same way: whatever the quick one answers, the full one answers too.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseFully } from '../../src/cli/parser.ts';
import { parseQuick } from '../../src/cli/quick.ts';
import { HOT_COMMANDS } from '../../src/cli/table.ts';

const flags = HOT_COMMANDS.flatMap((command) => command.options ?? []).flatMap((spec) => spec.flags.split(/[ ,]+/));
const word = fc.oneof(
  fc.constantFrom(...flags.filter((flag) => flag.startsWith('-'))),
  fc.constantFrom('--json', '--quiet', '-q', '-C', '--session', '--no-color', '--'),
  fc.constantFrom('-', '0', '12', '-3', 'x', 'two words', '', '--unknown', '-x', '--message=a', 'a=b', 'é'),
);

test('every line that the quick reader answers means the same to commander', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...HOT_COMMANDS),
      fc.array(word, { maxLength: 6 }),
      fc.array(word, { maxLength: 1 }),
      async (command, after, before) => {
        const line = [...before, ...command.name.split(' '), ...after];
        const quick = parseQuick(line, HOT_COMMANDS);
        if (!quick) return;
        const full = await parseFully(line);
        answered += 1;
        expect(full, line.join(' ')).toMatchObject({ globals: quick.globals, input: quick.input });
        expect('command' in full && full.command.name).toBe(quick.command.name);
      },
    ),
    { seed: 20260121, numRuns: 1500 },
  );
  // A reader that answers nothing would pass as well.
  expect(answered).toBeGreaterThan(100);
});
