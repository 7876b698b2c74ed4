/** `ctx reindex`. */
import { type CatalogSize, reindex } from '../../app/find/catalog.ts';
import { bytesInWords, plural } from '../../core/text.ts';
import { defineCommand } from '../frame/command.ts';

export const reindexCommand = defineCommand<Record<string, never>, CatalogSize>({
  name: 'reindex',
  summary: 'rebuild the catalog of searches',
  examples: [['ctx reindex', 'nothing but time depends on it: every search takes in what is new by itself']],
  exits: [
    [1, 'the catalog cannot be written'],
    [4, 'another process is writing it'],
  ],
  mutates: false,
  isAsked: () => false,
  input: (z) => z.object({}),
  run: (app) => {
    const repository = app.repository();
    return app.interruptible(
      () => reindex(repository, { warn: app.remark, progress: app.progress }),
      () => 'what was indexed so far stays; the next search takes in the rest.',
    );
  },
  render: ({ sessions, messages, commits, bytes }) =>
    `Indexed ${plural(sessions, 'session')} with ${plural(messages, 'message')}, and ${plural(commits, 'commit')}: ${bytesInWords(bytes)} in cache/catalog.\n`,
});
