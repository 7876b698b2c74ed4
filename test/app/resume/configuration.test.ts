// Tests how a hook reads an agent's configuration, by the files of the project.
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { handleHook } from '../../../src/app/intake/hook/hook.ts';
import { configurationOf } from '../../../src/app/session/configuration.ts';
import { readChain } from '../../../src/history/chain/chain.ts';
import { makeProject, temporaryFolder } from '../../support/store.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A folder with these files. */
function withFiles(files: Record<string, string>, folder = temporaryFolder()): string {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const BRAINSTORM = '.claude/commands/workspace.brainstorm.md';

test('SESS-001: a session that a hook begins has the command, the hash of its prompt, and the MCP servers', async () => {
  const project = makeProject();
  withFiles(
    { [BRAINSTORM]: 'Ask one question.', '.mcp.json': '{"mcpServers":{"github":{},"linear":{}}}' },
    project.folder,
  );
  const payload = {
    ...{
      session_id: 'aaaaaaaa-0000-4000-8000-000000000001',
      hook_event_name: 'UserPromptSubmit',
      transcript_path: null,
    },
    ...{ cwd: project.folder, prompt: '/workspace.brainstorm how should our API look' },
  };
  await handleHook('claude-code', JSON.stringify(payload), { directory: project.folder, clock: project.clock });
  const { refs, objects } = project.open();
  const { session } = readChain(objects, refs.read(refs.stage() as string) as string);
  expect(session).toMatchObject({
    command: '/workspace.brainstorm',
    system_prompt: { path: BRAINSTORM, sha256: sha256('Ask one question.') },
    mcp_servers: ['github', 'linear'],
  });
});

test.each<[string, string, Record<string, string>, string, object]>([
  ['nothing', 'claude-code', {}, 'Fix it', {}],
  ['a word with a slash that is no command', 'claude-code', {}, '/etc/passwd is odd', {}],
  [
    'the instructions of the project without a command',
    'claude-code',
    { 'CLAUDE.md': 'Be brief.' },
    'Fix it',
    { system_prompt: { path: 'CLAUDE.md', sha256: sha256('Be brief.') } },
  ],
  [
    'the servers of a TOML file',
    'codex',
    { '.codex/config.toml': '[mcp_servers.github]\ncommand = "x"\n[mcp_servers."my server".env]\n[other.table]\n' },
    'Fix it',
    { mcp_servers: ['github', 'my server'] },
  ],
  ['nothing of a file that is no JSON', 'gemini', { '.gemini/settings.json': '{' }, 'Fix it', {}],
  [
    'a command in a folder',
    'gemini',
    { '.gemini/commands/git/review.toml': 'prompt = "x"' },
    '/git:review now',
    {
      command: '/git:review',
      system_prompt: { path: '.gemini/commands/git/review.toml', sha256: sha256('prompt = "x"') },
    },
  ],
  [
    'a command that is no file of the project',
    'claude-code',
    {},
    '/plugin:debug The token',
    { command: '/plugin:debug' },
  ],
  ['no path of a file as a command', 'claude-code', {}, '/tmp is full', {}],
  ['nothing of an agent that ctx does not start', 'acp', { 'AGENTS.md': 'x' }, 'Fix it', {}],
])('keeps %s', (_what, agent, files, prompt, expected) => {
  expect(configurationOf(withFiles(files), agent, prompt)).toEqual(expected);
});
