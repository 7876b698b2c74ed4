/** Names the refs of sessions, and lays out a store with them. */
import { type Layout, MAIN, type PointerNames, pathsIn } from '../../git/layout.ts';

export const SESSIONS = 'refs/sessions/';
export const ARCHIVE = 'refs/archive/';
/** The ref of a bundle that names its manifest; no store has it. */
export const EXPORT = 'refs/ctx/export';

export const sessionRef = (id: string): string => `${SESSIONS}${id}`;
export const archiveRef = (id: string): string => `${ARCHIVE}${id}`;

/** Returns whether a text is a session id that may be part of a ref and a folder name. */
export const isSessionId = (id: string): boolean => SESSION_ID.test(id);
const SESSION_ID = /^[0-9A-Za-z][0-9A-Za-z-]{7,63}$/;

/** Returns whether a name is a pointer of ctx: no other is ever read or moved as one. */
export function isPointer(name: string): boolean {
  if (name === MAIN || name === 'STAGE') return true;
  const prefix = [SESSIONS, ARCHIVE].find((candidate) => name.startsWith(candidate));
  return prefix !== undefined && isSessionId(name.slice(prefix.length));
}

/** The pointers of ctx, for the store below. */
const POINTERS: PointerNames = {
  isPointer,
  folders: [SESSIONS, ARCHIVE],
  twinOf: (ref) =>
    ref.startsWith(SESSIONS) ? archiveRef(ref.slice(SESSIONS.length)) : sessionRef(ref.slice(ARCHIVE.length)),
  form: `${SESSIONS}<id>`,
};

export const layoutOf = (root: string): Layout => pathsIn(root, POINTERS);
