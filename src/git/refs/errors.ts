/** Errors about a ref that can be read. */
import { CtxError, damaged } from '../../core/errors.ts';

/** Makes the error for a pointer that is not where a move begins. */
export function moved(pointer: string, expected: string | null, current: string | null): CtxError {
  return new CtxError(
    'busy',
    `${pointer} has moved meanwhile: it is ${current ?? 'absent'}, not ${expected ?? 'absent'}.`,
    {
      hint: 'Somebody else changed it, perhaps Git itself. Look with: ctx status, then run the command again.',
      data: { pointer, expected, current },
    },
  );
}

/** Makes the error for a ref that has the value of an earlier move: the next move would lose the later ones. */
export function older(ref: string, value: string): CtxError {
  return damaged(ref, `it names ${value}, and by its reflog it has moved on from there`, {
    hint: 'Restore it with: ctx fsck --repair',
  });
}

/** Makes the error for a ref whose own file is gone, while its reflog names a value, and perhaps an older value is still packed. */
export function lost(ref: string, packed: string | null): CtxError {
  const left = packed === null ? 'its reflog names it' : `what packed-refs has for it, ${packed}, is older`;
  return damaged(ref, `its file is gone, and ${left}`, {
    hint: 'Restore it with: ctx fsck --repair',
  });
}
