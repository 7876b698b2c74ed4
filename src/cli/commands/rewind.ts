/** `ctx rewind` and `ctx unrewind`. */
import { type NamedLine, type RewindResult, rewind, unrewind } from '../../app/conversation/rewind.ts';
import { linesOf, oneLine, plural } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { worldLines } from '../frame/world.ts';
import { hintsTo, type Installed, installFor, TARGETS } from './export-to.ts';

const EXITS = [
  [1, 'there is no such message, or it is not the user’s'],
  [4, 'another command works on the store'],
  [5, 'the store is damaged'],
] as const;

interface UnrewindInput {
  force?: boolean | undefined;
  dry_run?: boolean | undefined;
}

interface RewindInput extends UnrewindInput {
  message: string;
  chat?: boolean | undefined;
  world?: boolean | undefined;
  both?: boolean | undefined;
  install?: (typeof TARGETS)[number] | undefined;
}

/** Says what went out of the model's view, and what came back into it. */
function changed({ hidden, shown }: RewindResult): string {
  const words = [
    ...(hidden > 0 ? [`${plural(hidden, 'message')} out of view`] : []),
    ...(shown > 0 ? [`${plural(shown, 'message')} in view again`] : []),
  ];
  return words.length > 0 ? words.join(', ') : 'nothing changed';
}

const lineKept = ({ message_id, text, messages }: NamedLine, theme: Theme): string =>
  `Kept: ${theme.strong(oneLine(text))} and what follows, ${plural(messages, 'message')}. Back to it: ctx rewind ${oneLine(message_id)}\n`;

function* render(result: RewindResult, theme: Theme, verb: string): Generator<string> {
  const { message_id, text } = result;
  yield `${verb} ${message_id === null ? 'the beginning' : theme.accent(oneLine(message_id))}: ${changed(result)}.\n`;
  for (const line of linesOf(text.trim())) yield `  ${line}`.trimEnd().concat('\n');
  if (result.world) yield* worldLines(result.world, result.dry_run ? 'to restore' : 'restored', theme, FORCED);
}

/** The way to files that others have changed. */
const FORCED = ': --force takes them too';

const FORCE = { flags: '--force', description: 'restore files too that another session or the user has changed since' };
const DRY_RUN = { flags: '--dry-run', description: 'only say what would be done' };

export const rewindCommands: readonly Command[] = [
  defineCommand<RewindInput, RewindResult & { installed?: Installed }>({
    name: 'rewind',
    summary: 'continue the conversation from an earlier message of the user',
    arguments: [
      {
        name: 'message',
        description: 'a message of the user by its id, or a number: 1 is the last one, 2 the one before',
      },
    ],
    options: [
      { flags: '--chat', description: 'the conversation alone (default)' },
      { flags: '--world', description: 'the files alone: those that this session has changed since' },
      { flags: '--both', description: 'the conversation and the files' },
      FORCE,
      DRY_RUN,
      {
        flags: '--install <agent>',
        description: 'put what is in view then where this agent resumes it',
        choices: TARGETS,
      },
    ],
    examples: [
      ['ctx rewind --both --dry-run 1', 'see what would become of the conversation and the files'],
      ['ctx rewind 2', 'go back to the message of the user before the last'],
      ['ctx rewind 019bef22', 'go back to this message, past a compaction too'],
    ],
    exits: EXITS,
    mutates: true,
    input: (z) =>
      z
        .object({
          message: z.string().check(z.minLength(1)),
          chat: z.optional(z.boolean()),
          world: z.optional(z.boolean()),
          both: z.optional(z.boolean()),
          force: z.optional(z.boolean()),
          dry_run: z.optional(z.boolean()),
          install: z.optional(z.enum(TARGETS)),
        })
        .check(
          z.refine(
            ({ chat, world, both }) => [chat, world, both].filter(Boolean).length <= 1,
            'one of --chat, --world and --both',
          ),
          z.refine(({ world, both, force }) => !force || world || both, '--force belongs to --world or --both'),
          z.refine(
            ({ install, world, dry_run }) => install === undefined || !(world || dry_run),
            '--install puts the conversation in place: not with --world or --dry-run',
          ),
        ),
    run: async (app, { message, world, both, force, dry_run, install }) => {
      const scope = world ? 'world' : both ? 'both' : 'chat';
      const result = rewind(app.repository(), message, { scope, force, dryRun: dry_run });
      return install === undefined
        ? result
        : { ...result, installed: await installFor(app, result.session_id, install) };
    },
    render: (result, theme, { dry_run }) => render(result, theme, dry_run ? 'Would go back to' : 'Rewound to'),
    hints: ({ hidden, shown, world, dry_run, installed }) => [
      ...(!dry_run && hidden + shown + (world?.restored.length ?? 0) > 0 ? ['Take it back with: ctx unrewind'] : []),
      ...(installed ? hintsTo(installed) : []),
    ],
  }),
  defineCommand<UnrewindInput, RewindResult>({
    name: 'unrewind',
    summary: 'take back the last rewind',
    options: [FORCE, DRY_RUN],
    examples: [['ctx unrewind', 'see again what the model saw before the last rewind']],
    exits: [
      [1, 'there is no rewind to take back'],
      [4, 'another command works on the store'],
      [5, 'the store is damaged'],
    ],
    mutates: true,
    input: (z) => z.object({ force: z.optional(z.boolean()), dry_run: z.optional(z.boolean()) }),
    run: (app, { force, dry_run }) => unrewind(app.repository(), { force, dryRun: dry_run }),
    render: function* (result, theme, { dry_run }) {
      yield* render(result, theme, dry_run ? 'Would go back to' : 'Back at');
      for (const line of result.lines) yield lineKept(line, theme);
    },
  }),
];
