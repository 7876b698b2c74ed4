/** Makes the marker that replaces a secret: `[redacted:<rule>:<hex>]`. */

export const MARKER_START = '[redacted:';
const MARKER = /\[redacted:[a-z0-9-]{1,60}:[0-9a-f]{6,10}\]/y;

/** @param label six to ten hexadecimal digits of a keyed hash: the same for equal secrets, and no help in guessing them */
export function markerOf(rule: string, label: string): string {
  const marker = `${MARKER_START}${rule}:${label}]`;
  MARKER.lastIndex = 0;
  if (!MARKER.test(marker))
    throw new Error(`A marker needs a rule in kebab-case and 6 to 10 hex digits, not ${marker}`);
  return marker;
}

/** One that was cut off with the line or the preview that it was in; the sign of the cut is also read byte by byte. */
const CUT_MARKER = /\[redacted:[a-z0-9-]{0,60}(?::[0-9a-f]{0,10})?(?=…|â\u0080¦|$)/y;

/** If the marker ends that begins at an index, whole or cut off; -1 if none does. */
export function markerEnd(text: string, at: number): number {
  for (const pattern of [MARKER, CUT_MARKER]) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return -1;
}

const MARKER_BEFORE = /\[redacted:[a-z0-9-]{1,60}:[0-9a-f]{6,10}\]$/;
export const LONGEST_MARKER = 84;

/** Returns whether a marker ends right before an index: what comes next was looked at when it was still a secret, and spared. */
export function followsMarker(text: string, index: number): boolean {
  return text.charAt(index - 1) === ']' && MARKER_BEFORE.test(text.slice(Math.max(0, index - LONGEST_MARKER), index));
}
