/** `ctx forget`. */
import { type ForgetResult, type ForgetTarget, forget, forgettingSoFar } from '../../app/forget/forget.ts';
import { leftToYou } from '../../app/forget/out-of-reach.ts';
import { wholeText } from '../../app/session/text.ts';
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { showTime } from '../../core/time.ts';
import { type App, defineCommand } from '../frame/command.ts';

interface Input {
  what?: string | undefined;
  text?: string | undefined;
  pattern?: string | undefined;
  rule?: string | undefined;
  dry_run?: boolean | undefined;
  yes?: boolean | undefined;
}

/** Lists the changes that were made, or would be, a line each. */
function deeds(result: ForgetResult): string[] {
  const counted: [number, string][] = [
    [result.records, `${plural(result.records, 'record')} gone, a tombstone in the place of each`],
    [result.cleaned_records, `${plural(result.cleaned_records, 'record')} without it`],
    [result.steps, `${plural(result.steps, 'step')} rewritten`],
    [result.canonical_commits, `${plural(result.canonical_commits, 'canonical commit')} rewritten`],
    [result.other_commits, `${plural(result.other_commits, 'other commit')} rewritten`],
    [result.pointers, `${plural(result.pointers, 'pointer')} moved`],
    [result.objects, `${plural(result.objects, 'object')} removed`],
    [result.packs, `${plural(result.packs, 'pack')} taken apart`],
    [result.pending_files, `${plural(result.pending_files, 'waiting file')} rewritten or removed`],
    [result.reflog_lines, `${plural(result.reflog_lines, 'line')} of reflogs rewritten`],
    [result.operations, `${plural(result.operations, 'operation')} of the log rewritten`],
  ];
  const lines = counted.filter(([count]) => count > 0).map(([, line]) => `  ${line}`);
  const rewritten = result.mirrored.map((folder) => `  ${folder} written again`);
  return [...lines, ...result.files.map((name) => `  ${name} removed`), ...rewritten];
}

const beyond = (result: ForgetResult): string[] => [
  'Out of reach:',
  ...result.unreachable.map((sentence) => `  ${sentence}`),
];

function render(result: ForgetResult): string {
  const head = result.dry_run
    ? `Forgetting ${result.victim} would mean:`
    : `Forgot ${result.victim} at ${showTime(result.forgotten_at)}:`;
  return [head, ...deeds(result), ...beyond(result)].map((line) => `${line}\n`).join('');
}

/** State of a forgetting after Ctrl-C, in words. */
const SO_FAR = {
  none: 'nothing was forgotten, and nothing was changed.',
  begun: 'it is being forgotten, and the next command finishes that: ctx recover',
  done: 'it was forgotten.',
} as const;

/** Shows what would be done, and asks. @throws {CtxError} invalid_input, if the answer is not yes or there is no terminal */
async function confirm(app: App, target: ForgetTarget): Promise<void> {
  const refused = (message: string): CtxError =>
    new CtxError('invalid_input', message, {
      hint: 'Nothing was changed. See what would go with --dry-run; to go through with it without being asked, add --yes.',
    });
  // First what is wrong with the question itself, then whether there is anybody to ask.
  const repository = app.watched('Looking for it');
  const found = await app.interruptible(
    () => forget(repository, target, { dryRun: true }),
    () => SO_FAR.none,
  );
  const would = render(found);
  const answer = app.ask(() => `${would}This cannot be undone. Forget it? [y/N]`);
  if (answer === null) throw refused('Forgetting cannot be undone, and there is no terminal to ask on.');
  if (!/^y(es)?$/i.test(answer.trim())) throw refused('Nothing was forgotten.');
}

export const forgetCommand = defineCommand<Input, ForgetResult>({
  name: 'forget',
  summary: 'take a session, a record, a content or a text out of the whole store, for good',
  arguments: [
    {
      name: 'what',
      description: 'a session, a record or an object id, or its beginning; of a session also the end',
      optional: true,
      completes: 'sessions',
    },
  ],
  options: [
    { flags: '--text <text>', description: 'this text, wherever it is (- reads standard input)' },
    { flags: '--pattern <pattern>', description: 'whatever this pattern matches; it must take linear time' },
    { flags: '--rule <name>', description: 'whatever this rule of redaction takes for a secret' },
    { flags: '--dry-run', description: 'only show what would be done' },
    { flags: '--yes', description: 'do not ask' },
  ],
  examples: [
    ['ctx forget --text - --dry-run', 'show what forgetting a text from standard input would mean'],
    ['ctx forget 01a2007b-bfe0-7005', 'forget a session, or a record, by the beginning of its id'],
    ['ctx forget --rule github-token --yes', 'forget every token of GitHub, without being asked'],
  ],
  exits: [
    [1, 'there is nothing of it, it is named badly, nobody said yes, or what is not its to remove holds it still'],
    [4, 'the store was busy'],
    [5, 'the store is damaged: repair it first'],
  ],
  mutates: true,
  input: (z) =>
    z.object({
      what: z.optional(z.string()),
      text: z.optional(z.string()),
      pattern: z.optional(z.string()),
      rule: z.optional(z.string()),
      dry_run: z.optional(z.boolean()),
      yes: z.optional(z.boolean()),
    }),
  run: async (app, input) => {
    const text = input.text === undefined ? undefined : wholeText(app.text(input.text), 'The text');
    const target: ForgetTarget = {
      id: input.what,
      // The line end of piped text is not part of the text.
      text: input.text === '-' ? text?.replace(/\r?\n$/, '') : text,
      pattern: input.pattern,
      rule: input.rule,
    };
    if (input.dry_run) {
      const repository = app.watched('Looking for it');
      return app.interruptible(
        () => forget(repository, target, { dryRun: true }),
        () => SO_FAR.none,
      );
    }
    if (!input.yes) await confirm(app, target);
    const repository = app.watched('Forgetting');
    const howFar = forgettingSoFar(repository);
    return app.interruptible(
      () => forget(repository, target),
      () => SO_FAR[howFar()],
    );
  },
  hints: (result) =>
    result.dry_run
      ? ['Nothing was changed. Do it with the same command without --dry-run.']
      : ['If it was a secret, others may know it by now: change it where it is used.'],
  render,
  // Text that is left has to be taken out by hand: nobody may take this for done.
  exit: (result) => Number(!result.dry_run && leftToYou(result).length > 0),
});
