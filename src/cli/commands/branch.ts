/** `ctx branch`. */
import { type BranchResult, branchSession, keepBranch } from '../../app/conversation/branch.ts';
import type { JsonObject } from '../../core/json.ts';
import { oneLine, plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';
import { hintsTo, type Installed, installFor, TARGETS } from './export-to.ts';

interface Input {
  message?: string | undefined;
  of?: string | undefined;
  ephemeral?: boolean | undefined;
  meta?: string[] | undefined;
  model?: string | undefined;
  with_permissions?: boolean | undefined;
  no_switch?: boolean | undefined;
  keep?: boolean | undefined;
  install?: string | undefined;
}

type Result = (BranchResult & { installed?: Installed }) | ReturnType<typeof keepBranch>;

/** The metadata of `--meta k=v`; a value that is JSON counts as that, any other is a text. */
function metadataOf(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [key, value] = [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)];
      try {
        return [key, JSON.parse(value)];
      } catch {
        return [key, value];
      }
    }),
  );
}

export const branchCommand = defineCommand<Input, Result>({
  name: 'branch',
  summary: 'begin a session with a copy of the conversation up to a message',
  arguments: [{ name: 'message', description: 'the last message to copy, by its id', optional: true }],
  options: [
    { flags: '--of <session>', description: 'the session to branch from, open or ended (default: the active one)' },
    { flags: '--ephemeral', description: 'keep the branch out of lists; ctx stage cleanup sweeps it after a day' },
    { flags: '--meta <key=value>', description: 'something to note of the branch', many: true },
    { flags: '--model <model>', description: 'the model of the branch' },
    {
      flags: '--with-permissions',
      description: 'also what the session allows (default: only what it asks for and denies)',
    },
    { flags: '--no-switch', description: 'leave the active session active' },
    { flags: '--install <agent>', description: 'put the branch where this agent resumes it', choices: TARGETS },
    { flags: '--keep', description: 'keep the active ephemeral branch: it is listed, and not swept' },
  ],
  examples: [
    ['ctx branch 019bef22', 'continue from this message in a session of its own'],
    ['ctx branch 019bef22 --ephemeral --no-switch', 'a side question that leaves nothing behind'],
  ],
  exits: [
    [1, 'there is no such message, or its turn is still running'],
    [4, 'another command works on the store'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) =>
    z
      .object({
        message: z.optional(z.string().check(z.minLength(1))),
        of: z.optional(z.string()),
        ephemeral: z.optional(z.boolean()),
        meta: z.optional(z.array(z.string().check(z.refine((pair) => /^[^=]+=/.test(pair), '--meta takes key=value')))),
        model: z.optional(z.string()),
        with_permissions: z.optional(z.boolean()),
        no_switch: z.optional(z.boolean()),
        keep: z.optional(z.boolean()),
        install: z.optional(z.enum(TARGETS)),
      })
      .check(
        z.refine(
          ({ message, keep }) => (message === undefined) === (keep === true),
          'Give a message of: ctx messages; or --keep alone',
        ),
      ),
  run: async (app, input): Promise<Result> => {
    const { message, meta = [], no_switch, ephemeral, keep, of, model, with_permissions, install } = input;
    if (keep || message === undefined) return keepBranch(app.repository());
    const metadata = metadataOf(meta);
    const branch = branchSession(app.repository(), message, {
      ...{ of, model, ephemeral, metadata, permissions: with_permissions },
      switch: no_switch !== true,
    });
    return install === undefined ? branch : { ...branch, installed: await installFor(app, branch.session_id, install) };
  },
  render: (result, theme) => {
    if ('kept' in result)
      return result.kept
        ? `Kept ${theme.accent(result.session_id)}.\n`
        : `${theme.accent(result.session_id)} is no ephemeral branch: nothing changed.\n`;
    const { session_id, messages, current, ephemeral } = result;
    const kind = ephemeral ? 'Ephemeral branch' : 'Branch';
    return `${kind} ${theme.accent(session_id)} with ${plural(messages, 'message')}, up to ${oneLine(result.parent_message_id)}${current ? ', is active now' : ''}.\n`;
  },
  hints: (result) =>
    'kept' in result
      ? []
      : [
          result.current ? 'Back with: ctx switch -' : `Work on it with: ctx switch ${result.session_id}`,
          ...(result.installed ? hintsTo(result.installed) : []),
        ],
});
