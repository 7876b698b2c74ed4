/** Codex: how its rollout is recognised, and who reads it. */

import type { Agent } from '../contract/agent.ts';
import { hasRecord } from '../shared/lines.ts';
import { isRolloutDocument, unfoldRollout } from './bare.ts';
import { continuedAt, goesOnFrom } from './continued.ts';
import { CodexReader } from './reader.ts';
import { isOurs, readRecords } from './record.ts';
import { ROLLOUT, rollouts } from './rollout-name.ts';

export const codex: Agent = {
  name: 'codex',
  // The pattern is for a first line that is longer than the text given.
  recognises: (beginning) =>
    hasRecord(beginning, readRecords, isOurs) ||
    isRolloutDocument(beginning) ||
    /^\ufeff?\s*\{"timestamp":\s*"[^"]{1,64}",[^{]{0,64}"type":\s*"session_meta",\s*"payload":\s*\{/.test(beginning),
  unfold: unfoldRollout,
  sessionIds: { file: ROLLOUT },
  continuedAt,
  goesOnFrom,
  others: rollouts,
  isOurs,
  reader: (resume, beside) => new CodexReader(resume, beside),
};
