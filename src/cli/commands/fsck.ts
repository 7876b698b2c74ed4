/** `ctx fsck`. */
import { checkOrMend, type FsckResult } from '../../app/fsck.ts';
import { plural } from '../../core/text.ts';
import { defineCommand } from '../command.ts';
import type { Theme } from '../theme.ts';

interface Input {
  full?: boolean | undefined;
  repair?: boolean | undefined;
  break_lock?: boolean | undefined;
}

function render(result: FsckResult, theme: Theme): string {
  const lines = result.repaired.map((line) => theme.good(line));
  for (const finding of result.findings) {
    const word = finding.severity === 'damage' ? theme.bad('damage') : finding.severity;
    lines.push(`${word} ${theme.strong(finding.where)}: ${finding.message}`, `    ${finding.hint}`);
  }
  const damaged = result.findings.filter((finding) => finding.severity === 'damage').length;
  lines.push(damaged > 0 ? theme.bad(`${plural(damaged, 'thing')} damaged.`) : theme.good('The store is whole.'));
  return `${lines.join('\n')}\n`;
}

export const fsckCommand = defineCommand<Input, FsckResult>({
  name: 'fsck',
  summary: 'check the store, and mend what can be mended',
  options: [
    { flags: '--full', description: 'read every object, not only what is reachable' },
    {
      flags: '--repair',
      description: 'finish or take back what was cut off, set torn files aside in lost/, restore pointers',
    },
    {
      flags: '--break-lock',
      description: 'remove LOCK first, and locks of Git that are over an hour old; only where neither is running',
    },
  ],
  examples: [
    ['ctx fsck', 'check everything that is reachable'],
    ['ctx fsck --repair', 'mend what cannot lose anything'],
  ],
  exits: [
    [4, 'the store was busy (with --repair)'],
    [5, 'something is damaged'],
  ],
  mutates: true,
  input: (z) =>
    z.object({ full: z.optional(z.boolean()), repair: z.optional(z.boolean()), break_lock: z.optional(z.boolean()) }),
  run: (app, input) =>
    checkOrMend(app.repository({ toCheck: true }), {
      full: input.full,
      repair: input.repair,
      breakLock: input.break_lock,
    }),
  render,
  exit: (result) => (result.healthy ? 0 : 5),
});
