/** `ctx abort`: ends the run of a session; of one that has no runs, it is `ctx stage abort`. */
import { type AbortResult, abortRun, hasRuns } from '../../app/run/abort.ts';
import type { MoveResult } from '../../app/session/move.ts';
import { plural } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import { moveCommands } from './stage-moves.ts';

interface Input {
  session?: string | undefined;
  reason?: string | undefined;
  no_compact?: boolean | undefined;
}

const stageAbort = moveCommands.find(({ name }) => name === 'stage abort') as Command;

const isOfRun = (result: AbortResult | MoveResult): result is AbortResult => 'aborted' in result;

export const abortCommand = defineCommand<Input, AbortResult | MoveResult>({
  name: 'abort',
  summary: 'end the run of a session, and keep what it brought; without any run, give the active session up',
  arguments: [{ name: 'session', description: 'the session of a run (default: the active one)', optional: true }],
  options: stageAbort.options ?? [],
  examples: [
    ['ctx abort', 'end what the agent does now, and keep what it has said'],
    ['ctx abort --reason "Superseded"', 'the same as ctx stage abort, for a session without runs'],
  ],
  exits: [
    [1, 'no run of the session is in flight; or no session is active'],
    [4, 'another command works on the store'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) =>
    z.object({
      session: z.optional(z.string()),
      reason: z.optional(z.string()),
      no_compact: z.optional(z.boolean()),
    }),
  run: async (app, { session, ...given }) => {
    const repository = app.repository();
    if (session !== undefined || hasRuns(repository)) return abortRun(repository, session);
    return (await stageAbort.run(app, given)) as MoveResult;
  },
  render: (result, theme, input) => {
    if (!isOfRun(result)) return stageAbort.render(result, theme, { ...input });
    const others = result.aborted.filter((run) => run.session_id !== result.session_id).length;
    const more = others === 0 ? '' : `, with ${plural(others, 'run')} of sub-agents`;
    return `Aborted the run of ${theme.accent(result.session_id)}${more}.\n`;
  },
  hints: (result) => (isOfRun(result) ? ['See what it brought with: ctx messages'] : []),
});
