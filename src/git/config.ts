/** Git's own config of a store: written by `init`, and only keys that ctx knows may stand in it. */
import { CtxError, damaged } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';
import { DOCUMENT_LIMIT, readIfThere } from '../platform/files.ts';
import type { Layout } from './layout.ts';

/** What `init` writes. Nothing is collected or forgotten by Git behind the user's back; files are the user's alone. */
export const CONFIG = `[core]
	repositoryformatversion = 0
	bare = true
	logAllRefUpdates = always
	sharedRepository = 0600
[gc]
	auto = 0
	pruneExpire = never
	reflogExpire = never
	reflogExpireUnreachable = never
`;

const unsupported = (why: string): CtxError =>
  new CtxError('unsupported_store', `This store cannot be used: ${why}`, {
    hint: 'ctx reads stores in the format that ctx init makes: SHA-1, files for refs, no extensions, no alternates.',
  });

/**
 * Refuses a config that changes the format of the store.
 * @throws {CtxError} unsupported_store; damaged, where it is torn
 */
export function checkFormat(config: string): void {
  if (config === CONFIG) return;
  // Git lets sections begin in the middle of a line, and values run over several. Rather than read all that, the words are
  // looked for wherever they stand, but for lines that are comments in any reading.
  const text = config
    .split('\n')
    .filter((line) => !/^\s*[#;]/.test(line))
    .join('\n');
  if (/\[\s*extensions/i.test(text)) throw unsupported('its config has [extensions].');
  const versions = [...text.matchAll(/repositoryformatversion([^\n]*)/gi)];
  const told = versions.map(([, rest]) => (rest as string).replace(/^[\s=]+/, '').trimEnd());
  if (told.length === 0 || told.includes(''))
    throw damaged('config', 'it names no format version', { hint: 'Repair it with: ctx fsck --repair' });
  for (const value of told) if (value !== '0') throw unsupported(`its format version is ${oneLine(value)}.`);
}

/** The text of a store's config. */
export const configText = (layout: Layout): string =>
  readIfThere(layout.config, DOCUMENT_LIMIT)?.toString('utf8') ?? '';
