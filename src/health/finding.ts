/** A finding of a check: its kind, its place, and the command to type next. */
import { CtxError, FETCH, SEE_CHECK } from '../core/errors.ts';
import { throwResourceError } from '../platform/resource-errors.ts';

export interface Finding {
  /** `damage`: something is lost or wrong; `leftover`: a killed process left it, harmless; `note`: worth knowing. */
  severity: 'damage' | 'leftover' | 'note';
  /**
   * A word for programs: `object`, `pointer`, `history`, `chain`, `record`, `state`, `trailers`, `tree`, `files`, `pending`,
   * `operation`, `config`, `settings`, `key`, `git`, `file`, `lock`, `temporary`, `version`.
   */
  kind: string;
  /** The ref, object or file. */
  where: string;
  message: string;
  hint: string;
}

/**
 * Converts an error of a check to a finding. Rethrows anything but a CtxError, which is a bug, and errors about missing
 * resources.
 */
export function findingOf(error: unknown, kind: string, where: string): Finding {
  throwResourceError(error);
  if (!(error instanceof CtxError)) throw error;
  // Its newer writer can read it, as far as is known here: every other command refuses it too.
  if (error.code === 'newer_version')
    return { severity: 'note', kind: 'version', where, message: error.message, hint: error.hint ?? '' };
  const hint = hintOf(error, kind);
  return error.data?.limit === undefined
    ? damage(kind, where, error.message, hint)
    : tooLarge(kind, where, error.message, hint);
}

/** Findings about objects that exceed the limits of ctx. */
const larger = new WeakSet<Finding>();

/** Makes a note about an object that is only too large to be checked and is assumed to be whole. */
export function tooLarge(kind: string, where: string, message: string, hint: string): Finding {
  const finding: Finding = { severity: 'note', kind, where, message, hint };
  larger.add(finding);
  return finding;
}

/** Returns whether a finding is such a note. */
export const isOfTooLarge = (finding: Finding): boolean => larger.has(finding);

/** The command that repairs a store. */
export const REPAIR = 'ctx fsck --repair';

/** Returns the hint for an error of a check: the repair if it moves the damage aside or restores it, else a fetch. */
function hintOf({ code, hint, data }: CtxError, kind: string): string {
  if (code === 'not_found') return FETCH;
  if (hint !== undefined && hint !== SEE_CHECK) return hint;
  // Only a file whose bytes do not match its name is torn: other wrong content was written like that.
  if (data?.torn !== undefined) return `${REPAIR} sets aside what is torn. ${FETCH}`;
  if (kind === 'operation' || kind === 'pending') return `${REPAIR} sets it aside.`;
  return kind === 'pointer' ? REPAIR : FETCH;
}

export function damage(kind: string, where: string, message: string, hint: string): Finding {
  return { severity: 'damage', kind, where, message, hint };
}

/** Runs a check; an error becomes one more finding. */
export function* guarded(kind: string, where: string, check: () => Iterable<Finding>): Generator<Finding> {
  try {
    yield* check();
  } catch (error) {
    yield findingOf(error, kind, where);
  }
}
