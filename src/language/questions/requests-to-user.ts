/** A wish for a decision, or for something that only the user can do or knows, that has no question mark. */
import { tellsOfWork } from '../../core/work-done.ts';

/** Matches words that may lead up to such a request: "To continue, …", "Before I can continue, …". */
const LEAD =
  '^((so|but|and|now|then|first|for (this|that)),? )?((to (go on|continue|proceed|finish|start|move on|do (this|that|it))|before (i|we) [^,.]{1,40}),? )?';
const NEED = `${LEAD}(i|we)('d| would|'ll| will)?( (still|just|only|first|also|now))? need`;
/** Matches names of values that only the user knows or has. */
const VALUE =
  '(name|value|id|url|path|key|token|address|number|version|password|port|region|credential|secret|host|hostname|username|account|link|file|log|output|date|location)s?';
/** Behind a need that was met already: "I need the path twice, so I kept it". */
const NOT_MET = '(?!.*\\bso (i|we)\\b)';
const HAND = '(provide|send|share|paste|give|supply|upload|attach|specify|post|enter)( (me|us))?';
const POLITE = '(?!([\\w-]+ )?(feedback|thoughts|comments|impressions?|ideas)\\b)';
/** Matches the way in which a thing is handed over when the program runs, and not to the agent: "provide the key via `API_KEY`". */
const AT_RUN = '(?!.*\\b(via|when|whenever|if|through|using|(with|in|as) code)\\b)';
const requests = (): readonly RegExp[] => [
  /\b(i('ll| will)? need you to|you('ll| will)? (need|have) to)\b.*\b(tell me|let me know)\b/i,
  /\b(type|say|reply|answer|respond|enter|write) (with )?(words|code|['‘]?(yes|y|go|ok|okay|confirm|proceed|continue)['’]?) (to|and i|if)\b/i,
  /\b(let me know|tell me) (which|whether|how you('d| would)? (want|like|prefer)( me)? to (proceed|continue|go on|go ahead|handle|resolve))\b/i,
  /^please (run|start|set|add|provide|install|log ?in|sign in|open|export|create|put|grant|enable|insert|plug|restart)\b.*\b(tell me|let me know)( when| once| as soon as|, (then|so) i)\b/i,
  /^i (still )?need (one|some|a few|two|three) more (pieces? of )?(information|details?|values?|credentials?)\b(?!.*\bso i\b)/i,
  /^(please )?(tell|give|send) me (the|your) (name|value|id|url|path|key|token|address|number|version|password)\b/i,
  /^(please )?(choose|pick|select|specify) (one|an? |which|between|from|the )|\bplease (confirm (which|whether)|choose|pick|specify|clarify)\b/i,
  new RegExp(`${NEED} to know (which|what|whether|who|whose|where|when|how|if|the|your)\\b${NOT_MET}`, 'i'),
  new RegExp(`${NEED} your (input|decision|choice|call|answer|advice|opinion|view|guidance|preference|help)\\b`, 'i'),
  new RegExp(
    `${NEED} (the|your|an?|some) ([\\w-]+ ){0,3}${VALUE}( (of|for|to|before|from|in order|so that|first)\\b${NOT_MET}|[.!]?$)`,
    'i',
  ),
  new RegExp(`${NEED} [^.]{1,80} (before (i|we) can|to (go on|continue|proceed|move on))\\b${NOT_MET}`, 'i'),
  new RegExp(`^((so|then|now),? )?please ${HAND} (the|your|an?|some) ${POLITE}${AT_RUN}`, 'i'),
  // Matches things that the user is to hand over, for the work to continue; what they may do without the agent is followed by no work of its own.
  new RegExp(
    `^(please )?(${HAND}|show me) (the|your|an?|some) [^.]{1,80}?,? (and|so|then)( that| then)? i('ll| will| can)\\b`,
    'i',
  ),
  /^((so|and|now|then|just|still|i|we|i'm|i am|i'll|i will|we're|we are|we'll|we will),? )*(wait(ing)?|holding) (here )?(for|on) your (answer|reply|response|decision|choice|call|input|pick|go-?ahead)\b/i,
  /^((so|but),? )?((it|that)('s| is) )?(entirely )?(your (call|choice|decision|pick)|you (choose|decide|pick))[.!]*$/i,
  new RegExp(`^((so|then|now),? )?please ${HAND} .*\\b(so (that )?(i|we) can|and (i|we)('ll| will))\\b`, 'i'),
  new RegExp(`(^|[;,:] )please ${HAND} (it|them)( (here|below|in (this|the) (chat|conversation)))?[.!]*$`, 'i'),
  // Stopped for want of something, and not for a while: "I was blocked, so I …".
  /^((so|but|and|now|for now),? )?(i|we)('m| am|'re| are)( still| currently| now)? blocked\b(?!.*\bso (i|we)\b)/i,
  /^((so|but|and|now|for now),? )?(i|we) (can't|cannot|can not) (continue|proceed|go on|go ahead|go any further|finish|start|begin|move on)\b.{0,60}\b(without|until|unless|before)\b(?!.*\bso (i|we)\b)/i,
];

/** One of these is in every wish. Most last words have none, and a hook would wait until the patterns are compiled. */
const REQUEST_WORDS =
  `you me please need type say reply answer respond enter write choose pick select specify send share paste post supply upload attach block without until before`.split(
    ' ',
  );
const mayBeRequest = (lower: string): boolean => REQUEST_WORDS.some((word) => lower.includes(word));
/** Returns whether a sentence wants an answer, or a thing, of the user. */
export const requestsFromUser = (sentence: string): boolean =>
  mayBeRequest(sentence.toLowerCase()) && requests().some((wish) => wish.test(sentence));

const ANSWER_ME = /^(please |just |so )?(let me know|tell me)( (what|how|which) (you|one) [^.?!]{1,40})?[.!]*$/i;
export const wantsAnswer = (sentence: string): boolean => ANSWER_ME.test(sentence);
/** Matches ways that the agent could take, one or the other: "I can do A or B"; not what it can say, nor what it could not do. */
const WAYS_TOLD =
  /^((so|here|now),? )?(i|we) (can|could|may|might) (?!(not|confirm|see|say|tell|reproduce|verify|find)\b)[^.?!]{1,160}\bor\b|^(there are|i see|we have) (two|three|four|several|[2-9]) (options|ways|choices|possibilities|approaches)\b/i;
/**
 * Returns whether a sentence leaves it to the user which of the ways is taken that were said before it, and nothing is done yet.
 */
export const leavesChoice = (before: readonly string[], sentence: string): boolean =>
  wantsAnswer(sentence) && WAYS_TOLD.test(before.at(-1) ?? '') && !tellsOfWork(before);
