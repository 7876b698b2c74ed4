/** The marker that stands where a secret was: `[redacted:<rule>:<hex>]`. */

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

/** Where the marker ends that begins at an index; -1 where none does. */
export function markerEnd(text: string, at: number): number {
  MARKER.lastIndex = at;
  return MARKER.test(text) ? MARKER.lastIndex : -1;
}
