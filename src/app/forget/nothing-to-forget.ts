/** Explains why there is nothing to forget, without denying remains that ctx may not remove. */
import { CtxError } from '../../core/errors.ts';
import { plural } from '../../core/text.ts';
import { isLock } from '../../history/forget/file-owner.ts';
import type { Counts } from '../../history/forget/planned.ts';
import { isUnreadable, leftToYou } from './out-of-reach.ts';
import type { What } from './target.ts';

const notFound = (message: string, hint: string): CtxError =>
  new CtxError('not_found', message, { hint: `Nothing was changed. ${hint}` });

export function nothingToForget(what: What, counts: Counts): CtxError {
  const yours = leftToYou(counts);
  if (yours.length > 0 && yours.every(isUnreadable)) {
    return notFound(
      `There is nothing of it in this store but perhaps in ${yours.join(', ')}.`,
      'A name that is no UTF-8 cannot be asked for: look into these, or remove them, by hand.',
    );
  }
  if (yours.length > 0) {
    const locks = yours.some(isLock) ? ' A lock only once nobody is at work on the store.' : '';
    return notFound(
      `What is left of it in this store is not ctx's to remove: ${yours.join(', ')}.`,
      `Delete or rename these yourself, with Git.${locks}`,
    );
  }
  const places = placesOfOwnWords(counts);
  if (places.length > 0) {
    return notFound(
      `In this store it is only a word of ctx's or Git's own: in ${places.join(' and ')}.`,
      'A state, a kind, a key or an id is needed in its place; to forget a session, give its id.',
    );
  }
  if (['text', 'pattern', 'rule'].includes(what))
    return notFound(
      'There is nothing of it in this store.',
      'A text is looked for as it is written, letter by letter.',
    );
  return notFound(
    `This ${what} holds nothing of its own that could be forgotten.`,
    'Name the record or the session that holds it; see: ctx show <session> --steps --json',
  );
}

/**
 * Returns the places in which ctx or Git uses the text itself; other files are listed only if there is nothing else.
 */
function placesOfOwnWords({ left, standing: { refs, files } }: Counts): string[] {
  const places = [
    ...(left.length > 0 ? [plural(left.length, 'object')] : []),
    ...(refs > 0 ? [`the names of ${plural(refs, 'ref')}`] : []),
  ];
  if (places.length > 0 || files === 0) return places;
  return [
    files === 1 ? 'the name or the text of a file or a folder' : `the names or texts of ${files} files or folders`,
  ];
}
