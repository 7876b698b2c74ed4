/** Git's own config of a store: `init` writes it, and it may have only keys that ctx knows. */
import { CtxError, damaged } from '../core/errors.ts';
import { oneLine } from '../core/text.ts';
import { DOCUMENT_LIMIT, readIfThere } from '../platform/files.ts';
import type { Layout } from './layout.ts';

/** The config that `init` writes. Git collects and expires nothing by itself; files are private to the user. */
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

/** Refuses a config that changes the format of the store. @throws {CtxError} unsupported_store; damaged, if it is torn */
export function checkFormat(config: string): void {
  if (config === CONFIG) return;
  // Git lets sections begin in the middle of a line, and values span several lines. Instead of parsing all that, this
  // searches for the words anywhere except in lines that are comments in any case.
  const text = config
    .split('\n')
    .filter((line) => !/^\s*[#;]/.test(line))
    .join('\n');
  if (/\[\s*extensions/i.test(text)) throw unsupported('its config has [extensions].');
  const versions = [...text.matchAll(/repositoryformatversion([^\n]*)/gi)];
  const values = versions.map(([, rest]) => (rest as string).replace(/^[\s=]+/, '').trimEnd());
  if (values.length === 0 || values.includes(''))
    throw damaged('config', 'it names no format version', { hint: 'Repair it with: ctx fsck --repair' });
  for (const value of values) if (value !== '0') throw unsupported(`its format version is ${oneLine(value)}.`);
}

/** Reads the text of a store's config. */
export const configText = (layout: Layout): string =>
  readIfThere(layout.config, DOCUMENT_LIMIT)?.toString('utf8') ?? '';
