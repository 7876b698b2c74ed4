/** The story that every program is taken through, and what its model says to it. */
import type { Script } from './server.ts';
import type { Answer, Turn } from './wire.ts';

export interface Chapter {
  prompt: string;
  /** The command that the model asks for before it answers. */
  command?: string;
  answer: string;
  /** The model never comes to an end, and the person breaks it off. */
  interrupted?: boolean;
}

/** Each is a run of the program of its own: the second and the third go on with the conversation of the first. */
export const STORY: readonly Chapter[] = [
  {
    prompt: 'Add retry with backoff to the client',
    command: 'echo 12 tests pass',
    answer: 'Retry is in, and 12 tests pass.',
  },
  { prompt: 'Also log every attempt', answer: 'First I look at the logger', interrupted: true },
  {
    prompt: 'Go on with the log',
    command: 'echo 13 tests pass',
    answer: 'Every attempt is logged, and 13 tests pass.',
  },
];

/** The chapter whose prompt a text is: agents put words of their own before it, and what ctx quotes is no prompt. */
export const chapterBy = (text: string, story = STORY): Chapter | undefined =>
  story.find(({ prompt }) => text.trim().split('\n').at(-1) === prompt);

/** The chapter that a conversation is in, by the last of our prompts in it, and what came after that. */
function chapterOf(
  turns: readonly Turn[],
  story: readonly Chapter[],
): { chapter: Chapter; since: readonly Turn[] } | null {
  for (let at = turns.length - 1; at >= 0; at -= 1) {
    const turn = turns[at];
    const chapter = turn?.type === 'user' ? chapterBy(turn.text, story) : undefined;
    if (chapter) return { chapter, since: turns.slice(at + 1) };
  }
  return null;
}

/** Chooses the model's answer. A request without tools wants a title or the like, and is not of the conversation. */
export const scriptFor =
  (shell: { name: string; input: (command: string) => object }, story = STORY): Script =>
  ({ turns, tools }): Answer | null => {
    const found = tools.includes(shell.name) ? chapterOf(turns, story) : null;
    if (found === null) return null;
    const { command, answer, interrupted } = found.chapter;
    if (interrupted) return { text: answer, hangs: true };
    const isBack = found.since.some(({ type }) => type === 'result');
    return command === undefined || isBack
      ? { text: answer }
      : { call: { name: shell.name, input: shell.input(command) } };
  };
