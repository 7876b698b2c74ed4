/** A question that ctx itself puts to the user: its words, its options, and which of them an answer means. */

export type ChoiceKind = 'stale_session' | 'new_task' | 'unclear';
/** What an answer comes to, whatever the question was: go on with the session, or save it and begin anew. */
export type Choice = 'continue' | 'fresh';

/** One thing to answer; `key` is what `ctx choose` takes. */
export interface ChoiceOption {
  key: 'A' | 'B';
  label: string;
}

/** A question as it is shown, its options in order. */
export interface Question {
  kind: ChoiceKind;
  message: string;
  options: ChoiceOption[];
}

interface Wording {
  /** The question, around the task. */
  ask: (task: string) => string;
  /** What the two options say, and what they come to. */
  options: readonly [label: string, choice: Choice][];
  /** Whether the question itself does not list its options. */
  bare?: true;
}

/** The questions, word for word (format rule of ctx, "The session"). */
const WORDINGS: Record<ChoiceKind, Wording> = {
  stale_session: {
    ask: (task) => `Welcome back! You were working on: ${task}\n\nWould you like to:`,
    options: [
      ['Continue that work', 'continue'],
      ['Save it and start fresh', 'fresh'],
    ],
  },
  new_task: {
    ask: (task) => `You have unfinished work on: ${task}\n\nShould I:`,
    options: [
      ['Save that and start on your new request', 'fresh'],
      ['Continue where we left off', 'continue'],
    ],
  },
  unclear: {
    ask: () => 'Are you continuing the current task or starting something new?',
    options: [
      ['Continue the current task', 'continue'],
      ['Start something new', 'fresh'],
    ],
    bare: true,
  },
};

const KEYS = ['A', 'B'] as const;

/** The question of a kind about a task. */
export function questionOf(kind: ChoiceKind, task: string): Question {
  const { ask, options, bare } = WORDINGS[kind];
  const listed = options.map(([label], index) => ({ key: KEYS[index] as 'A' | 'B', label }));
  const lines = bare ? [] : listed.map(({ key, label }) => `${key}) ${label}`);
  return { kind, message: [ask(task), ...lines].join('\n'), options: listed };
}

const plain = (text: string): string =>
  text
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^\p{L}\p{N}\s)]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** Answers in words that mean the same whatever the question was. */
const SAID: readonly [pattern: RegExp, choice: Choice][] = [
  [/^(lets |let us )?(please )?(continue|continuing|resume|carry on|keep going|go on)( please)?$/, 'continue'],
  [
    /^(lets |let us )?(please )?(continue|resume|keep|go on with|carry on with) (with )?(it|that|this|the (current|old|same)) ?(work|task|one|session)?$/,
    'continue',
  ],
  [/^(lets |let us )?(please )?continue where we left off$/, 'continue'],
  [/^(lets |let us )?(please )?(start|begin)? ?(fresh|anew|over)( please)?$/, 'fresh'],
  [/^(start|starting|begin|its|something)? ?(something|a)? ?new( one| task| session)?$/, 'fresh'],
  [/^(please )?save (it|that|this)( please)?( and (then )?start .{0,40})?$/, 'fresh'],
];

/**
 * Which of its options an answer means; null where it answers something else.
 * @param text `A`, `b)`, `Option A`, `continue`, `fresh`, a label, or words that mean one
 */
export function choiceBy(kind: ChoiceKind, text: string): Choice | null {
  const words = plain(text.slice(0, 200));
  const { options } = WORDINGS[kind];
  const letter = /^(?:option |choice |answer )?([ab])\)?(?: please)?$/.exec(words)?.[1];
  if (letter) return options[letter === 'a' ? 0 : 1]?.[1] ?? null;
  const labelled = options.find(([label]) => words.replace(/^[ab]\) ?/, '') === plain(label));
  return labelled?.[1] ?? SAID.find(([pattern]) => pattern.test(words))?.[1] ?? null;
}
