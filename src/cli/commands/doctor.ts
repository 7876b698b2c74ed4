/** `ctx doctor`. */
import { type DoctorResult, examine } from '../../app/doctor/doctor.ts';
import type { DoctorFinding } from '../../app/doctor/finding.ts';
import { oneLine, plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';
import type { Theme } from '../frame/theme.ts';

const COLOURS: Record<DoctorFinding['severity'], keyof Theme> = { ok: 'good', note: 'faint', problem: 'bad' };

const told = (text: string): string => oneLine(text, 4096);

function render({ findings, healthy }: DoctorResult, theme: Theme): string {
  const lines = findings.flatMap(({ kind, severity, message, hint }) => [
    `${theme[COLOURS[severity]](severity.padEnd(7))}  ${kind.padEnd(11)}  ${told(message)}`,
    ...(hint === null ? [] : [`${' '.repeat(22)}${theme.accent(told(hint))}`]),
  ]);
  const bad = findings.filter(({ severity }) => severity === 'problem').length;
  const end = healthy ? theme.good('Nothing needs repair.') : theme.bad(`${plural(bad, 'problem')} to repair.`);
  return `${[...lines, end].join('\n')}\n`;
}

export const doctorCommand = defineCommand<Record<string, never>, DoctorResult>({
  name: 'doctor',
  summary: 'check all that ctx depends on, and say how to repair it',
  examples: [['ctx doctor', 'the store, hooks, what was never captured, what agents will delete']],
  exits: [[1, 'something needs repair']],
  mutates: false,
  input: (z) => z.object({}),
  run: (app) =>
    examine({
      directory: app.directory,
      store: app.store,
      environment: app.environment,
      node: process.execPath,
      program: process.argv[1] ?? '',
    }),
  render,
  exit: ({ healthy }) => (healthy ? 0 : 1),
});
