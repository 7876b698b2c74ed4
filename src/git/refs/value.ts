/** What the file of a ref says, as Git reads it: in whatever case, and whatever stands behind it. */

import { nameOfBytes } from '../byte-names.ts';

/** An object, or another ref. */
export type RefValue = { kind: 'object'; oid: string } | { kind: 'ref'; name: string };

const OBJECT = /^([0-9a-f]{40})(?=[\s\0]|$)/i;
const SYMBOLIC = /^ref:\s*(\S+)\s*$/;

/** What a text that was read byte by byte begins with; null where Git would call the ref broken. */
export function refValue(text: string): RefValue | null {
  const oid = OBJECT.exec(text)?.[1]?.toLowerCase();
  if (oid !== undefined) return { kind: 'object', oid };
  const name = SYMBOLIC.exec(text)?.[1];
  return name === undefined ? null : { kind: 'ref', name: nameOfBytes(name) };
}

/** The object that a text begins with the id of; null where it begins with none. */
export function objectIn(text: string): string | null {
  const value = refValue(text);
  return value?.kind === 'object' ? value.oid : null;
}
