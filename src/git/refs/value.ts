/** Parses the content of a ref's file as Git does: in either case, and ignoring what follows. */

import { nameOfBytes } from '../byte-names.ts';

/** An object, or another ref. */
export type RefValue = { kind: 'object'; oid: string } | { kind: 'ref'; name: string };

const OBJECT = /^([0-9a-f]{40})(?=[\s\0]|$)/i;
const SYMBOLIC = /^ref:\s*(\S+)\s*$/;

/** Parses the beginning of a text that was read byte by byte; returns null if Git would call the ref broken. */
export function refValue(text: string): RefValue | null {
  const oid = OBJECT.exec(text)?.[1]?.toLowerCase();
  if (oid !== undefined) return { kind: 'object', oid };
  const name = SYMBOLIC.exec(text)?.[1];
  return name === undefined ? null : { kind: 'ref', name: nameOfBytes(name) };
}

/** Returns the object id at the beginning of a text; null if there is none. */
export function objectIn(text: string): string | null {
  const value = refValue(text);
  return value?.kind === 'object' ? value.oid : null;
}
