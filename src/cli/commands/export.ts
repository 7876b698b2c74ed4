/** `ctx export`. */
import { type ExportResult, exportBundle } from '../../app/exchange/export.ts';
import { CtxError } from '../../core/errors.ts';
import { bytesInWords, oneLine, plural, quoted } from '../../core/text.ts';
import { type App, defineCommand } from '../frame/command.ts';
import {
  exportTo,
  hintsTo,
  renderTo,
  TO_OPTIONS,
  type ToInput,
  type ToResult,
  toProblem,
  toSchema,
} from './export-to.ts';

interface Input extends ToInput {
  session?: string[] | undefined;
  output?: string | undefined;
  all?: boolean | undefined;
}

/** The name of a standard stream in place of a file. */
const STREAM = '-';

/** Returns the sessions and the file that a line names: `ctx export -` writes the active session to standard output. */
function readLine({ session = [], output }: Input): { sessions: string[]; output: string | undefined } {
  if (!session.includes(STREAM)) return { sessions: session, output };
  return { sessions: session.filter((one) => one !== STREAM), output: output ?? STREAM };
}

function toBundle(app: App, input: Input): ExportResult {
  const { sessions, output } = readLine(input);
  const isStream = output === STREAM;
  if (isStream && app.json)
    throw new CtxError('usage', 'The bundle and the JSON cannot both be written to standard output.', {
      hint: 'Give the bundle a file with: -o <file>',
    });
  if (isStream && app.answer !== null)
    throw new CtxError('usage', 'A bundle is not written to a terminal.', {
      hint: 'Give it a file with -o <file>, or pipe it: ctx export - | ssh <host> ctx import -',
    });
  return exportBundle(app.repository(), {
    sessions,
    all: input.all,
    directory: app.directory,
    to: isStream ? app.bytes : output,
  });
}

/** Writes a bundle, or one session in another form. */
function run(app: App, input: Input): ExportResult | Promise<ToResult> {
  if (input.to === undefined) return toBundle(app, input);
  const { sessions, output } = readLine(input);
  return exportTo(app, { ...input, to: input.to }, sessions[0], output);
}

/** Checks if a result is a bundle. */
const isBundle = (result: ExportResult | ToResult): result is ExportResult => 'sessions' in result;

/** The text that is the answer itself; null if the result has none. */
const textOf = (result: ExportResult | ToResult): string | null => ('text' in result ? (result.text ?? null) : null);

export const exportCommand = defineCommand<Input, ExportResult | ToResult>({
  name: 'export',
  summary: 'write sessions into one file that ctx import takes in, or one session for another agent',
  arguments: [
    {
      name: 'session',
      description: 'a session, open or ended, by its id or a piece of it (default: the active one)',
      optional: true,
      rest: 'list',
      completes: 'sessions',
    },
  ],
  options: [
    {
      flags: '-o, --output <file>',
      description: 'the file to write; - writes to standard output',
      completes: 'files',
    },
    { flags: '--all', description: 'every session of the store' },
    ...TO_OPTIONS,
  ],
  examples: [
    ['ctx export', 'the active session, as a file in this folder'],
    ['ctx export 3f29c1 -o retries.bundle', 'one session, by the end of its id'],
    ['ctx export --to codex --install', 'the active session, in the place from which Codex resumes it'],
    ['ctx export --to markdown', 'the active session, to read'],
    ['ctx export - | ssh host ctx -C project import -', 'hand the active session over to another machine'],
  ],
  exits: [
    [1, 'there is no such session, or the file cannot be written'],
    [4, 'another command works on the store'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  isAsked: (result, input) => textOf(result) !== null || readLine(input).output === STREAM,
  input: (z) =>
    z
      .object({
        session: z.optional(z.array(z.string().check(z.minLength(1)))),
        output: z.optional(z.string().check(z.minLength(1))),
        all: z.optional(z.boolean()),
        ...toSchema(z),
      })
      .check(
        z.refine((input) => !input.all || readLine(input).sessions.length === 0, 'name sessions, or give --all alone'),
        z.refine((input) => toProblem(input, readLine(input).sessions.length) === null, {
          error: ({ input }) => toProblem(input as Input, readLine(input as Input).sessions.length) ?? '',
        }),
      ),
  run,
  render: (result, theme) => {
    if (!isBundle(result)) return renderTo(result, theme);
    const { file, bytes, sessions } = result;
    if (file === STREAM) return '';
    const path = theme.accent(oneLine(file, 1024));
    return `Wrote ${plural(sessions.length, 'session')} to ${path} (${bytesInWords(bytes)}).\n`;
  },
  verbatim: textOf,
  hints: (result) => {
    if (!isBundle(result)) return hintsTo(result);
    return result.file === STREAM ? [] : [`On the other machine, in its project: ctx import ${quoted(result.file)}`];
  },
});
