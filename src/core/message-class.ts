/** The classes of a user's message, by the names under which they are stored and printed. */
export const CLASSES = [
  'Response',
  'Modification',
  'Confirmation',
  'Abandon',
  'NewTask',
  'Clarification',
  'Unclear',
] as const;
export type Classification = (typeof CLASSES)[number];
