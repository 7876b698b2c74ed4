/** Codex: how its rollout is recognised, and who reads it. */
import type { Agent } from '../contract/agent.ts';
import { isRolloutDocument, unfoldRollout } from './bare.ts';
import { continuedAt, goesOnFrom } from './continued.ts';
import { AGENT_NAME } from './name.ts';
import { CodexReader } from './reader.ts';
import { isOurs, readRecords } from './record.ts';
import { ROLLOUT, rollouts } from './rollout-name.ts';

export const codex: Agent = {
  name: AGENT_NAME,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    if (lines.some((line) => readRecords(line).records.some(isOurs)) || isRolloutDocument(beginning)) return true;
    // A first line that is longer than the text given.
    return /^\ufeff?\s*\{"timestamp":\s*"[^"]{1,64}",[^{]{0,64}"type":\s*"session_meta",\s*"payload":\s*\{/.test(
      beginning,
    );
  },
  unfold: unfoldRollout,
  sessionIds: { file: ROLLOUT },
  continuedAt,
  goesOnFrom,
  others: rollouts,
  isOurs,
  reader: (resume, beside) => new CodexReader(resume, beside),
};
