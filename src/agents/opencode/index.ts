/** opencode: how its exports are recognised, and their reader. */

import type { Agent } from '../contract/agent.ts';
import { hasRecord } from '../shared/lines.ts';
import { VersionReader } from '../shared/versions/reader.ts';
import { opencodeDialect } from './dialect.ts';
import { isOurs, readRecords } from './record.ts';
import { isExport, unfoldExport } from './unfold.ts';

export const opencode: Agent = {
  name: 'opencode',
  recognises: (beginning) => hasRecord(beginning, readRecords, isOurs) || isExport(beginning),
  unfold: unfoldExport,
  isOurs,
  reader: (resume) => new VersionReader(opencodeDialect, resume),
};
