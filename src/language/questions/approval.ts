/** Decides whether a question only asks if finished work is well: politeness behind it, which waits for no answer. */
import { tellsOfWork } from '../../core/work-done.ts';
import { isOpen } from './planned-work.ts';

const approvals = (): readonly RegExp[] => [
  /^(so,? |and |but )?(do|does|did|is|are|would|will)(n't)? (this|that|it|these|those|everything|all( of)? (this|that|it))( all)? (now )?(look|seem|sound|work|read|make sense|match|meet|help|answer|address|cover|clarify|resolve|solve|fix|suit|ok\b|okay|good|fine|correct|right|clear|better|acceptable( to you)?$|what you)/i,
  /^(how|what) (does|do|about) (this|that|it|everything) (look|seem|now)\b/i,
  /^how('s| is) (this|that|it)( now| looking)?$/i,
  /^(all |every ?thing )?(looks?|looking|sounds?|lgtm|good|better|ok|okay|all good|clear|right|correct|make sense|makes sense|happy|satisfied|done|agreed)\b[^,;:]{0,24}$/i,
  /^(is|are|was|were) (this|that|it|these|those) the [\w-]+ you (expected|wanted|needed|meant|had|asked|were)\b/i,
  /\banything else\b|\b(algo más|alguna otra cosa|sonst noch (et)?was|noch etwas|autre chose|qualcos'altro|qualcosa d'altro|mais alguma coisa)\b|что-нибудь ещё|还有别的/i,
  /^(is|are|was|were)(n't)? there (anything|any (other|more|further|remaining))\b/i,
  /^(do you have |have you |got |are there )?any (other |more |further |additional )?(questions?|concerns?|thoughts|feedback|comments?|tweaks?|changes?|adjustments?|issues?|requests?|suggestions?)\b/i,
  /^(please )?(let me know|feel free|just (say|ask|shout))\b/i,
  /^(can|could|may) i (help|assist)\b/i,
  /^how can i (help|assist)\b/i,
  /^are (you|we) (done|happy|satisfied|ok|okay|good|all set)\b/i,
  /^(ready|good) to (go|merge|ship)$/i,
  /^(are you |is (it|this|that) |(it|this|that)('s| is) )?ready for (your |a |the )?(final )?(review|feedback|inspection|testing|merge|merging|look)$/i,
  /^do you like (it|this|that|the result)( now| this way| better)?$/i,
  /^((passt|stimmt) (das|es|alles)( so| jetzt| für (dich|sie|euch))?|gefällt (es|das) (dir|ihnen|euch)( so)?|ist (das|es|alles) (so )?(ok|okay|in ordnung|gut|richtig)( so)?|(est-ce que )?(cela|ça|ca|tout) (vous|te|nous) (convient|va|plaît)( comme (ça|cela))?|¿?((te|le|les|os) (parece|gusta|sirve|va) bien|está (todo )?bien)( así)?)$/iu,
];

/** The same of a part of it: finished work only if something is informed to be done, else a section of a plan. */
const APPROVAL_OF_PART =
  /^(so,? |and |but )?(do|does|did|is|are) (this|that|the|these|those|my|your) ([\w-]+ ){1,3}(now )?(look|seem|read|work|make sense|match|meet|cover)\b.{0,40}$/i;

/** Matches a question about work that was reported, and would else be a question of its own: "Is the name fine?", "Do they read well?" */
const OF_WORK_DONE = new RegExp(
  '^(so,? |and |but )?(' +
    '(is|are) (the|this|that|my|your|its) ([\\w-]+ ){1,3}(fine|ok|okay|good|right|correct|clear|acceptable|alright|all right|good enough)( (now|so|like (this|that)|this way|with you|for you|by you))?|' +
    '(do|are|did) they( all)? (now )?(look|seem|sound|read|work|make sense|match|meet|help|cover|fit|suit|ok|okay|fine|good|right|correct|clear)( .{0,24})?|' +
    "(is|are|was|were) (this|that|it|they|these|those|everything|all)( of (it|this|that))? (now )?(as|like|what|how) (you('d| had)? )?(expected|wanted|intended|planned|hoped|imagined|described|requested|required|desired|asked|needed|meant|had in mind)" +
    ')$',
  'i',
);

const THING = '(any|some)thing( else| more)?';
const MEND = '(adjust|change|tweak|modify|refine|rework|revise|edit|polish)';
const CHANGES = '(changes|adjustments|tweaks|edits|corrections|modifications)';
const MENDS = new RegExp(
  `(,? ?\\bor (should|shall|can|could) (i|we)|(,? ?\\bor )?\\b(do you want|would you like|want) me to) ${MEND} ${THING}$|` +
    `(,? ?\\bor )?\\b(do you (want|need|have)|would you like|want) (any|some|me to make any) (other |more |further )?${CHANGES}$|` +
    `^(is there )?${THING} (that )?(you('d| would) like|you want|you need) (me to ${MEND}|changed|adjusted|tweaked)$`,
  'i',
);
/** Leave to end the work, and not to do more of it. */
const CLOSES =
  /(^(are (we|you) )?ready)? ?\b(to|(if|that) (i|we)|^(so,? |and )?(can|may|could|shall|should) (i|we)( now)?) ((close|wrap) (this|it|that|things) (out|up|off)|close( (this|it|that))?|(close|wrap|finish) (out|up)|(call|mark|consider) (this|it|that|the task) (as )?(done|complete|completed|finished))$/i;

/** Matches a request for approval if it is about work that was reported, and else for a decision. */
const OF_WORK =
  /^(please )?(approved?|confirm(ed)?)$|^(can|could|would|will) you (please |also )?(confirm|verify|check|test|see) (that |if |whether )?(it|this|that|everything|all( of it)?) (now )?(works?|runs?|looks?|behaves?|is)\b/i;
const CHECK =
  '(verify|confirm|check|test|review|try|inspect|(take|have) a (quick )?look|give (it|this|that) a (quick )?(try|go|spin|shot|test|look))';
const CHECKING =
  '(verifying|confirming|checking|testing|reviewing|trying|inspecting|(taking|having) a (quick )?look|giving (it|this|that) a (quick )?(try|go|spin|shot|test|look))';
/** When the user may do so. */
const AT_LEISURE =
  "(when(ever)?|once|if|as soon as) you('re| are| have| get| find| can)( (back|free|around|ready|(the |some |a )?(free |spare |quick )?(time|moment|minute|second|chance)))?|at your (leisure|convenience)";
const CHECK_OF_IT = `(,? (it|this|that|them|everything|at it|at this|out|again|now|please|yourself|for yourself|in action|(on|at|from) your (end|side|machine)|${AT_LEISURE}))*`;
const TO_CHECK = new RegExp(
  `^(please|(please )?((can|could|would|will) you( please| also| quickly)?|((do you )?(want|care) to|wanna)|would you (like|care) to|feel like)) ${CHECK}${CHECK_OF_IT}$|` +
    `^((would|do) you mind|mind|how about|feel like) ${CHECKING}${CHECK_OF_IT}$`,
  'i',
);
/** Matches words for what comes after work that is done: another task. */
const NEXT =
  /^(so,? |and )?what('s| is| comes) next$|^what (would|do) you (like|want) (me )?to (do|work on|tackle|look at|see) next$/i;
/** An opinion that is asked of work, or of what was found out. */
const OPINION =
  /^(so,? |and )?(what do you (think|say|reckon)|what say you|how do you (like|find) (it|this|that|them))( (of|about) (it|this|that|them))?( now)?$/i;
/** A question of approval, as far as it may ask leave for something that is still to be done. */
interface Approval {
  readonly asked: string;
  /** Sentences beside it. */
  readonly beside: readonly string[];
}

const CLOSING = /[?？\s"'”’)\]*_`~>]+$/u;
/** A dash behind which a sentence of its own is: "Done — does this look good?" */
const DASH = / (?:[—–]|--?) /;

/**
 * Returns the part of a question that only asks approval, or null if it asks for more.
 * @param beside what is said beside it, which may say whether it is of work that is done
 */
export function approvalIn(sentence: string, beside: readonly string[]): Approval | null {
  const asked = sentence.replace(CLOSING, '').replace(MENDS, '').replace(CLOSES, '');
  const [head, ...behind] = asked.split(DASH) as [string, ...string[]];
  const isOfHead = behind.length > 0 && tellsOfWork([head]);
  const words = (isOfHead ? (behind.at(-1) as string) : asked).replace(/^[^\p{L}¿]+/u, '').trim();
  const around = isOfHead ? [head, ...beside] : beside;
  return (words === '' ? isOfWork(around) : isApproval(words, around)) ? { asked, beside: around } : null;
}

const isOfWork = (beside: readonly string[]): boolean =>
  !isOpen(beside) || beside.some((one) => !isOpen([one]) && tellsOfWork([one]));

function isApproval(words: string, beside: readonly string[]): boolean {
  if (approvals().some((pattern) => pattern.test(words))) return true;
  const isWorkTold = tellsOfWork(beside);
  if (OF_WORK.test(words)) return isWorkTold || beside.length === 0;
  if (TO_CHECK.test(words) || NEXT.test(words) || OF_WORK_DONE.test(words)) return isWorkTold;
  return isWorkTold && (APPROVAL_OF_PART.test(words) || (OPINION.test(words) && !isOpen(beside)));
}

/** Returns whether a question asks approval of a part of something. */
export const isApprovalOfPart = (sentence: string): boolean => APPROVAL_OF_PART.test(sentence);
