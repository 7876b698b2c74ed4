/** How often each rule was right on messages of real sessions; written by bench/classify/train.ts. */
export const COUNTS: Readonly<Record<string, readonly [right: number, decided: number]>> = {
  added: [3, 3],
  'added to a question': [1, 1],
  answer: [21, 22],
  'approved with a change': [1, 1],
  'asked back': [25, 25],
  dismissed: [2, 2],
  'go on': [3, 3],
  'next task': [1, 1],
  'other topic': [4, 4],
  'plan changed': [4, 4],
  published: [11, 11],
  question: [35, 35],
  remark: [16, 16],
  request: [44, 50],
  takeover: [2, 2],
  'yes, no or choice': [28, 28],
};
