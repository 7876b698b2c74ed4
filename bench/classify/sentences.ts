/** The sentences that the tests hold as labelled messages: what only looks like approval, giving up or another task, above all. */

import { EXPLAINED } from '../../test/language/explained-messages.ts';
import { NEAR_MISSES } from '../../test/language/near-misses.ts';
import { SELF_ANSWERED } from '../../test/language/self-answered.ts';
import { SENSES } from '../../test/language/senses.ts';
import { SENTENCES } from '../../test/language/sentences.ts';
import { WITH_REASONS } from '../../test/language/with-reasons.ts';
import type { LabelledRow } from './rows.ts';

/** Each of them in each of its states. */
export function sentenceRows(): LabelledRow[] {
  return [SENTENCES, NEAR_MISSES, SELF_ANSWERED, SENSES, EXPLAINED, WITH_REASONS].flatMap((table) =>
    table.flatMap(([states, label, sentences]) =>
      sentences
        .split('\n')
        .flatMap((message) =>
          states.flatMap((state): LabelledRow[] =>
            state === 'none' ? [] : [{ label, alt: null, state, lastMessage: null, message, agent: '' }],
          ),
        ),
    ),
  );
}
