// Number of cases that the random and the hostile tests have tried, for whoever asks for the figures.
import { appendFileSync } from 'node:fs';
import { sep } from 'node:path';
import { expect } from 'vitest';

/** Adds to the count of the file whose test this is, in the file that `TORTURE_CASES` names: a line `<folder>/<file> <count>`. */
export function tellCases(count: number): void {
  const file = process.env['TORTURE_CASES'];
  const path = (expect.getState().testPath ?? '?').split(sep).slice(-2).join('/');
  if (file) appendFileSync(file, `${path} ${count}\n`);
}
