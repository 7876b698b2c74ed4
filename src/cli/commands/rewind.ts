/** `ctx rewind` and `ctx unrewind`. */
import { type NamedLine, type RewindResult, rewind, unrewind } from '../../app/conversation/rewind.ts';
import type { NativeResult } from '../../app/exchange/native/native.ts';
import { linesOf, oneLine, plural } from '../../core/text.ts';
import { type Command, defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';
import { hintsTo, installFor, TARGETS } from './export-to.ts';

const EXITS = [
  [1, 'there is no such message, or it is not the user’s'],
  [4, 'another command works on the store'],
  [5, 'the store is damaged'],
] as const;

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
}

export const rewindCommands: readonly Command[] = [
  defineCommand<{ message: string; install?: string | undefined }, RewindResult & { installed?: NativeResult }>({
    name: 'rewind',
    summary: 'continue the conversation from an earlier message of the user',
    arguments: [
      {
        name: 'message',
        description: 'a message of the user by its id, or a number: 1 is the last one, 2 the one before',
      },
    ],
    options: [
      {
        flags: '--install <agent>',
        description: 'put what is in view then where this agent resumes it',
        choices: TARGETS,
      },
    ],
    examples: [
      ['ctx rewind 2', 'go back to the message of the user before the last'],
      ['ctx rewind 019bef22', 'go back to this message, past a compaction too'],
    ],
    exits: EXITS,
    mutates: true,
    input: (z) => z.object({ message: z.string().check(z.minLength(1)), install: z.optional(z.enum(TARGETS)) }),
    run: (app, { message, install }) => {
      const repository = app.repository();
      const result = rewind(repository, message);
      return install === undefined ? result : { ...result, installed: installFor(app, result.session_id, install) };
    },
    render: (result, theme) => render(result, theme, 'Rewound to'),
    hints: ({ hidden, shown, installed }) => [
      ...(hidden + shown > 0 ? ['Take it back with: ctx unrewind'] : []),
      ...(installed ? hintsTo(installed) : []),
    ],
  }),
  defineCommand<Record<never, never>, RewindResult>({
    name: 'unrewind',
    summary: 'take back the last rewind',
    examples: [['ctx unrewind', 'see again what the model saw before the last rewind']],
    exits: [
      [1, 'there is no rewind to take back'],
      [4, 'another command works on the store'],
      [5, 'the store is damaged'],
    ],
    mutates: true,
    input: (z) => z.object({}),
    run: (app) => unrewind(app.repository()),
    render: function* (result, theme) {
      yield* render(result, theme, 'Back at');
      for (const line of result.lines) yield lineKept(line, theme);
    },
  }),
];
