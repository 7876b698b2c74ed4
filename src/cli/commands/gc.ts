/** `ctx gc`. */
import { collectGarbage, type GcResult } from '../../app/gc.ts';
import { CtxError } from '../../core/errors.ts';
import { bytesInWords, plural } from '../../core/text.ts';
import { readDuration } from '../../core/time.ts';
import { defineCommand } from '../frame/command.ts';

interface Input {
  dry_run?: boolean | undefined;
  expire_steps?: string | undefined;
}

function render(result: GcResult): string {
  const { before, after } = result;
  const found = `${plural(before.loose, 'loose object')} (${bytesInWords(before.loose_bytes)}), ${plural(before.packs, 'pack')} (${bytesInWords(before.packed_bytes)})`;
  const expired = result.expired.map(({ session_id, steps }) => `  ${session_id}: ${plural(steps, 'step')}`);
  const verb = result.dry_run ? 'Would squash' : 'Squashed';
  const squashed =
    expired.length > 0 ? `${verb} the steps of ${plural(expired.length, 'session')}:\n${expired.join('\n')}\n` : '';
  if (result.dry_run) return `${squashed}Would pack ${found}\n`;
  const now = `${plural(after.loose, 'loose object')} (${bytesInWords(after.loose_bytes)}), ${plural(after.packs, 'pack')} (${bytesInWords(after.packed_bytes)})`;
  const removed =
    result.temporaries > 0
      ? `Removed ${plural(result.temporaries, 'temporary file')} of processes that were killed\n`
      : '';
  return `${squashed}${removed}Before: ${found}\nAfter:  ${now}, with ${result.with}\n`;
}

export const gcCommand = defineCommand<Input, GcResult>({
  name: 'gc',
  summary: 'pack the store; nothing is thrown away unless --expire-steps asks for it',
  options: [
    { flags: '--dry-run', description: 'only show what there is' },
    {
      flags: '--expire-steps <age>',
      description:
        'squash the steps of archived sessions older than this (90d; never below 14d); messages stay, and notes that no saved commit holds; files and other details of single steps are removed',
    },
  ],
  examples: [
    ['ctx gc', 'pack what lies loose'],
    ['ctx gc --expire-steps 90d --dry-run', 'which archived sessions are older than 90 days'],
  ],
  exits: [
    [1, 'the age is below two weeks, or Git is not to be run on this store'],
    [4, 'the store was busy'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) => z.object({ dry_run: z.optional(z.boolean()), expire_steps: z.optional(z.string()) }),
  run: (app, input) => {
    const expireSteps = input.expire_steps === undefined ? undefined : readDuration(input.expire_steps);
    if (input.expire_steps !== undefined && expireSteps === undefined) {
      throw new CtxError('usage', `--expire-steps is not a duration: ${input.expire_steps}`, {
        hint: 'Give 90d, 26w or seconds.',
      });
    }
    app.progress.show('Packing');
    const repository = app.watched('Packing');
    return app.interruptible(
      () => collectGarbage(repository, { dryRun: input.dry_run, expireSteps }),
      () =>
        input.dry_run
          ? 'nothing was changed.'
          : 'nothing is lost, and what was packed so far stays packed. To continue, run the same command again.',
    );
  },
  hints: (result) => {
    const hints = result.git_failed === null ? [] : [`Packed without Git, which fails here: ${result.git_failed}`];
    if (result.with !== 'git' && result.expired.length > 0 && !result.dry_run)
      hints.push('What the squashed steps held is removed when ctx gc --expire-steps runs where Git is installed.');
    return hints;
  },
  render,
});
