// Files that are no bundles of ctx, or no longer: each is refused with the reason, and nothing is changed.
import { readdirSync, readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { forget } from '../../../src/app/forget/forget.ts';
import type { BundledSession, Manifest, Piece } from '../../../src/core/exchange/manifest.ts';
import { sessionRef } from '../../../src/history/names/layout.ts';
import * as ctx from '../../../src/index.ts';
import { uuidSource } from '../../../src/platform/ids.ts';
import { bundleOf, withCount, withHeader, withManifest } from '../../support/bundles.ts';
import { forge } from '../../support/forge.ts';
import { entryHead, packOf } from '../../support/packs.ts';
import { copyOf, errorOf, makeProject, type Project } from '../../support/store.ts';

let from: Project & { id: string };
let to: Project;
let bundle: Buffer;

beforeAll(() => {
  const project = makeProject();
  const { session_id: id } = ctx.startSession(project.repository, 'Limit the retries');
  ctx.observeNote(project.repository, 'Decision: five retries');
  ctx.flushStep(project.repository);
  from = { ...project, id };
  to = makeProject();
  bundle = bundleOf(from);
});

/** Every file of a store, but for second names of objects and the cache. */
const filesOf = ({ store }: Project): string[] =>
  readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((name) => !name.startsWith('cache'))
    .sort();

/** The reason for which a bundle is refused, after a look at the store: nothing has changed. */
function refusalOf(bytes: Iterable<Buffer> | Buffer, project = to): string {
  const before = filesOf(project);
  const error = errorOf(() => ctx.importBundle(project.open(), Buffer.isBuffer(bytes) ? [bytes] : bytes));
  expect(filesOf(project)).toEqual(before);
  expect(error.hint).toContain('Nothing was changed');
  return `${error.code}: ${error.message}`;
}

describe('a damaged file', () => {
  test('each of its bytes matters', () => {
    for (let at = 0; at < bundle.length; at += 1) {
      const flipped = Buffer.from(bundle);
      flipped[at] = (flipped[at] as number) ^ (1 << (at % 8));
      expect(errorOf(() => ctx.importBundle(to.repository, [flipped], { dryRun: true })).code, `at ${at}`).toBe(
        'invalid_bundle',
      );
    }
  });

  test('is refused wherever it is cut off', () => {
    for (let piece = 0; piece < 64; piece += 1) {
      const cut = bundle.subarray(0, Math.floor((bundle.length * piece) / 64));
      expect(errorOf(() => ctx.importBundle(to.repository, [cut], { dryRun: true })).code, `${cut.length}`).toBe(
        'invalid_bundle',
      );
    }
    expect(refusalOf(bundle.subarray(0, -1))).toContain('invalid_bundle');
  });

  test('and the whole one is not', () => {
    expect(ctx.importBundle(to.repository, [bundle], { dryRun: true }).sessions).toHaveLength(1);
  });
});

describe('another file', () => {
  test.each<[string, () => Buffer, string]>([
    ['nothing', () => Buffer.alloc(0), 'it is no Git bundle'],
    ['a text', () => Buffer.from('hello\n\n'), 'it is no Git bundle'],
    [
      'a bundle of another version',
      () => withHeader(bundle, (header) => header.replace('v2', 'v3')),
      'another version',
    ],
    [
      'a bundle that needs commits that are not in it',
      () => withHeader(bundle, (header) => header.replace('\n', `\n-${'a'.repeat(40)} base\n`)),
      'it needs commits that are not in it',
    ],
    [
      'a bundle with a ref of its own',
      () => withHeader(bundle, (header) => header.replace('\n\n', `\n${'a'.repeat(40)} refs/heads/evil\n\n`)),
      'refs/heads/evil',
    ],
    [
      'a bundle with a ref that leads out of the store',
      () => withHeader(bundle, (header) => header.replace('\n\n', `\n${'a'.repeat(40)} refs/../../config\n\n`)),
      'refs/../../config',
    ],
    [
      'a bundle whose session has another id',
      () => withHeader(bundle, (header) => header.replaceAll(/sessions\/\w{8}/g, 'sessions/00000000')),
      'its refs are not those of its manifest',
    ],
    ['a bundle of two million objects', () => withCount(bundle, 2_000_000), '2,000,000 objects'],
  ])('%s is refused', (_name, bytes, why) => {
    const refusal = refusalOf(bytes());
    expect(refusal).toContain('invalid_bundle: The bundle is refused');
    expect(refusal).toContain(why);
  });

  test('one that Git has written of a store is refused', () => {
    const file = `${from.folder}/git.bundle`;
    from.git('bundle', 'create', '--quiet', file, '--all');
    expect(refusalOf([readFileSync(file)])).toContain('ctx export has not written it');
  });

  test('a stream that never ends is refused at its beginning', () => {
    let read = 0;
    const endless = function* (): Generator<Buffer> {
      for (;;) {
        read += 1;
        yield Buffer.alloc(1000, 'x');
      }
    };
    expect(refusalOf(endless())).toContain('it is no Git bundle');
    expect(read).toBe(1);
  });

  test('an object that inflates to more than an object may have is refused before it is made', () => {
    const { header } = { header: bundle.toString('latin1', 0, bundle.indexOf('\n\n') + 2) };
    const bomb = {
      oid: 'a'.repeat(40),
      bytes: Buffer.concat([entryHead(3, 2 ** 31), deflateSync(Buffer.alloc(1_000_000))]),
    };
    const { pack } = packOf([bomb]);
    expect(refusalOf(Buffer.concat([Buffer.from(header, 'latin1'), pack]))).toContain('larger than an object may be');
  });
});

describe('a bundle that says what is not so', () => {
  /** A bundle of a store that was changed by hand. */
  function forged(change: (store: Project & { id: string }, made: ReturnType<typeof forge>) => void): Buffer {
    const project = { ...copyOf(from), id: from.id };
    change(project, forge(project));
    return bundleOf(project, { sessions: [from.id] });
  }

  test('a manifest of a newer version is refused as such', () => {
    expect(refusalOf(withManifest(bundle, (manifest) => Object.assign(manifest, { version: 2 })))).toContain(
      'newer_version',
    );
  });

  test.each<[string, (manifest: Manifest) => void, string]>([
    [
      'the hash of a piece',
      ({ pieces }) => Object.assign(pieces[1] as Piece, { sha256: 'f'.repeat(64) }),
      'is not what the manifest',
    ],
    [
      'the hash of a description',
      ({ pieces }) => Object.assign(pieces.at(-1) as Piece, { sha256: 'f'.repeat(64) }),
      'the hash of',
    ],
    [
      'the number of steps',
      ({ sessions }) => Object.assign(sessions[0] as BundledSession, { steps: 9 }),
      'is not what the manifest',
    ],
    ['no session', ({ sessions }) => void sessions.splice(0), 'in its manifest'],
    [
      'a commit',
      ({ sessions, main }) => Object.assign(sessions[0] as BundledSession, { commit: main }),
      'is not the commit of',
    ],
  ])('a manifest that lies about %s is refused', (_name, change, why) => {
    const refusal = refusalOf(withManifest(bundle, change));
    expect(refusal).toContain('invalid_bundle');
    expect(refusal).toContain(why);
  });

  test('a manifest as it was is taken', () => {
    expect(
      ctx.importBundle(to.repository, [withManifest(bundle, () => undefined)], { dryRun: true }).sessions,
    ).toHaveLength(1);
  });

  test('a step that does not follow from its records is refused', () => {
    const bytes = forged(
      ({ id }, { resay }) =>
        void resay(sessionRef(id), (document) => {
          (document['counts'] as Record<string, number>)['notes'] = 7;
        }),
    );
    expect(refusalOf(bytes)).toContain('it counts 7 notes');
  });

  test('a file that Git would follow is refused', () => {
    const bytes = forged(
      ({ id }, { replace, like, blob, tree, treeWith }) =>
        void replace(sessionRef(id), (oid) => {
          const files = tree([{ name: '.gitmodules', oid: blob('[submodule "x"]') }]);
          return like(oid, { tree: treeWith(oid, 'files', { oid: files, mode: '40000' }) });
        }),
    );
    expect(refusalOf(bytes)).toContain('its files are not those');
  });

  test('the id of another session is refused', () => {
    const seeded = (): Project => {
      const ids = uuidSource(
        () => 1_769_040_000_000,
        () => 7,
      );
      return makeProject({}, { ids });
    };
    const [one, other] = [seeded(), seeded()];
    const { session_id } = ctx.startSession(one.repository, 'One task');
    expect(ctx.startSession(other.repository, 'Another task').session_id).toBe(session_id);
    expect(refusalOf(bundleOf(one), other)).toContain('is the id of another session here');
  });

  test('a session that was forgotten here is refused', () => {
    const project = makeProject();
    ctx.importBundle(project.repository, [bundle]);
    forget(project.open(), { id: from.id });
    expect(refusalOf(bundle, project)).toContain('was forgotten here');
  });
});
