/** The sentences that the tests hold as labelled messages: what only looks like approval, giving up or another task, above all. */
import { NEAR_MISSES } from '../../test/core/classify/near-misses.ts';
import { SELF_ANSWERED } from '../../test/core/classify/self-answered.ts';
import { SENSES } from '../../test/core/classify/senses.ts';
import { SENTENCES } from '../../test/core/classify/sentences.ts';
import { TOLD } from '../../test/core/classify/told.ts';
import { WITH_REASONS } from '../../test/core/classify/with-reasons.ts';
import type { LabelledRow } from './rows.ts';

/** Each of them in each of its states. */
export function sentenceRows(): LabelledRow[] {
  return [SENTENCES, NEAR_MISSES, SELF_ANSWERED, SENSES, TOLD, WITH_REASONS].flatMap((table) =>
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
