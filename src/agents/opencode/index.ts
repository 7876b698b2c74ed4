/** opencode: how its exports are recognised, and who reads them. */
import type { Agent } from '../contract/agent.ts';
import { VersionReader } from '../shared/versions/reader.ts';
import { AGENT_NAME } from './name.ts';
import { isOurs, readRecords } from './record.ts';
import { opencodeDialect } from './tell.ts';
import { isExport, unfoldExport } from './unfold.ts';

export const opencode: Agent = {
  name: AGENT_NAME,
  recognises: (beginning) => {
    const lines = beginning.split('\n', 64);
    return lines.some((line) => readRecords(line).records.some(isOurs)) || isExport(beginning);
  },
  unfold: unfoldExport,
  isOurs,
  reader: (resume) => new VersionReader(opencodeDialect, resume),
};
