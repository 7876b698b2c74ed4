/** A store that came from somebody else: nothing in its layout may lead out of it, or make Git look elsewhere. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { CtxError } from '../core/errors.ts';
import type { Layout } from './layout.ts';

/** What must be a real file or folder where it stands: a link would lead reads and writes out of the store. */
const PLAIN = [
  'HEAD',
  'STAGE',
  'config',
  'settings.json',
  'packed-refs',
  'LOCK',
  'objects',
  'objects/pack',
  'objects/info',
  'refs',
  'refs/heads',
  'refs/sessions',
  'refs/archive',
  'logs',
  'logs/refs',
  'logs/refs/heads',
  'logs/refs/sessions',
  'logs/refs/archive',
  'logs/refs/heads/main',
  'oplog',
  'pending',
  'lost',
];

/** What no store has: each would make Git read another config, other objects or another history. */
const ABSENT: Record<string, string> = {
  commondir: 'it shares the files of another one (commondir)',
  gitdir: 'it names another one (gitdir)',
  'config.worktree': 'it has a second config (config.worktree)',
  shallow: 'its history is cut off (shallow)',
  'info/grafts': 'its history is grafted (info/grafts)',
  'objects/info/alternates': 'it borrows objects from another store (objects/info/alternates)',
  'objects/info/http-alternates': 'it borrows objects from another store (objects/info/http-alternates)',
};

/** @throws {CtxError} unsupported_store */
export function checkLayout(layout: Layout): void {
  for (const name of PLAIN) {
    if (lstatSync(join(layout.root, name), { throwIfNoEntry: false })?.isSymbolicLink())
      throw refuse(`its ${name} is a link`);
  }
  for (const [name, why] of Object.entries(ABSENT)) {
    if (lstatSync(join(layout.root, name), { throwIfNoEntry: false })) throw refuse(why);
  }
}

function refuse(why: string): CtxError {
  return new CtxError('unsupported_store', `This store cannot be used: ${why}.`, {
    hint: 'ctx init makes no such thing. If you did, put the file itself in its place, or remove it.',
  });
}
