/** What was given of a rollout before and is kept, and what its messages say: a compaction names them by their words. */
import type { AnyBody } from '../../core/record.ts';
import { fingerprint } from '../shared/fields.ts';
import { Kept as KeptTranscript } from '../shared/kept.ts';
import { promptOf } from './said.ts';

/** A number that stands for what a message says: role and texts. */
export function wordsOf(role: string, parts: readonly object[]): number {
  const texts = parts.map((part) => (part as { text?: unknown }).text).filter((text) => typeof text === 'string');
  return fingerprint([role, ...texts].join('\0'));
}

export class Kept extends KeptTranscript {
  /** The latest message that the agent did not make, by what it says. */
  readonly words: Map<number, string>;

  constructor(bodies: Iterable<AnyBody>, promptId: string | null) {
    const words = new Map<number, string>();
    super(
      bodies,
      promptId,
      (content) => promptOf({ content }),
      (id, role, parts) => {
        if (role !== 'assistant') words.set(wordsOf(role, parts), id);
      },
    );
    this.words = words;
  }
}
