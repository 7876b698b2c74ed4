// A machine that lacks something (memory, WebAssembly, file handles) is never taken for damage: nothing is set aside or rewritten.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { CtxError, damaged } from '../../src/core/errors.ts';
import { toCtxError } from '../../src/platform/machine-errors.ts';
import { isResourceError } from '../../src/platform/resource-errors.ts';
import { fingerprint, fsck, type Repo, type Result, session } from '../support/cli.ts';

const PRELOAD = fileURLToPath(new URL('../support/lack.cjs', import.meta.url));

/** Kinds of lack, see `lack.cjs`. */
const KINDS = ['zlib', 'init', 'wasm', 'buffer', 'EMFILE', 'ENOMEM'] as const;
type Kind = (typeof KINDS)[number];

/** A store with loose objects and packed ones, a long text in each, two sessions, and a record that waits with an object. */
let whole: Repo;
beforeAll(() => {
  whole = session();
  const text = (seed: number): string =>
    Array.from({ length: 3000 }, (_, line) => `line ${line}: ${(line * seed) % 9973}\n`).join('');
  whole.write('packed.txt', text(7919));
  whole.write('loose.txt', text(6007));
  whole.write('waits.txt', text(5003));
  whole.run(['observe', 'write', 'packed.txt', '--flush']);
  whole.run(['stage', 'done', 'Packed.']);
  whole.run(['stage', 'confirm']);
  whole.git('gc', '-q');
  whole.run(['stage', 'start', 'Another task']);
  whole.run(['observe', 'write', 'loose.txt', '--flush']);
  whole.run(['observe', 'write', 'waits.txt']);
});

interface Lack {
  kind: Kind;
  at: number;
  once: boolean;
}

function lacking(repo: Repo, words: readonly string[], { kind, at, once }: Lack, count?: string): Result {
  return repo.run(words, {
    env: {
      NODE_OPTIONS: `--require ${PRELOAD}`,
      LACK: kind,
      LACK_AT: String(at),
      LACK_ONCE: once ? '1' : '0',
      LACK_STORE: repo.store,
      ...(count ? { LACK_COUNT: count } : {}),
    },
  });
}

/** Counts the calls of a command that belong to a kind. */
function needs(words: readonly string[], kind: Kind): number {
  const repo = whole.copy();
  const count = join(repo.dir, 'count');
  const { code, stderr } = lacking(repo, words, { kind, at: 0, once: true }, count);
  expect(code, stderr).toBe(0);
  return Number(readFileSync(count, 'utf8'));
}

/** Matches a message that takes something for damage. */
const ACCUSES = /damaged|torn|missing|Set .* aside|Removed|cannot be inflated|is no JSON/i;

/** Files of a store that no command makes again by itself. */
function kept({ store }: Repo): Record<string, string> {
  const all = fingerprint(store);
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => /^(objects|refs|logs|pending|oplog|HEAD|STAGE|config|key)/.test(name)),
  );
}

/** Commands, and at how many of the calls that need something it is missing. */
const COMMANDS: [command: string, words: string[], tries: number][] = [
  ['fsck --full --repair', ['fsck', '--full', '--repair'], 6],
  ['fsck', ['fsck'], 2],
  ['stage status', ['stage', 'status'], 2],
  ['show', ['show', 'STAGE'], 2],
  ['log', ['log'], 1],
];

describe.each(KINDS)('a machine that lacks what %s stands for', (kind) => {
  test.each(COMMANDS)('is no damage to %s, which changes nothing', (_command, words, tries) => {
    const count = needs(words, kind);
    const calls = new Set(Array.from({ length: tries }, (_, index) => 1 + Math.floor((index * count) / tries)));
    const repo = whole.copy();
    const before = kept(repo);
    for (const at of calls) {
      // Each second time it stays so.
      const once = at % 2 === 0;
      const { code, stdout, stderr } = lacking(repo, words, { kind, at, once });
      const told = `${kind}, call ${at} of ${count}${once ? '' : ' and all after it'}: exit ${code}\n${stdout}${stderr}`;
      expect([0, 1], told).toContain(code);
      expect(stdout + stderr, told).not.toMatch(ACCUSES);
      expect(stdout + stderr, told).not.toContain('a way it should not');
      expect(kept(repo), told).toEqual(before);
      expect(existsSync(join(repo.store, 'lost')) ? readdirSync(join(repo.store, 'lost')) : [], told).toEqual([]);
    }
    fsck(repo.dir);
  });
});

describe('an error', () => {
  const coded = (code: string): Error => Object.assign(new Error(code), { code });
  test.each([
    ['of zlib without memory', coded('Z_MEM_ERROR'), true],
    ['of zlib that could not begin', coded('ERR_ZLIB_INITIALIZATION_FAILED'), true],
    ['of zlib about its bytes', coded('Z_DATA_ERROR'), false],
    ['of too many open files', coded('EMFILE'), true],
    ['of a full disk, in words of ours', new CtxError('io', 'Cannot write x', { cause: coded('ENOSPC') }), true],
    ['of a file that is not there', coded('ENOENT'), false],
    ['of an allocation', new RangeError('Array buffer allocation failed'), true],
    ['of the memory of a module', new RangeError('WebAssembly.Memory(): could not allocate memory'), true],
    ['of a stack that is too deep', new RangeError('Maximum call stack size exceeded'), false],
    ['of OpenSSL without memory', Object.assign(coded('ERR_OSSL_X'), { message: 'error:0:malloc failure' }), true],
    ['of damage', damaged('object x', 'its bytes cannot be inflated'), false],
  ])('%s is known', (_name, error, is) => {
    expect(isResourceError(error)).toBe(is);
  });

  test('of an allocation is no bug, and says what to do', () => {
    expect(toCtxError(new RangeError('Array buffer allocation failed'))).toMatchObject({
      code: 'io',
      message: 'The machine has no memory left for this: Array buffer allocation failed',
      hint: expect.stringContaining('run the command again'),
    });
  });
});
