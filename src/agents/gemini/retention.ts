/** How long Gemini CLI keeps its conversations: `general.sessionRetention` in its settings. */
import { type JsonObject, objectOf, textOf } from '../../core/json.ts';
import type { Retention } from '../contract/transcript-places.ts';
import { settingAt } from './settings.ts';

/** What Gemini CLI does where no setting says otherwise, in days. */
const DEFAULT_DAYS = 30;
const HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 7 * 24, m: 30 * 24 };

export const geminiRetention: Retention = {
  project: ['settings.json'],
  user: ['settings.json'],
  days: (settings) => {
    const told = settings.map(retentionIn);
    if (isOff(told)) return null;
    const age = told.map((one) => textOf(one['maxAge'])).find((text) => text !== undefined) ?? '';
    const [, count, unit = ''] = /^(\d{1,6})([hdwm])$/.exec(age) ?? [];
    return count === undefined ? DEFAULT_DAYS : (Number(count) * (HOURS[unit] ?? 24)) / 24;
  },
  sooner: (settings) =>
    isOff(settings.map(retentionIn)) ? null : 'a conversation that was resumed goes at one of the next starts',
  longer: '"general": {"sessionRetention": {"enabled": false}}',
  decides: (text) => typeof retentionIn(text)['enabled'] === 'boolean',
};

const retentionIn = (text: string): JsonObject => objectOf(settingAt(text, 'general', 'sessionRetention')) ?? {};

/** Whether nothing is deleted, by the weightiest settings that say so. */
const isOff = (told: readonly JsonObject[]): boolean =>
  told.map((one) => one['enabled']).find((value) => typeof value === 'boolean') === false;
