/** Checks the files about a store: Git's config, ctx's settings, the key and the list of forgotten contents. */
import { forbiddenEntries, parseConfig } from '../../core/config-file.ts';
import { configText } from '../../git/config.ts';
import { missingFrom, remedyFor } from '../../git/config-entries.ts';
import { OLD_REMOTE, oldRemotes } from '../../git/git.ts';
import { readForgotten } from '../../history/store/forgotten.ts';
import type { Repository } from '../../history/store/repository.ts';
import { readKey } from '../../history/store/secret-key.ts';
import { damage, type Finding, guarded, REPAIR } from '../finding.ts';

export function* verifyConfig(repository: Repository): Generator<Finding> {
  const { config } = repository.layout;
  const text = configText(repository.layout);
  try {
    const entries = parseConfig(text);
    for (const entry of forbiddenEntries(entries)) {
      const message = `line ${entry.line}: ${entry.key} = ${entry.value} may not be in the config of a store`;
      const remove = `Remove the line from ${config}, if you did not put it there.`;
      yield damage('config', 'config', message, remedyFor(config, entry) ?? remove);
    }
    // A clone has none of them, and a store of an older version not all.
    for (const { key, value } of missingFrom(entries)) {
      const message = `${key} is missing: init writes ${value}`;
      yield { severity: 'note', kind: 'config', where: 'config', message, hint: REPAIR };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const hint = `Correct the line in ${config}. What ctx init writes may be removed: ${REPAIR} writes it again.`;
    yield damage('config', 'config', error.message, hint);
  }
  for (const name of oldRemotes(repository.layout))
    yield damage('config', name, 'it gives Git a remote beside the config, and ctx does not run Git by it', OLD_REMOTE);
  yield* verifyForgotten(repository);
  for (const key of repository.unknownSettings) {
    const message = `"${key}" is no setting of this version`;
    yield { severity: 'note', kind: 'settings', where: 'settings.json', message, hint: 'Correct or remove it.' };
  }
}

/** Checks the key, and the list of forgotten contents, which needs that key. */
function* verifyForgotten(repository: Repository): Generator<Finding> {
  const damages = [
    ...guarded('key', 'key', () => {
      readKey(repository);
      return [];
    }),
  ];
  if (damages.length > 0) yield* damages;
  else
    yield* guarded('file', 'forgotten.json', () => {
      readForgotten(repository);
      return [];
    });
}
