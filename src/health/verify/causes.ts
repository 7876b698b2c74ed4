/** Findings that all else may follow from: what only says once more what one of them says is left out. */
import type { Finding } from '../finding.ts';

/**
 * Tells whether a finding says once more what a cause says: of the same place, in the same words, or of what lies below what is
 * no file or folder. There may be many of both: nothing is held against every cause.
 * @param root of the store
 */
export function followsFrom(causes: readonly Finding[], root: string): (finding: Finding) => boolean {
  const places = new Set(causes.map(({ where }) => where));
  const messages = new Set(causes.map(({ message }) => message));
  const files = new Set(causes.filter(({ kind }) => kind === 'file').map(({ where }) => where));
  const isBelow = (name: string): boolean => beginnings(name).some((beginning) => files.has(beginning));
  return ({ where, message }) =>
    places.has(where) ||
    messages.has(message) ||
    isBelow(where) ||
    (message.startsWith(`${root}/`) && isBelow(message.slice(root.length + 1)));
}

/** What a name, or words that begin with one, may begin with that is a name: up to a slash, or to what is said of it. */
const beginnings = (text: string): string[] =>
  Array.from(text.matchAll(/\/| is damaged/g), ({ index }) => text.slice(0, index));
