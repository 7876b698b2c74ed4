/** `ctx fsck`. */
import { checkOrMend, type FsckResult } from '../../app/fsck.ts';
import { oneLine, plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';

interface Input {
  full?: boolean | undefined;
  repair?: boolean | undefined;
  break_lock?: boolean | undefined;
}

/** Names of files may have anything in them: a finding keeps to its line. */
const told = (text: string): string => oneLine(text, 4096);

function render(result: FsckResult, theme: Theme): string {
  const lines = result.repaired.map((line) => theme.good(told(line)));
  const words = { damage: theme.bad('damage'), leftover: 'leftover', note: 'note' };
  for (const { severity, where, message, hint } of result.findings)
    lines.push(`${words[severity]} ${theme.strong(told(where))}: ${told(message)}`, `    ${told(hint)}`);
  const unlisted = result.unlisted ?? { damage: 0, leftover: 0, note: 0 };
  for (const severity of ['damage', 'leftover', 'note'] as const)
    if (unlisted[severity] > 0) lines.push(`${words[severity]} and ${unlisted[severity]} more, which are not listed`);
  const damaged = result.findings.filter((finding) => finding.severity === 'damage').length + unlisted.damage;
  lines.push(damaged > 0 ? theme.bad(`${plural(damaged, 'thing')} damaged.`) : whole(result, theme));
  return `${lines.join('\n')}\n`;
}

/** Checks if a newer version wrote something: this one cannot check it, nor what follows from it. */
const isNewer = ({ findings }: FsckResult): boolean => findings.some(({ kind }) => kind === 'version');

const whole = (result: FsckResult, theme: Theme): string =>
  isNewer(result)
    ? theme.warn('What this version of ctx can read is whole; the rest needs the newer one.')
    : theme.good('The store is whole.');

export const fsckCommand = defineCommand<Input, FsckResult>({
  name: 'fsck',
  summary: 'check the store, and repair what can be repaired',
  options: [
    { flags: '--full', description: 'read every object, not only what is reachable, and ask git fsck too' },
    {
      flags: '--repair',
      description: 'finish or take back what was cut off, set torn files aside in lost/, restore pointers',
    },
    {
      flags: '--break-lock',
      description:
        'remove LOCK and gc.pid first, and locks of Git that are over an hour old; only if neither is running',
    },
  ],
  examples: [
    ['ctx fsck', 'check everything that is reachable'],
    ['ctx fsck --repair', 'repair what can be repaired without loss'],
  ],
  exits: [
    [1, 'the store is of another format, or something in it leads out of it, or a newer version of ctx wrote to it'],
    [4, 'the store was busy (with --repair), or the holder of its lock is alive (with --break-lock)'],
    [5, 'something is damaged'],
  ],
  mutates: true,
  isAsked: () => true,
  input: (z) =>
    z.object({ full: z.optional(z.boolean()), repair: z.optional(z.boolean()), break_lock: z.optional(z.boolean()) }),
  run: (app, input) => {
    const repository = app.watched(input.repair ? 'Checking and repairing' : 'Checking', { toCheck: true });
    const { full, repair, break_lock: breakLock } = input;
    return app.interruptible(
      () => checkOrMend(repository, { full, repair, breakLock }),
      () =>
        repair || breakLock
          ? 'what was repaired so far stays repaired. To continue, run the same command again.'
          : 'nothing was changed, and not everything was checked.',
    );
  },
  render,
  exit: (result) => (result.healthy ? Number(isNewer(result)) : 5),
});
