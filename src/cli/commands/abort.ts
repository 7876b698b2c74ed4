/** `ctx abort`. */
import { type AbortResult, abortRun } from '../../app/run/abort.ts';
import { plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';

export const abortCommand = defineCommand<{ session?: string | undefined }, AbortResult>({
  name: 'abort',
  summary: 'end the run of a session, and those of its sub-agents; what they brought stays',
  arguments: [{ name: 'session', description: 'the session (default: the active one)', optional: true }],
  examples: [['ctx abort', 'end what the agent does now, and keep what it has said']],
  exits: [
    [1, 'no run of the session is in flight'],
    [4, 'another command works on the store'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) => z.object({ session: z.optional(z.string()) }),
  run: (app, { session }) => abortRun(app.repository(), session),
  render: ({ session_id, aborted }, theme) => {
    const others = aborted.filter((run) => run.session_id !== session_id).length;
    const more = others === 0 ? '' : `, with ${plural(others, 'run')} of sub-agents`;
    return `Aborted the run of ${theme.accent(session_id)}${more}.\n`;
  },
  hints: () => ['See what it brought with: ctx messages'],
});
