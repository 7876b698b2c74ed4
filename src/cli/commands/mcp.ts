/** `ctx mcp`. */
import type { Readable } from 'node:stream';
import { openRepository } from '../../app/open.ts';
import { CtxError } from '../../core/errors.ts';
import { defineCommand } from '../frame/command.ts';

export const mcpCommand = defineCommand<Record<string, never>, null>({
  name: 'mcp',
  summary: 'let an agent ask: a server of the Model Context Protocol over standard input and output',
  examples: [['ctx mcp', 'the tools search, show, pack, why and list, and sessions as resources; it only reads']],
  mutates: false,
  input: (z) => z.object({}),
  run: async (app) => {
    const { store, directory } = app;
    // That there is none is said at once.
    app.repository();
    if (app.json)
      throw new CtxError('usage', 'ctx mcp speaks JSON-RPC, and no --json.', { hint: 'Give the line without --json.' });
    const { serve } = await import('../mcp/server.ts');
    await serve(() => openRepository({ directory, store }), directory, {
      input: app.stdin as Readable,
      output: app.output,
    });
    return null;
  },
  render: () => '',
});
