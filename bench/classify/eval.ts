/** Prints how well the classifier does on a file of labelled messages: `npm run classify:eval -- <labelled.jsonl>`. */
import { readFileSync } from 'node:fs';
import { classifyMessage } from '../../src/language/index.ts';
import { imprecise, isRight, type Judged, LEAST_PRECISION, reportOf } from './figures.ts';
import { BadRow, type LabelledRow, readRows } from './rows.ts';

const USAGE = 'Usage: npm run classify:eval -- <labelled.jsonl> [--errors]';

function judge(row: LabelledRow): Judged & { row: LabelledRow; reason: string } {
  const { classification, confidence, reason } = classifyMessage(row);
  return { row, predicted: classification, confidence, reason };
}

/** The exit code: 0, 1 where a class is not precise enough or the file cannot be read, 2 where none was named. */
function main(words: readonly string[]): number {
  const showsErrors = words.includes('--errors');
  const [file, ...more] = words.filter((word) => word !== '--errors');
  if (file === undefined || more.length > 0) {
    console.error(USAGE);
    return 2;
  }
  let rows: LabelledRow[];
  try {
    rows = readRows(file, readFileSync(file, 'utf8'));
  } catch (error) {
    if (!(error instanceof BadRow) && (error as NodeJS.ErrnoException).code === undefined) throw error;
    console.error(`error: ${(error as Error).message}`);
    return 1;
  }
  const judged = rows.map(judge);
  console.log(reportOf(judged));
  if (showsErrors) {
    for (const { row, predicted, reason, ...rest } of judged.filter((one) => !isRight(one)))
      console.log(
        JSON.stringify({ state: row.state, label: row.label, predicted, ...rest, reason, message: row.message }),
      );
  }
  const bad = imprecise(judged);
  for (const { name, precision } of bad)
    console.error(`error: the precision of ${name} is ${precision?.toFixed(3)}, less than ${LEAST_PRECISION}`);
  return bad.length === 0 ? 0 : 1;
}

process.exitCode = main(process.argv.slice(2));
