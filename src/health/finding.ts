/** What a check of the store found: what it is, where it is, and what to type. */
import { CtxError, FETCH, SEE_CHECK } from '../core/errors.ts';
import { throwResourceError } from '../platform/resource-errors.ts';

export interface Finding {
  /** `damage`: something is lost or lies; `leftover`: something a killed process left, harmless; `note`: worth knowing. */
  severity: 'damage' | 'leftover' | 'note';
  /** A word for programs: `object`, `pointer`, `history`, `chain`, `record`, `state`, `trailers`, `tree`, `files`, `pending`, `operation`, `config`, `settings`, `key`, `git`, `file`, `lock`, `temporary`, `version`. */
  kind: string;
  /** The ref, object or file. */
  where: string;
  message: string;
  hint: string;
}

/** Turns what a check threw into a finding. Anything but a CtxError is a bug, and is thrown; so is what the machine lacks. */
export function findingOf(error: unknown, kind: string, where: string): Finding {
  throwResourceError(error);
  if (!(error instanceof CtxError)) throw error;
  // Whole for whoever wrote it, as far as anybody here can tell: every other command refuses it too.
  if (error.code === 'newer_version')
    return { severity: 'note', kind: 'version', where, message: error.message, hint: error.hint ?? '' };
  const hint = hintOf(error, kind);
  return error.data?.limit === undefined
    ? damage(kind, where, error.message, hint)
    : tooLarge(kind, where, error.message, hint);
}

/** What was said of things that are more than ctx holds. */
const larger = new WeakSet<Finding>();

/** A note on what is only too large to be checked: it is whole, as far as anybody knows. */
export function tooLarge(kind: string, where: string, message: string, hint: string): Finding {
  const finding: Finding = { severity: 'note', kind, where, message, hint };
  larger.add(finding);
  return finding;
}

/** Whether a finding is such a note. */
export const isOfTooLarge = (finding: Finding): boolean => larger.has(finding);

/** What mends it. */
export const REPAIR = 'ctx fsck --repair';

/** What to do about an error of a check: what a repair sets aside or restores is named, and all else must be fetched. */
function hintOf({ code, hint, data }: CtxError, kind: string): string {
  if (code === 'not_found') return FETCH;
  if (hint !== undefined && hint !== SEE_CHECK) return hint;
  // Only a file whose bytes are not those of its name is torn: what they say, be it a lie, was written so.
  if (data?.torn !== undefined) return `${REPAIR} sets aside what is torn. ${FETCH}`;
  if (kind === 'operation' || kind === 'pending') return `${REPAIR} sets it aside.`;
  return kind === 'pointer' ? REPAIR : FETCH;
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
