/** What a check of the store found: what it is, where it is, and what to type. */
import { CtxError } from '../../core/errors.ts';

export interface Finding {
  /** `damage`: something is lost or lies; `leftover`: something a killed process left, harmless; `note`: worth knowing. */
  severity: 'damage' | 'leftover' | 'note';
  /** A word for programs: `object`, `pointer`, `chain`, `state`, `trailers`, `files`, `pending`, `operation`, `config`, `file`, `temporary`. */
  kind: string;
  /** The ref, object or file. */
  where: string;
  message: string;
  hint: string;
}

/** Turns what a check threw into a finding; anything but a CtxError is a bug and goes on. */
export function findingOf(error: unknown, kind: string, where: string): Finding {
  if (!(error instanceof CtxError)) throw error;
  return { severity: 'damage', kind, where, message: error.message, hint: error.hint ?? 'See: ctx fsck --repair' };
}

export function damage(kind: string, where: string, message: string, hint: string): Finding {
  return { severity: 'damage', kind, where, message, hint };
}

/** Runs a check; what it throws becomes a finding among those it gives. */
export function* guarded(kind: string, where: string, check: () => Iterable<Finding>): Generator<Finding> {
  try {
    yield* check();
  } catch (error) {
    yield findingOf(error, kind, where);
  }
}
