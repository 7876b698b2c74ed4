/** `ctx stage flush`. */
import type { FlushResult } from '../../app/session/flush-waiting.ts';
import { wholeText } from '../../app/session/text.ts';
import { plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';
import { shortOid } from '../frame/words.ts';

interface Input {
  message?: string | undefined;
  allow_empty?: boolean | undefined;
}

export const flushCommand = defineCommand<Input, FlushResult>({
  name: 'stage flush',
  alias: 'flush',
  summary: 'make one step of what was observed',
  options: [
    { flags: '-m, --message <note>', description: 'put a note into the step (- reads standard input)' },
    { flags: '--allow-empty', description: 'make a step even if nothing was observed' },
  ],
  examples: [
    ['ctx stage flush', 'make a step of what waits'],
    ['ctx stage flush -m "tests pass"', 'the same, with a note'],
  ],
  exits: [
    [1, 'no session is active'],
    [4, 'the store was busy; what waits is still there'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) => z.object({ message: z.optional(z.string()), allow_empty: z.optional(z.boolean()) }),
  run: async (app, input) => {
    if (input.message === undefined) {
      const { flushPending } = await import('../../app/session/flush-waiting.ts');
      return flushPending(app.repository(), input.allow_empty === true);
    }
    const { flushStep } = await import('../../app/session/flush.ts');
    const note = wholeText(app.text(input.message), 'The note');
    return flushStep(app.repository(), { note, allowEmpty: input.allow_empty });
  },
  render: (result, theme) =>
    result.committed
      ? `Step ${result.step} ${theme.accent(shortOid(result.oid))}: ${plural(result.flushed, 'record')}\n`
      : 'Nothing to flush.\n',
  hints: ({ held }) =>
    held === 0
      ? []
      : [
          `${plural(held, 'record')} wait${held === 1 ? 's' : ''} for the answer to a question, or for the next message. See: ctx status`,
        ],
});
