/** Codex: its rollouts, its hooks, and the user's words. */

import { objectOf, textOf } from '../../core/json.ts';
import type { Agent } from '../contract/agent.ts';
import type { PermissionPoint } from '../contract/hook-settings.ts';
import { hasRecord } from '../shared/lines.ts';
import { ownWordsIn } from '../shared/own-words.ts';
import { permissionRequest } from '../shared/permission-point.ts';
import { CODEX_FOREIGN } from './foreign.ts';
import { readHook } from './hook.ts';
import { codexHooks } from './hooks.ts';
import { baseOf } from './lineage.ts';
import { isRolloutDocument, unfoldRollout } from './old-rollout.ts';
import { CodexReader } from './reader.ts';
import { isOurs, readRecords } from './record.ts';
import { ROLLOUT, rollouts } from './rollout-name.ts';
import { codexTranscripts } from './transcripts.ts';
import { codexWriter } from './write.ts';

/** Returns when a rollout continues another one, by its first line; null if it continues none. */
export function continuedAt(firstLine: string): string | null {
  const [record] = readRecords(firstLine).records;
  const base =
    record?.['type'] === 'session_meta' ? objectOf(objectOf(record['payload'])?.['history_base']) : undefined;
  return (base && textOf(record?.['timestamp'])) ?? null;
}

/** Returns the id in the name of the rollout that one continues, by its first line; null if it continues none. */
function goesOnFrom(firstLine: string): string | null {
  const [record] = readRecords(firstLine).records;
  const meta = record?.['type'] === 'session_meta' ? objectOf(record['payload']) : undefined;
  return (meta && baseOf(meta)?.rollout) ?? null;
}

const permissions: PermissionPoint = {
  asked: (payload) => permissionRequest.asked(payload),
  answer: (answer) => permissionRequest.answer(answer),
};

export const codex: Agent = {
  name: 'codex',
  hooks: { read: (payload) => readHook(payload), permissions, settings: () => codexHooks },
  places: () => codexTranscripts,
  usersWords: (texts) => ownWordsIn(texts, CODEX_FOREIGN),
  // The pattern is for a first line that is longer than the text given.
  recognises: (beginning) =>
    hasRecord(beginning, readRecords, isOurs) ||
    isRolloutDocument(beginning) ||
    /^\ufeff?\s*\{"timestamp":\s*"[^"]{1,64}",[^{]{0,64}"type":\s*"session_meta",\s*"payload":\s*\{/.test(beginning),
  unfold: (document) => unfoldRollout(document),
  get sessionIds() {
    return { file: ROLLOUT };
  },
  continuedAt,
  goesOnFrom,
  get others() {
    return rollouts;
  },
  isOurs: (record) => isOurs(record),
  get write() {
    return codexWriter;
  },
  reader: (resume, beside) => new CodexReader(resume, beside),
};
