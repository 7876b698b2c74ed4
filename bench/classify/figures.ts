/** Computes how well messages were classified: accuracy, macro-F1, confusion, calibration, and the precision that counts. */
import { CLASSES, type Classification } from '../../src/core/message-class.ts';
import type { LabelledRow } from './rows.ts';

/** A row and what was made of it. */
export interface Judged {
  readonly row: Pick<LabelledRow, 'label' | 'alt'>;
  readonly predicted: Classification;
  readonly confidence: number;
}

/** Classes that end or start a session: of those predicted, at least this share must be right. */
export const PRECISE: readonly Classification[] = ['Abandon', 'Confirmation', 'NewTask'];
export const LEAST_PRECISION = 0.9;

/** The class that counts as true: the prediction where label or alt name it, else the label. */
export const truthOf = ({ row, predicted }: Judged): Classification => (row.alt === predicted ? predicted : row.label);
export const isRight = (judged: Judged): boolean => truthOf(judged) === judged.predicted;

const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

export interface ClassFigures {
  readonly name: Classification;
  /** Rows of this class, predictions of it, and those of them that are right. */
  readonly rows: number;
  readonly predicted: number;
  readonly right: number;
  /** Predictions that are the label itself. */
  readonly strict: number;
  /** Null where the class was never predicted. */
  readonly precision: number | null;
  readonly f1: number;
}

export function classFigures(judged: readonly Judged[]): ClassFigures[] {
  return CLASSES.map((name) => {
    const rows = judged.filter((one) => truthOf(one) === name).length;
    const predictions = judged.filter((one) => one.predicted === name);
    const right = predictions.filter(isRight).length;
    const predicted = predictions.length;
    const strict = predictions.filter((one) => one.row.label === name).length;
    const precision = predicted === 0 ? null : right / predicted;
    return { name, rows, predicted, right, strict, precision, f1: share(2 * right, rows + predicted) };
  });
}

/** Mean F1 of the classes that occur among the rows. */
export function macroF1(judged: readonly Judged[]): number {
  const occurring = classFigures(judged).filter(({ rows }) => rows > 0);
  return share(
    occurring.reduce((sum, { f1 }) => sum + f1, 0),
    occurring.length,
  );
}

export const accuracy = (judged: readonly Judged[]): number => share(judged.filter(isRight).length, judged.length);
export const strictAccuracy = (judged: readonly Judged[]): number =>
  share(judged.filter(({ row, predicted }) => row.label === predicted).length, judged.length);

export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly rows: number;
  readonly confidence: number;
  readonly right: number;
}

const EDGES = [0, 0.5, 0.7, 0.8, 0.85, 0.9, 0.95, 1.001] as const;

/** Mean confidence beside the share that is right, by bucket of confidence; empty ones are left out. */
export function calibration(judged: readonly Judged[]): Bucket[] {
  return EDGES.slice(0, -1).flatMap((from, index) => {
    const to = EDGES[index + 1] as number;
    const inside = judged.filter(({ confidence }) => confidence >= from && confidence < to);
    if (inside.length === 0) return [];
    const confidence = inside.reduce((sum, one) => sum + one.confidence, 0) / inside.length;
    return [{ from, to: Math.min(to, 1), rows: inside.length, confidence, right: accuracy(inside) }];
  });
}

/** Mean distance between confidence and share right, weighted by rows: 0 is perfect. */
export function calibrationError(judged: readonly Judged[]): number {
  return share(
    calibration(judged).reduce((sum, { rows, confidence, right }) => sum + rows * Math.abs(confidence - right), 0),
    judged.length,
  );
}

/** The classes that are not as precise as they must be. */
export function imprecise(judged: readonly Judged[]): ClassFigures[] {
  return classFigures(judged).filter(
    ({ name, precision }) => PRECISE.includes(name) && precision !== null && precision < LEAST_PRECISION,
  );
}

const pad = (cells: readonly (string | number)[]): string =>
  cells.map((cell, index) => (index === 0 ? String(cell).padEnd(15) : String(cell).padStart(14))).join('');
const fixed = (value: number | null): string => (value === null ? '–' : value.toFixed(3));

/** Everything as a text. */
export function reportOf(judged: readonly Judged[]): string {
  const figures = classFigures(judged);
  const confusion = CLASSES.map((truth) =>
    pad([
      truth,
      ...CLASSES.map(
        (predicted) => judged.filter((one) => truthOf(one) === truth && one.predicted === predicted).length,
      ),
    ]),
  );
  const precise = figures.filter(({ name }) => PRECISE.includes(name));
  return [
    `Rows       ${judged.length}`,
    `Accuracy   ${fixed(accuracy(judged))} (label or alt), ${fixed(strictAccuracy(judged))} (label alone)`,
    `Macro-F1   ${fixed(macroF1(judged))}`,
    '',
    pad(['Confusion', ...CLASSES]),
    ...confusion,
    '',
    pad(['Class', 'rows', 'predicted', 'precision', 'F1']),
    ...figures.map(({ name, rows, predicted, precision, f1 }) =>
      pad([name, rows, predicted, fixed(precision), fixed(f1)]),
    ),
    '',
    pad(['Confidence', 'rows', 'mean', 'right']),
    ...calibration(judged).map(({ from, to, rows, confidence, right }) =>
      pad([`${from.toFixed(2)}–${to.toFixed(2)}`, rows, fixed(confidence), fixed(right)]),
    ),
    `Calibration error ${fixed(calibrationError(judged))}`,
    '',
    ...precise.map(
      ({ name, right, predicted, precision, strict }) =>
        `Precision of ${name.padEnd(13)}${fixed(precision)} (${right} of ${predicted}; ${strict} by the label alone), at least ${LEAST_PRECISION}`,
    ),
    '',
  ].join('\n');
}
