/** Finds the secrets in texts with marks around them. */
import { expect } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { type Chance, fill } from './secrets-corpus.ts';

const found = (text: string): string[] => findSecrets(text).map(({ start, end }) => text.slice(start, end));

/** Expects just the secret of a template to be found: `«` and `»` stand around it. @param chance what it is filled from */
export const expectFoundFrom =
  (chance: Chance) =>
  (template: string): void => {
    const [before = '', secret = '', after = ''] = fill(template, chance).split(/[«»]/);
    expect(found(before + secret + after)).toEqual([secret]);
  };

export const expectNone = (text: string): void => expect(found(text)).toEqual([]);
