/** A question that ctx itself puts to the user: its words, its options, and which of them an answer means. */
import { wordSet } from './word-set.ts';

export type ChoiceKind = 'stale_session' | 'new_task' | 'unclear';
/** Decision of an answer, whatever the question was: to continue the session, or to save it and begin another. */
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
  /** Labels of the two options, and their decisions. */
  options: readonly [[label: string, choice: Choice], [label: string, choice: Choice]];
  /** Decision of a plain no, if there is one thing that it can refuse. */
  no?: Choice;
  /** True if the question itself does not list its options. */
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
    no: 'continue',
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

/** Checks if a text is the key of an option and nothing more: `A`, `b)`. */
export const isKey = (text: string): boolean => /^[ab]\)?$/.test(plain(text.slice(0, 200)));

/** The option whose label, with its key or without it, is all of a text; null if there is none. */
export function choiceLabelled(kind: ChoiceKind, text: string): Choice | null {
  const words = plain(text.slice(0, 200));
  const { options } = WORDINGS[kind];
  const named = options.find(([label], index) => {
    const key = `${KEYS[index]}`.toLowerCase();
    return [`${label}`, `${key} ${label}`, `${key}) ${label}`].some((own) => plain(own) === words);
  });
  return named?.[1] ?? null;
}

/** Checks if a text lists the options of a question of ctx's, in the very words of their labels. */
export function offersChoice(text: string): boolean {
  const words = plain(text);
  return Object.values(WORDINGS).some(({ options }) => options.every(([label]) => words.includes(plain(label))));
}

/** Words that an answer may have around the one that decides; any other makes it a message about something else. */
const AROUND = wordSet(
  'yes yeah yep ok okay sure no please thanks i id ill we would will like want to choose pick take prefer say do lets let us is thing ' +
    'go with for and then just it its that this the same one a something your my our start starting begin on work working task session where we',
);
/** Matches words about the session that it saves: "save it", "save the current work". */
const SAVES = /\bsave (?:it|that|this|(?:the|my) (?:(?:current|old|unfinished) )?(?:work|task|session|one))\b/g;
const CONTINUES =
  /\b(?:continue|continuing|resume|resuming|carry on|go on|keep going|keep|left off|old|current|unfinished)\b/g;
const STARTS = /\b(?:fresh|anew|over|save|new(?: request)?)\b/g;
/** Matches the session that is saved, and the one that then begins. */
const SAVED_AND_BEGUN = /^(?:please )?save (?:it|that|this) and (?:then )?start .{0,40}$/;

/** Returns what an answer decides that has the words of the options and no others; null if it is not, or says both. */
function saidBy(words: string): Choice | null {
  const said = words.replace(SAVES, 'save');
  const rest = said.replace(CONTINUES, ' ').replace(STARTS, ' ').split(' ');
  if (!rest.every((word) => word === '' || AROUND.has(word))) return null;
  const continues = said.search(CONTINUES) >= 0;
  if (continues === said.search(STARTS) >= 0) return null;
  return continues ? 'continue' : 'fresh';
}

/** Matches the words by which an agent says that a question is ctx's. */
const CTX_ASKS = /\bctx (?:is asking|asks?|asked|wants?|needs?|would like)\b/i;
/** As much of a text as its last words are, in UTF-16 code units. */
const LAST_WORDS = 600;

/**
 * Checks if an agent's words only pass a question of ctx's on to the user: they say who asks, or offer both of its options.
 * @param asks what they ask of the user; null if they ask nothing
 */
export function passesOn(text: string, asks: string | null): boolean {
  const words = plain(text.slice(-LAST_WORDS));
  return CTX_ASKS.test(text) || (asks !== null && words.search(CONTINUES) >= 0 && words.search(STARTS) >= 0);
}

/** A plain yes takes what is offered first. */
const YES =
  'yes|yeah|yep|yup|y|sure|ok|okay|of course|absolutely|definitely|(?:please )?do (?:it|that|so)|go ahead|go for it';
const AGREES = new RegExp(`^(?:${YES})(?: (?:${YES}|please|thanks|thank you))*$`);

/** A plain no refuses what is offered, if that is one thing. */
const NO = 'no|nope|nah|not yet|not now';
const REFUSES = new RegExp(`^(?:${NO})(?: (?:${NO}|please|thanks|thank you))*$`);

/** The text of a pattern that takes some words as a whole answer, with no more than courtesy, a yes or a no around them. */
const whole = (words: string): string =>
  `^(?:(?:${NO}|yes|yeah|ok|okay|well|please|lets|let us|ja|nein|bitte) )*(?:${words})(?: (?:first|for now|please|thanks|thank you|bitte|danke))*$`;
/** Matches names for the session that is open. */
const NOUN = '(?:one|task|work|session|thing)';
const OPEN = `(?:(?:the|my|our|this|that) )?(?:(?:old|current|first|previous|existing|unfinished|same) )?${NOUN}|this|that|it`;
/** Ways to say it in other words than those of the options. */
const GOES_ON = new RegExp(
  whole(
    `finish (?:${OPEN})|stay (?:on|with) (?:${OPEN})|` +
      'pick (?:it |this |that )?(?:back )?up (?:from )?where (?:we|i|you) (?:left off|stopped)|' +
      `(?:its |it is )?(?:still )?(?:the )?same(?: ${NOUN})?|(?:mach )?weiter(?: ?machen)?`,
  ),
);
const BEGINS = new RegExp(whole('(?:(?:eine|die) )?neue aufgabe|(?:et)?was neues'));

function saidOtherwise(words: string): Choice | null {
  if (GOES_ON.test(words)) return 'continue';
  return BEGINS.test(words) ? 'fresh' : null;
}

/** An option by its letter or its place, behind words that lead up to it; and what is said behind it. */
const KEY =
  /^(?:(?:yes|yeah|ok|okay|no|well|so|then|alright|fine|hmm|please|i|id|ill|would|will|like|want|choose|pick|take|prefer|say|lets|let us|do|go with|go for|with|the|option|choice|answer|number) )*(?:(a|1|1st|first|former)|b|2|2nd|second|latter)\)?(?: (?:one|option|choice)\b)?(?: (?:it is|please|thanks|thank you))*(?: (.*))?$/;

/** Words that follow an option that was picked: "A, and make them short". */
const MORE = /^(?:and|but|also|then|plus|with)\b/;
/** An option that is called one, which anything may follow; "the option a user has" names none. */
const CALLED = /\b(?:option|Option|choice|answer) [AB12]\b/;

/** A task of its own that is announced answers nothing: "New task: build a roof". */
const ANNOUNCES =
  /^\W*(?:an? )?(?:new|another|different|next) (?:\w+ ){0,2}?(?:task|request|topic|thing|session|question|job|one)\s*:/i;

/** Matches the end of a first part of an answer. */
const PART_END = /[,.;:!]+(?=\s|$)|\s[-–—]+(?=\s)|\n/;

/** The first part of an answer and the rest, both trimmed. */
function parted(text: string): [first: string, rest: string] {
  const end = PART_END.exec(text);
  if (!end) return [text.trim(), ''];
  return [text.slice(0, end.index).trim(), text.slice(end.index + end[0].length).trim()];
}

/** A letter set off from what follows; its bracket may be open: "A. Use pg", "(b) use pg", "A — use pg". */
const LETTER = /^\W*([ab])(?:[)\]*]*[.,;:!)\]*]+\s+|\s+[-–—]+\s+|\s*\n\s*)(?=\S)/i;
/** Returns an answer without the letter of its option: "A. Use pg as the driver" adds "Use pg as the driver". */
export const withoutLetter = (text: string): string => text.replace(LETTER, '').replace(NAMED_OPTION, '');
/** The same for an option that is called one: "Option B, use vitest". */
const NAMED_OPTION = /^\W{0,4}(?:option|choice|answer) [ab12]\b[)\s]*[.,;:!–—-]\s*(?=\S)/i;
/** Another letter or place behind it: a list of things, or more than one option. */
const LISTED = /^(?:(?:and|or|&) )?[b-d](?![\p{L}\p{N}'’+#-])|(?:^|[\s(])(?:[b-d]|[A2-4])[.):](?=\s)|\sb[.!]?$/iu;

/** Returns what an option decides that is named by its letter; null if the words behind the letter name another, or continue a list. */
function byLetter(kind: ChoiceKind, text: string): Choice | null {
  const letter = LETTER.exec(text);
  if (!letter) return null;
  const behind = text.slice(letter[0].length);
  const [, named] = WORDINGS[kind].options[letter[1]?.toLowerCase() === 'a' ? 0 : 1];
  const said = byLabel(kind, behind) ?? saidBy(plain(parted(behind)[0]));
  const isTakenBack = ASKS.test(behind) || TAKES_BACK.test(plain(behind));
  return isTakenBack || LISTED.test(behind) || (said !== null && said !== named) ? null : named;
}
/** Matches words that may take an option back that was named before it. */
const TAKES_BACK =
  /\b(?:no|not|dont|wait|hold|never ?mind|cancel|stop|abort|actually|rather|forget|continue|later|first)\b/;
const ASKS = /[?？]/;

/** The option whose whole label an answer begins with. */
function byLabel(kind: ChoiceKind, text: string): Choice | null {
  const words = `${plain(text)} `;
  return WORDINGS[kind].options.find(([label]) => words.startsWith(`${plain(label)} `))?.[1] ?? null;
}

/** Parts that agree and say no more. */
const AGREES_TOO = /^(?:(?:yes|yeah|yep|ok|okay) )?(?:i do|you should|please|thats (?:right|fine|ok|okay|good))$/;
const BEGINS_IT = /^(?:(?:yes|yeah|yep|ok|okay|please) )*(?:start|begin) (?:it|that)(?: now)?$/;
/** Words that put the new request off, ask or state something, or are about the session that is open. */
const HOLDS_BACK =
  /^(?:(?:and|but|so|well|then) )*(?:no|not|dont|wait|hold|if|when|once|after|before|until|unless|as soon|the|this|that|thats|it|its|i|im|we|you|they|there|these|those|my|our|your|what|why|how|which|who|where|is|are|was|do|does|did|has|have|looks?|sounds?|nice|good|great|perfect|thanks?|never ?mind|cancel|stop|abort|forget|drop|undo|revert|ship|merge|commit|push|deploy|release|lgtm)\b|\b(?:first|later|finish|still|wait|old|current|unfinished|existing|continue|keep going|before (?:that|it|this|you|we|starting)|not yet)\b/;
const REQUESTED = /^(?:(?:and|but) )?(?:(?:can|could|would|will) you|please)\b/;

/**
 * Checks if an answer plainly takes what is offered, says what that is, and then more of it: "Yes, save it. Use pg as the driver." Behind
 * a mere yes anything may be meant: "Yes, keep both".
 */
function agreesWithMore(text: string, task: string): boolean {
  const [first, behind] = parted(text);
  if (!AGREES.test(plain(first))) return false;
  let rest = behind;
  let isSaid = false;
  for (;;) {
    const [next, more] = parted(rest);
    const words = plain(next);
    const says = BEGINS_IT.test(words) || saidBy(words) === 'fresh';
    if (more === '' || !(says || AGREES.test(words) || AGREES_TOO.test(words))) break;
    isSaid ||= says;
    rest = more;
  }
  if (!isSaid) return false;
  const words = plain(rest);
  const isAsked = ASKS.test(rest) && !REQUESTED.test(words);
  // An answer that speaks of the task of the open session may mean that session.
  const names = new Set(
    plain(task.slice(0, 200))
      .split(' ')
      .filter((word) => word.length > 3),
  );
  const isOfTask = words.split(' ').some((word) => names.has(word));
  return words !== '' && !isAsked && !isOfTask && !HOLDS_BACK.test(words) && !LISTED.test(rest);
}

/**
 * Picks the option in an answer that says more than that; null if it picks none. `choiceBy` is asked first.
 * @param text `A, and make them short`, `Option B. Use vitest`, `A. Use vitest`, `Yes, save it. Use vitest`
 * @param task what the open session is about
 */
export function choiceWithMore(kind: ChoiceKind, text: string, task = ''): Choice | null {
  const start = text.slice(0, 200).trim();
  if (ANNOUNCES.test(start)) return null;
  if (SAVED_AND_BEGUN.test(plain(start))) return 'fresh';
  // "Start the new request, also use CSS variables"
  const said = byLabel(kind, start) ?? saidBy(plain(start.split(/[,.;:\n]/)[0] ?? '')) ?? byLetter(kind, start);
  if (said !== null) return said;
  const key = KEY.exec(plain(start));
  const behind = key?.[2] ?? '';
  if (key && ((MORE.test(behind) && !LISTED.test(behind)) || CALLED.test(start)))
    return WORDINGS[kind].options[key[1] ? 0 : 1][1];
  // Only one thing is offered there, and the other question continues at a yes as at anything else.
  return kind === 'new_task' && agreesWithMore(start, task) ? 'fresh' : null;
}

/**
 * Picks the option that an answer means; null if it answers something else.
 * @param text `A`, `b)`, `Option A`, `the first`, `B, start fresh`, `continue`, a label, or words that mean one
 */
export function choiceBy(kind: ChoiceKind, text: string): Choice | null {
  const words = plain(text.slice(0, 200));
  const { options, no } = WORDINGS[kind];
  const said = saidBy(words) ?? saidOtherwise(words) ?? options.find(([label]) => words === plain(label))?.[1];
  if (said) return said;
  if (AGREES.test(words)) return options[0][1];
  if (no && REFUSES.test(words)) return no;
  const key = KEY.exec(words);
  if (!key) return null;
  const [label, named] = options[key[1] ? 0 : 1] as [string, Choice];
  const behind = key[2] ?? '';
  // "A test fails" names none, and "A, the new one" may name either.
  return behind === '' || behind === plain(label) || saidBy(behind) === named ? named : null;
}
