// A summary has each prompt of the user once, also one that was cut off and taken up again.
import { expect, test } from 'vitest';
import { newDigest } from '../../src/core/records/digest.ts';
import { digestRecord, SUMMARIES } from '../../src/core/session/compaction.ts';
import { newSession } from '../../src/core/session/session.ts';

const note = (role: string, content: string): Parameters<typeof digestRecord>[1] =>
  ({ version: 1, id: '01a227c8-c69e-71d1-8000-77c2d6d29507', kind: 'note', at: 1, content, role }) as never;

function summaryOf(...notes: [role: string, content: string][]): { text: string; version: number } {
  const digest = newDigest();
  for (const [role, content] of notes) digestRecord(digest, note(role, content));
  const version = SUMMARIES.versionFor?.(digest) ?? SUMMARIES.current;
  const session = { ...SESSION };
  const text = SUMMARIES.renderers.get(version)?.(session, { kind: 'Normal' }, 'Add retry', digest) ?? '';
  return { text, version };
}

const SESSION = newSession('01a227c8-c69e-71d1-8000-77c2d6d29507', 'Add retry', null, '0'.repeat(40), 1);

test('a prompt that was cut off is shown once', () => {
  const { text, version } = summaryOf(
    ['continuation', 'User requested continuation: the colour is off'],
    ['intervention', 'User intervention: the colour is off'],
    ['intervention', 'User intervention: and the font'],
  );
  expect(text.match(/the colour is off/g)).toHaveLength(1);
  expect(text).toContain('and the font');
  expect(version).toBe(2);
});

test('one that is said again behind another one is kept, and such a summary is written as before', () => {
  const { text, version } = summaryOf(
    ['intervention', 'User intervention: go on'],
    ['intervention', 'User intervention: not so fast'],
    ['intervention', 'User intervention: go on'],
  );
  expect(text.match(/go on/g)).toHaveLength(2);
  expect(version).toBe(1);
});
