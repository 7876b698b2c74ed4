/** `ctx mirror`. */

import { type MirrorResult, mirrorSessions } from '../../app/mirror/mirror.ts';
import { CONVERSATIONS } from '../../app/resume/mirror-folders.ts';
import { oneLine, plural } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';

interface Input {
  dir?: string | undefined;
  session?: string | undefined;
  commit?: boolean | undefined;
}

export const mirrorCommand: Command = defineCommand<Input, MirrorResult>({
  name: 'mirror',
  summary: 'write sessions into the project as files, to read and to commit',
  arguments: [
    { name: 'dir', description: `the folder, below the project (default: ${CONVERSATIONS})`, optional: true },
    { name: 'session', description: 'one session, as ctx resume takes it (default: all of them)', optional: true },
  ],
  options: [
    { flags: '--commit', description: "commit what was written, and nothing else, with the project's own Git" },
  ],
  examples: [
    ['ctx mirror', 'write every session below conversations/'],
    ['ctx mirror conversations 5277a1 --commit', 'write one session, and commit it'],
  ],
  exits: [
    [1, 'the folder is not below the project, no session matches, or the project refused the commit'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  isAsked: () => false,
  input: (z) =>
    z.object({ dir: z.optional(z.string()), session: z.optional(z.string()), commit: z.optional(z.boolean()) }),
  run: (app, { dir, session, commit }) => mirrorSessions(app.repository(), { directory: dir, session, commit }),
  render: ({ sessions, directory }, theme) => {
    const changed = sessions.filter((one) => one.changed.length > 0 || one.commit !== null);
    if (changed.length === 0) return `Nothing to change in ${oneLine(directory, 4096)}\n`;
    const lines = changed.map(({ folder, commit }) => {
      const made = commit === null ? '' : ` ${theme.accent(commit.slice(0, 10))}`;
      return `  ${oneLine(folder, 4096)}${made}\n`;
    });
    return `Wrote ${plural(changed.length, 'session')}:\n${lines.join('')}`;
  },
  problems: ({ sessions, directory, is_public }) => [
    ...sessions.flatMap(({ title, problem }) =>
      problem === null ? [] : [`"${title}" is written and not committed: ${problem}`],
    ),
    ...(is_public
      ? [`Git does not ignore ${oneLine(directory, 4096)}: a commit of the project publishes what was said`]
      : []),
  ],
  exit: ({ sessions }) => (sessions.some(({ problem }) => problem !== null) ? 1 : 0),
});
