// The program in a process of its own, as users start it: most tests run it in one that runs many lines, and this shows they may.
import { describe, expect, test } from 'vitest';
import { folder, NOON, type Repo, run, seen, session } from '../support/cli.ts';
import { TRANSCRIPT } from '../support/samples.ts';

/** A project in which every line below has something to work on. */
function project(): Repo {
  const repo = session('Add a cache', { now: NOON, env: { CTX_DEBUG: '' } });
  repo.write('client.ts', 'export {};\n');
  repo.write('transcript.jsonl', TRANSCRIPT);
  return repo;
}

/** The id of a session, or of an object that contains one. */
const ID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21}|\b[0-9a-f]{40}\b/g;

const LINES: [words: string[], input?: string][] = [
  [['--version']],
  [['doctor']],
  [['stage', 'status', '--help']],
  [['observe', 'note', '-'], 'Full jitter, see https://example.com/jitter\n'],
  [['observe', 'batch'], '{"kind":"note","content":"hello"}\nno JSON\n'],
  [['observe', 'write', 'client.ts', '--flush']],
  [['message', '--json', '--as', 'modification', 'Make it 5']],
  [['stage', 'ask', 'Which?']],
  [['stage', 'respond', 'This one', '--quiet']],
  [['log', '--oneline']],
  [['show', 'HEAD', '--no-color']],
  [['show', 'nothing-of-this-name']],
  [['show', '--json', 'nothing-of-this-name']],
  [['nonsense']],
  [['stage', 'start']],
  [['ingest', 'transcript.jsonl']],
  [['fsck']],
  [['git', 'log', '--format=%s', '--all']],
  [['git', 'no-command-of-git']],
  [['hook', 'claude-code'], '{"session_id":"a","hook_event_name":"UserPromptSubmit","prompt":"Add a cache"}'],
  [['hook', 'claude-code'], 'no JSON'],
  [['hook', 'nobody'], '{}'],
];

describe('a process of its own', () => {
  test('prints, exits and stores as one that runs many lines', () => {
    const [own, shared] = [project(), project()];
    for (const [words, input] of LINES) {
      const answers = [own.run(words, { input, own: true }), shared.run(words, { input, own: false })];
      const [first, second] = answers.map((answer) => `ctx ${words.join(' ')}\n${seen(answer)}`);
      expect(second).toBe(first);
    }
    const messages = ({ git }: Repo): string[] => git('log', '--all', '--format=%B').replaceAll(ID, '<id>').split('\n');
    expect(messages(shared).sort()).toEqual(messages(own).sort());
  });

  test('cannot be started in a folder that is not there, and neither can a line', () => {
    for (const own of [true, false])
      expect(() => run(['stage', 'status'], { cwd: `${folder()}/gone`, own })).toThrow('ENOENT');
  });

  test('leaves no variable, folder or input to the next line', () => {
    const repo = project();
    expect(repo.run(['observe', 'note', '-'], { input: 'first\n', env: { CTX_SESSION: 'nobody' } }).code).not.toBe(0);
    expect(repo.run(['observe', 'note', 'second']).code).toBe(0);
    expect(run(['stage', 'status']).stderr).toContain('error:');
    expect(repo.run(['observe', 'note', '-']).stderr).toContain('error:');
  });
});
