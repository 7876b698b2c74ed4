/** How long Claude Code keeps its transcripts: `cleanupPeriodDays` in its settings. */
import { propertiesOf, readJsonc } from '../../core/jsonc.ts';
import type { Retention } from '../contract/transcript-places.ts';

/** What Claude Code does where no setting says otherwise, in days. */
const DEFAULT_DAYS = 30;

export const claudeCodeRetention: Retention = {
  project: ['settings.local.json', 'settings.json'],
  user: ['settings.json'],
  days: (settings) => settings.map(daysIn).find((days) => days !== undefined) ?? DEFAULT_DAYS,
  longer: '"cleanupPeriodDays": 3650',
  decides: (text) => daysIn(text) !== undefined,
};

function daysIn(text: string): number | undefined {
  try {
    const root = readJsonc(text);
    if (root?.type !== 'object') return undefined;
    const value: unknown = propertiesOf(root).findLast(({ key }) => key === 'cleanupPeriodDays')?.value.value;
    return typeof value === 'number' && value >= 0 ? value : undefined;
  } catch {
    // What cannot be read says nothing.
    return undefined;
  }
}
