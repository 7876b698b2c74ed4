/** Defines a finding of the doctor: what was examined, and the result. */
import { CtxError } from '../../core/errors.ts';

/** `problem`: it needs a repair; `note`: worth knowing; `ok`: as it should be. */
export type Severity = 'ok' | 'note' | 'problem';

export interface DoctorFinding {
  /** The object of the check: `store`, `catalog`, `permissions`, `git`, `program`, `hooks`, `events`, `failures`, `capture`, `retention`. */
  kind: string;
  severity: Severity;
  message: string;
  /** The command that repairs it, or what to do; null if nothing is to be done. */
  hint: string | null;
}

export const ok = (kind: string, message: string): DoctorFinding => ({ kind, severity: 'ok', message, hint: null });
export const note = (kind: string, message: string, hint: string | null = null): DoctorFinding => ({
  kind,
  severity: 'note',
  message,
  hint,
});
export const problem = (kind: string, message: string, hint: string): DoctorFinding => ({
  kind,
  severity: 'problem',
  message,
  hint,
});

/** Yields the findings of an examination; an error of ctx is a finding too, with its own hint or this one. */
export function* looked(kind: string, hint: string, look: () => Iterable<DoctorFinding>): Generator<DoctorFinding> {
  try {
    yield* look();
  } catch (error) {
    if (!(error instanceof CtxError)) throw error;
    yield problem(kind, error.message, error.hint ?? hint);
  }
}
