/** Git's own config of a store: written by `init`, and only keys that ctx knows may stand in it. */
import { CtxError } from '../core/errors.ts';

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
 * @throws {CtxError} unsupported_store
 */
export function checkFormat(config: string): void {
  if (config === CONFIG) return;
  let section = '';
  for (const line of config.split('\n')) {
    const header = /^\s*\[\s*([^\]\s"]+)[^\]]*\]/.exec(line);
    if (header) section = (header[1] as string).toLowerCase();
    const assignment = /^\s*(?:\[[^\]]*\])?\s*([A-Za-z][A-Za-z0-9-]*)\s*=?\s*(.*?)\s*$/.exec(line);
    if (section === 'extensions' && (assignment || header)) throw unsupported('its config has [extensions].');
    if (section !== 'core' || !assignment) continue;
    const [, key, value] = assignment;
    if (key?.toLowerCase() === 'repositoryformatversion' && value !== '0') {
      throw unsupported(`its format version is ${value}.`);
    }
  }
}
