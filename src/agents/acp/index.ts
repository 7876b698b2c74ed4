/** Recordings of the Agent Client Protocol. */
import type { Agent } from '../contract/agent.ts';
import { hasRecord, readLine } from '../shared/lines.ts';
import { PlainReader } from '../shared/plain-reader.ts';
import { acpFormat } from './format.ts';
import { acpShape, isOurs } from './rpc.ts';

export const acp: Agent = {
  name: 'acp',
  recognises: (beginning) => hasRecord(beginning, (line) => readLine(line, acpShape), isOurs),
  isOurs: (record) => isOurs(record),
  reader: (resume) => new PlainReader(acpFormat, resume),
};
