/** `ctx doctor`. */
import { type DoctorResult, examine } from '../../app/doctor/doctor.ts';
import type { DoctorFinding } from '../../app/doctor/finding.ts';
import { oneLine, plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';

const COLOURS: Record<DoctorFinding['severity'], keyof Theme> = { ok: 'good', note: 'faint', problem: 'bad' };

const told = (text: string): string => oneLine(text, 4096);

type Result = DoctorResult & { fixed?: string[] };

function render({ findings, healthy, fixed = [] }: Result, theme: Theme): string {
  const done = fixed.map((line) => `${theme.good('fixed'.padEnd(7))}  ${told(line)}`);
  const lines = findings.flatMap(({ kind, severity, message, hint }) => [
    `${theme[COLOURS[severity]](severity.padEnd(7))}  ${kind.padEnd(11)}  ${told(message)}`,
    ...(hint === null ? [] : [`${' '.repeat(22)}${theme.accent(told(hint))}`]),
  ]);
  const bad = findings.filter(({ severity }) => severity === 'problem').length;
  const end = healthy ? theme.good('Nothing needs repair.') : theme.bad(`${plural(bad, 'problem')} to repair.`);
  return `${[...done, ...lines, end].join('\n')}\n`;
}

export const doctorCommand = defineCommand<{ fix?: boolean | undefined }, Result>({
  name: 'doctor',
  summary: 'check all that ctx depends on, and say how to repair it',
  options: [
    {
      flags: '--fix',
      description: 'repair what can be repaired without losing or deciding anything, then check again',
    },
  ],
  examples: [
    ['ctx doctor', 'the store, hooks, what was never captured, what agents will delete'],
    ['ctx doctor --fix', 'bring hooks up to date, repair the store, take in what was missed'],
  ],
  exits: [[1, 'something needs repair']],
  mutates: true,
  isAsked: () => true,
  input: (z) => z.object({ fix: z.optional(z.boolean()) }),
  run: async (app, { fix }) => {
    const options = {
      directory: app.directory,
      store: app.store,
      environment: app.environment,
      node: process.execPath,
      program: process.argv[1] ?? '',
    };
    const result = examine(options);
    if (!fix || result.healthy) return result;
    const { fixFindings } = await import('../../app/doctor/fix.ts');
    const fixed = await fixFindings(options, result);
    return { ...examine(options), fixed };
  },
  render,
  exit: ({ healthy }) => (healthy ? 0 : 1),
});
