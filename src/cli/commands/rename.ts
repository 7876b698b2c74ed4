/** `ctx rename`. */
import { type RenameResult, renameSession } from '../../app/session/rename.ts';
import { resolveRevision } from '../../app/session/revision.ts';
import { wholeText } from '../../app/session/text.ts';
import { CtxError } from '../../core/errors.ts';
import { type App, defineCommand } from '../frame/command.ts';

interface Input {
  words?: string[] | undefined;
  reset?: boolean | undefined;
}

/** A word that can only be an id or a revision; one of letters alone may begin a title, too. */
const NAMES_ONLY = /^(?=.*\d)[0-9a-f-]{6,}$|^STAGE$|^HEAD(?:[~^]\d*)*$/i;
/** A word that may be a piece of an id. */
const MAY_NAME = /^[0-9a-f-]{4,}$/i;

/** Returns the session that the first word names, and the words of the title. @throws {CtxError} not_found, ambiguous, damaged */
function meaning(app: App, { words = [], reset }: Input): { session: string | null; title: string } {
  const [first = '', ...rest] = words;
  const { session } = app.repository();
  const isAlone = rest.length === 0 && !reset;
  if (session !== null || words.length === 0 || isAlone || !isSession(app, first))
    return { session, title: words.join(' ') };
  return { session: first, title: rest.join(' ') };
}

function isSession(app: App, word: string): boolean {
  if (NAMES_ONLY.test(word)) return true;
  if (!MAY_NAME.test(word)) return false;
  try {
    resolveRevision(app.repository(), word);
    return true;
  } catch (error) {
    if (error instanceof CtxError && error.code === 'not_found') return false;
    throw error;
  }
}

function run(app: App, input: Input): RenameResult {
  const { session, title } = meaning(app, input);
  if (input.reset && title !== '') {
    throw new CtxError('usage', '--reset takes no title.', { hint: 'See: ctx rename --help' });
  }
  return renameSession(app.repository(), session, input.reset ? null : wholeText(app.text(title), 'The title'));
}

export const renameCommand = defineCommand<Input, RenameResult>({
  name: 'rename',
  summary: 'give a session a title',
  arguments: [
    {
      name: 'words',
      description: 'a short id, STAGE or HEAD (default: the active session), then the title (- reads standard input)',
      rest: 'list',
      optional: true,
      completes: 'sessions',
    },
  ],
  options: [{ flags: '--reset', description: 'take the title back: the one from the agent or the task counts again' }],
  examples: [
    ['ctx rename "Retry with backoff"', 'the active session'],
    ['ctx rename 5277a1 "Retry with backoff"', 'the session with this short id, also an ended one'],
    ['ctx rename HEAD --reset', 'the last session that was saved: its own title again'],
  ],
  exits: [
    [1, 'there is no such session, or the title is empty or too long'],
    [4, 'the store was busy'],
    [5, 'the store is damaged'],
  ],
  mutates: true,
  input: (z) => z.object({ words: z.optional(z.array(z.string())), reset: z.optional(z.boolean()) }),
  run,
  render: ({ title, previous }, theme) =>
    title === previous ? `Title: ${theme.strong(title)}\n` : `Title: ${theme.strong(title)} (was: ${previous})\n`,
});
