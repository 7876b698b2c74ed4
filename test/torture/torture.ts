/** A run of the harness, from the workshop that is built for it to the exit code: of all parts or of one. */
import { dismiss } from './crew.ts';
import { SIZES } from './errand.ts';
import { isPart, LONG_PARTS, PARTS, type Part } from './parts.ts';
import { copyProgram, type Mode, makeStages, makeWorkshop, removeWorkshop } from './program.ts';
import { Report } from './report.ts';
import type { Bench } from './stage.ts';
import { makeTemplates } from './stores.ts';

export interface TortureOptions {
  size: keyof typeof SIZES;
  /** One part alone. */
  part?: string | undefined;
  /** Only commands whose line begins so. */
  only?: string | undefined;
  /** At how many calls of a command each kind of fault is put in, where it is not as many as the size says. */
  points?: Readonly<Record<Mode, number>> | undefined;
  /** Put the figures into docs/reliability.md. */
  write?: boolean | undefined;
  /** Another build than that of this project. */
  program?: string | undefined;
}

/** The parts of a run. @throws where no part is of that name */
export function partsOf({ size, part }: TortureOptions): Part[] {
  if (part !== undefined && !isPart(part))
    throw new Error(`There is no part ${part}; there are ${Object.keys(PARTS).join(', ')}`);
  const all = Object.keys(PARTS) as Part[];
  return all.filter((name) => (part === undefined ? size === 'full' || !LONG_PARTS.includes(name) : name === part));
}

/** Runs the parts, tells their figures, and gives the exit code: 1 where anything was lost. */
export async function torture(options: TortureOptions, print?: (text: string) => void): Promise<number> {
  const { only = '', write = false } = options;
  const size = { ...SIZES[options.size], ...(options.points && { points: options.points }) };
  if (write && (options.size !== 'full' || only !== '' || options.points))
    throw new Error('--write is for what --full finds of every command');
  const parts = partsOf(options);
  const report = new Report(print);
  const workshop = makeWorkshop();
  try {
    const program = options.program ?? copyProgram(workshop);
    const bench: Bench = { workshop, program, templates: await makeTemplates(workshop), stages: makeStages(workshop) };
    for (const part of parts) {
      await PARTS[part]({ bench, size, only, report });
      // Part by part: a run of everything takes long, and what it has found stands.
      if (write) report.write(part);
    }
    if (write && parts.length === Object.keys(PARTS).length) report.writeWhole();
  } finally {
    dismiss({ workshop });
    removeWorkshop(workshop);
  }
  return report.end();
}
