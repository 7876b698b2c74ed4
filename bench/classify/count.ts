/** Counts on labelled messages how often each rule is right, as confidences are made of; run by train.ts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Counts, confidenceOf, decide } from '../../src/language/classify.ts';
import { isRight, type Judged, reportOf } from './figures.ts';
import { type LabelledRow, readRows } from './rows.ts';
import { sessionsOf } from './sessions.ts';

const OUTPUT = fileURLToPath(new URL('../../src/language/counts.ts', import.meta.url));

function countRules(rows: readonly LabelledRow[]): Counts {
  const counts: Record<string, [number, number]> = {};
  for (const row of rows) {
    const { rule } = decide(row);
    const [right, decided] = counts[rule.name] ?? [0, 0];
    const isOne = isRight({ row, predicted: rule.classification, confidence: 0 });
    counts[rule.name] = [right + (isOne ? 1 : 0), decided + 1];
  }
  return counts;
}

/** What each row gets from counts over the other sessions alone. */
function crossValidate(rows: readonly LabelledRow[]): Judged[] {
  const sessions = sessionsOf(rows);
  return rows.map((row, index) => {
    const { rule } = decide(row);
    const counts = countRules(rows.filter((_, other) => sessions[other] !== sessions[index]));
    return { row, predicted: rule.classification, confidence: confidenceOf(rule, counts) };
  });
}

const file = process.argv[2] ?? '';
const rows = readRows(file, readFileSync(file, 'utf8'));
const counts = Object.entries(countRules(rows)).sort(([one], [other]) => (one < other ? -1 : 1));
const lines = counts.map(([name, [right, decided]]) => {
  const key = /^[a-z]+$/.test(name) ? name : `'${name}'`;
  return `  ${key}: [${right}, ${decided}],`;
});
const caption =
  '/** How often each rule was right on messages of real sessions; written by bench/classify/count.ts. */';
const type = 'Readonly<Record<string, readonly [right: number, decided: number]>>';
writeFileSync(OUTPUT, `${caption}\nexport const COUNTS: ${type} = {\n${lines.join('\n')}\n};\n`);
console.log(`${new Set(sessionsOf(rows)).size} sessions; confidences by the counts over all other sessions:\n`);
console.log(reportOf(crossValidate(rows)));
