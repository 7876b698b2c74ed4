/** Lists words that open another task if nothing else is between two marks: "Unrelated: …". */
import { LEADS } from './clause-forms.ts';

const TURNS_TO: ReadonlySet<string> = new Set(['move', 'switch', 'turn']);
const TICKETS: ReadonlySet<string> = new Set(['ticket', 'issue', 'task']);
/** Returns whether words turn to another ticket by its number: "let's move to #12", "switch to ticket 12". */
function namesTicket(words: readonly string[]): boolean {
  const [verb = '', to, ticket = '', number = ''] = words[0] === 'lets' ? words.slice(1) : words;
  if (!TURNS_TO.has(verb) || to !== 'to') return false;
  return ticket.includes('#') || (TICKETS.has(ticket) && /[0-9]/.test(number));
}

const BESIDE_TICKET: ReadonlySet<string> = new Set(
  'lets pick up take do fix start begin on with next now then this that one please pls work move to go tackle ok okay k great thanks and the new'.split(
    ' ',
  ),
);
const isDigit = (character: string): boolean => character >= '0' && character <= '9';
const isNumber = (word: string): boolean =>
  isDigit(word.charAt(word.startsWith('#') ? 1 : 0)) && isDigit(word.charAt(word.length - 1));
/** What has a number behind it too, and is none. */
const UNITS: ReadonlySet<string> = new Set([
  'utf',
  'sha',
  'iso',
  'base',
  'rfc',
  'ipv',
  'http',
  'node',
  'python',
  'gpt',
]);
/** Returns whether a word is the name of a ticket: "eng-2214". */
const isTicket = (word: string): boolean => {
  const [name = '', number = '', ...more] = word.split('-');
  return name.length > 1 && !UNITS.has(name) && number.length > 1 && isNumber(number) && more.length === 0;
};
/** The ticket that a message names and nothing else: "ENG-2214", "let's pick up #55 now", "ticket 12 please". */
export function ticketAlone(words: readonly string[]): string | undefined {
  const isNamed = (word: string, at: number): boolean =>
    isTicket(word) || (isNumber(word) && (word.startsWith('#') || ['ticket', 'issue'].includes(words[at - 1] ?? '')));
  if (!words.every((word, at) => BESIDE_TICKET.has(word) || TICKETS.has(word) || isNamed(word, at))) return undefined;
  return words.find(isNamed);
}

/** Marks that are alone between others: "Unrelated: …", "separately, …". */
const TOPIC_ALONE: ReadonlySet<string> = new Set([
  'unrelated',
  'something unrelated',
  'something completely unrelated',
  'something totally unrelated',
  'on to something unrelated',
  'separately',
  'changing the subject',
  'changing the topic',
  'changing gears',
  'shifting gears',
  'more urgent',
  'that this is out of the way',
  'that thats out of the way',
  'that that is out of the way',
  'with that out of the way',
]);
/** The same, which may also be one more thing about this task. */
const VAGUE_TOPIC: ReadonlySet<string> = new Set([
  'something else',
  'something different',
  'different thing',
  'new thing',
  'other thing',
  'entirely other thing',
  'totally other thing',
  'completely other thing',
  'otra cosa',
  'ahora otra cosa',
  'was anderes',
  'andere sache',
  'autre chose',
  'different job',
  'to something else',
  'on to something else',
  'on to something different',
  ...['completely', 'totally', 'entirely'].flatMap((how) => [`${how} different issue`, `${how} different problem`]),
]);
/** Returns whether a clause announces something, and does not say that it is a task: "different thing: …" */
export const isVagueTopic = ({ words }: { readonly words: readonly string[] }): boolean =>
  VAGUE_TOPIC.has(words.filter((word) => !LEADS.has(word)).join(' '));

/** Returns whether words that nothing follows may open another task. @param words the words without introductory ones */
export function isTopicAlone(words: readonly string[]): boolean {
  const said = words.join(' ');
  return TOPIC_ALONE.has(said) || VAGUE_TOPIC.has(said) || namesTicket(words);
}

/** Returns whether a word is the name of a thing, as "orders.v2" is; what is quoted may be one. */
export const isName = (word: string): boolean =>
  word === 'codespan' || word === 'quotation' || word.slice(1).includes('.') || word.includes('_');
const BESIDE_NAME: ReadonlySet<string> = new Set(['please', 'pls', 'now', 'then', 'next', 'thanks']);
/** Returns whether a clause is the name of a thing and nothing more: "db.ts please". */
export const isNameAlone = ({ words }: { readonly words: readonly string[] }): boolean =>
  words.some(isName) && words.every((word) => isName(word) || BESIDE_NAME.has(word));

const CALLED: ReadonlySet<string> = new Set(['called', 'named', 'spelled', 'spelt', 'written']);
const IS: ReadonlySet<string> = new Set(['is', 'are', 'be', 'isnt', 'arent']);
/** Returns whether a clause says only what a thing is called, which is no task: "the header is called X-Id". */
export const tellsName = ({ words }: { readonly words: readonly string[] }): boolean =>
  words.some((word, at) => CALLED.has(word) && IS.has(words[at - 1] ?? ''));
