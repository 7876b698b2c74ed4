/** Decides whether words announce work that is still to be done, so that an approval asked for beside them is one to begin it. */
import { tellsOfWork } from '../../core/work-done.ts';

const inQuestion = (): readonly RegExp[] => [
  // "okay to delete it", "fine if I …"; "good to go" and "good to you" are none.
  /\b(ok|okay) to (?!(you|me|us|go|know)\b)/i,
  /\b(ok|okay|fine|good|alright|all right|safe|acceptable|ready|cool|happy|comfortable|clear|reasonable) (with (me|us) |for (me|us) )?(to (?!(you|me|us|go|ship|merge|see|know|have)\b)|with (me|us) \w+ing|if (i|we)\b|that (i|we)('ll| will)\b)/i,
  /\b(work|suit|okay|ok|fine|good|help|make sense)( for you| to you| with you)? (if|when|that) (i|we)\b/i,
  /\b(make sense|sound|look)\b.{0,30}\bto (?!(you|me|us)\b)(start|begin|go|do|add|use|keep|drop|remove|change|move|split|try|build|implement|proceed)\b/i,
  /\b(shall|should|can|may|could) (i|we)\b(?! (help|assist))|\bor (do|would|should|shall|is|are|keep|leave|rather)\b/i,
  /\bso far\b/i,
];
const SOUNDS = /\bsounds? (good|right|fine|ok|okay|reasonable)\b/i;
/** Words of what is found out, or may be done in more than one way. */
const OPEN =
  /\b(found|find|looked|compared|analy[sz]ed|reviewed|checked|investigated|researched|explored|considered|drafted|sketched|outlined|proposed|suggested|listed|noticed|identified|options?|alternatives?|approach(es)?|ideas?|either|or|vs|versus|plan|both)\b/i;
const announcements = (): readonly RegExp[] => [
  /\b(before|prior to|until) (i|we|any|making|the (implementation|change|rewrite|migration|work)|(?!adding to|according)\w+ing)\b/i,
  /\b(once|when|after|as soon as|until|unless|if) you('ve| have|'re| are|'d)? (approved?|confirm(ed)?|agreed?|sign(ed)? off|say so|say yes|say go|give|given|(ok|okay|happy|fine|good) with|on board|ready)\b/i,
  /\b(with|for|await(ing)?|need|pending|on) your (approval|go-?ahead|ok|okay|confirmation|blessing|permission|sign-?off|green light)\b/i,
  /\b(proceed(ing)?|go(ing)? ahead|move forward|moving forward|get (started|going)|kick (it |this )?off)\b/i,
  /\b(have|has|had|did|do|is|are|was|were)(n't| not)\b.{0,80}\byet\b|\b(nothing|none|no (code|changes?|files?|edits?))\b.{0,60}\b(yet|changed|written|touched|so far)\b|\bnot yet\b/i,
  /\b(yet|still|remains?|left|remaining) to (be )?(do|done|implement|implemented|write|written|change|changed|build|built|come)\b/i,
  /\b(i|we)( would|'d| could)( \w+ly)? (?!(not|be (happy|glad)|(love|like) to (hear|know)|recommend|also|have)\b)\w+/i,
  /\b(i|we)( want| intend| plan| propose| suggest|'m planning|'re planning| am planning| am about|'m about|'m thinking| am thinking)\b/i,
  /\bmy (plan|proposal|suggestion|idea|intention|thinking|next)\b|\bhere('s| is) (what|how) (i|we)( plan|'d| would|'ll| will| propose| want)\b/i,
  /\b(i|we) have in mind\b|\bhere('s| is) (the|my|a) (\w+ )?(plan|design|proposal|outline|sketch)\b/i,
  /^(next|then|after that|afterwards|the next step|next steps?)\b(?! time)/i,
];

/** "I'll write it then": the agent speaks of what it does next. */
const FUTURE =
  /\b(i|we)('ll| will|'m going to| am going to|'re going to| are going to| can then| can (start|begin))(?! (be (happy|glad|here)|also be|wait|stop here|leave it|keep it|gladly))\b/i;
/** …but only if something is wrong with what is finished, or as an offer. */
const ONLY_IF =
  /\bif (not|anything|something|any|there|needed|necessary|it (is|does|doesn't|isn't|breaks|fails)|you('d| would)? (?!(approve|agree|confirm|say))\w+)|\botherwise\b|\bfeel free\b|\banything (else|more)\b/i;
const PLANNED = /\b(plan|plans|approach|proposal|proposed|strategy|outline|roadmap|direction|next steps?)\b/i;
/** Words for a sketch that is shown before it is built. */
const SKETCHED =
  /\b(design|schema|structure|interface|signature|idea|spec|specification|sketch|draft|mock-?up|naming|scope|steps|options?|understanding|breakdown)\b/i;
/** A plan that was carried out. */
const CARRIED_OUT =
  /\b(follow(s|ed|ing)|implement(s|ed)|execut(es|ed)|complet(es|ed)|finish(es|ed)|carried out|deliver(s|ed)|match(es|ed)|cover(s|ed)|took|taken|done|works?|switched|replaced|uses|used|chose|updated|fixed)\b|\b(as|than) planned\b|\b(per|according to|as) (the|your|our) (plan|proposal|outline)\b|\bin the (plan|outline|roadmap)\b/i;

/** Returns whether a sentence beside a question announces work. */
function announces(sentence: string): boolean {
  if (FUTURE.test(sentence) && !ONLY_IF.test(sentence)) return true;
  if (/\b(shall|should|may) (i|we)\b.*[?？]/i.test(sentence)) return true;
  if (PLANNED.test(sentence) && !CARRIED_OUT.test(sentence)) return true;
  return announcements().some((pattern) => pattern.test(sentence)) && !ONLY_IF.test(sentence);
}

/**
 * Returns whether a question of approval is one to begin with: it asks leave itself, or a sentence beside it says what comes
 * then.
 */
export function asksForPlannedWork(question: string, beside: readonly string[]): boolean {
  if ([...inQuestion(), ...announcements(), FUTURE, PLANNED, SKETCHED].some((pattern) => pattern.test(question)))
    return true;
  if (SOUNDS.test(question) && (isOpen(beside) || !tellsOfWork(beside))) return true;
  const isLeave = /\b(ok|okay|fine|alright|all right|acceptable)\b/i.test(question);
  const tells = (sentence: string): boolean =>
    isLeave && /\bwould\b|\b(this|that|it) (will|means|requires|deletes|drops|breaks)\b/i.test(sentence);
  return beside.some((sentence) => announces(sentence) || tells(sentence));
}

/** Words that say the user what to do, at the beginning of a sentence or of a part of it. */
const ADDRESSES =
  /(^|[,;:—] ?|\band )((please|just|so|then) )*(let me know|tell me|give me)\b|(^|\bplease )(confirm|approve|review|say)\b|\b(i'm |i am )?(awaiting|waiting for) your\b|^(once|when|if|as soon as) you\b|\b(once|when|as soon as) you('ve| have)? (approved?|confirm(ed)?|agreed?|give|say so)\b/i;

/** One of these is in every such sentence. */
const ADDRESS_WORDS = ['let me know', 'tell me', 'give me', 'confirm', 'approve', 'review', 'say', 'you'];
const mayAddress = (lower: string): boolean => ADDRESS_WORDS.some((words) => lower.includes(words));

/** A wish for leave to begin that has no question mark: "Let me know if I should proceed." */
export function asksLeave(sentence: string): boolean {
  return (
    mayAddress(sentence.toLowerCase()) && ADDRESSES.test(sentence) && leave().some((pattern) => pattern.test(sentence))
  );
}

const leave = (): readonly RegExp[] => [
  /\b(if|whether|when|that) (i|we) (should|can|may) (?!(help|assist|clarify|explain|do anything))\w+/i,
  /\b(if|when|once) (this|that|it|the|my|you)\b.{0,40}\b(plan|approach|proposal|direction)\b/i,
  /\b(approve|review|confirm) (the|this|that|my)\b.{0,20}\b(plan|approach|proposal|outline|direction)\b/i,
  /\b(your|the) (approval|go-?ahead|ok|okay|confirmation|permission|sign-?off|green light)\b/i,
  /\b(once|when|as soon as|after|if) you('ve| have|'re| are)? (approved?|confirm(ed)?|agreed?|sign(ed)? off|say so|give|(ok|okay|happy|fine|good) with (the|this|that) (plan|approach|direction))\b/i,
  /\b(and|then|so) (i|we)('ll| will| can) (then )?(proceed|start|begin|go ahead|get started|implement|continue)\b/i,
  /\b(before i|before we) \w+/i,
];

/** Returns whether sentences report what was found out, or of more ways than one. */
export const isOpen = (sentences: readonly string[]): boolean => sentences.some((one) => OPEN.test(one));
