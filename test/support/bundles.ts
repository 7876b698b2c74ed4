// Bundles as bytes, whole or forged.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeHeader } from '../../src/core/exchange/bundle-header.ts';
import type { Manifest } from '../../src/core/exchange/manifest.ts';
import * as ctx from '../../src/index.ts';
import { sha1 } from '../../src/platform/hash.ts';
import { gitBytes, makeProject, type Project } from './store.ts';

/** The bytes of a bundle of some sessions of a project. */
export function bundleOf({ repository }: Pick<Project, 'repository'>, options: ctx.ExportOptions = {}): Buffer {
  const pieces: Buffer[] = [];
  ctx.exportBundle(repository, {
    ...options,
    to: (given) => {
      for (const piece of given) pieces.push(Buffer.from(piece));
    },
  });
  return Buffer.concat(pieces);
}

/** The two parts of a bundle. */
export function partsOf(bundle: Buffer): { header: string; pack: Buffer } {
  const length = bundle.indexOf('\n\n') + 2;
  return { header: bundle.toString('latin1', 0, length), pack: bundle.subarray(length) };
}

/** A bundle with another header. */
export const withHeader = (bundle: Buffer, change: (header: string) => string): Buffer => {
  const { header, pack } = partsOf(bundle);
  return Buffer.concat([Buffer.from(change(header), 'latin1'), pack]);
};

/** A bundle whose pack says another number of objects, with the right checksum. */
export function withCount(bundle: Buffer, count: number): Buffer {
  const { header, pack } = partsOf(bundle);
  const body = Buffer.from(pack.subarray(0, -20));
  body.writeUInt32BE(count, 8);
  return Buffer.concat([Buffer.from(header, 'latin1'), body, Buffer.from(sha1(body), 'hex')]);
}

/** A bundle with the same objects and another manifest. @param more refs whose objects are in it too */
export function withManifest(
  bundle: Buffer,
  change: (manifest: Manifest) => void,
  more: readonly string[] = [],
): Buffer {
  const { git, store, folder } = makeProject();
  const file = join(folder, 'given.bundle');
  writeFileSync(file, bundle);
  git('fetch', '--quiet', file, 'refs/*:refs/given/*');
  const manifest = JSON.parse(git('show', 'refs/given/ctx/export:manifest.json')) as Manifest;
  change(manifest);
  const written = (words: readonly string[], input: string): string =>
    gitBytes(store, words, input).toString('latin1').trim();
  const blob = written(['hash-object', '-w', '--stdin'], JSON.stringify(manifest));
  const entries = git('ls-tree', 'refs/given/ctx/export').replace(/[0-9a-f]{40}(?=\tmanifest)/, blob);
  const tree = written(['mktree'], entries);
  const made = written(['commit-tree', tree, '-m', 'forged'], '');
  const refs = [
    { name: 'HEAD', oid: manifest.main },
    { name: 'refs/ctx/export', oid: made },
    { name: 'refs/heads/main', oid: manifest.main },
    ...manifest.sessions.map(({ ref: name, head: oid }) => ({ name, oid })),
  ];
  const roots = [...refs.map(({ oid }) => oid), ...more].join('\n');
  const pack = gitBytes(store, ['pack-objects', '-q', '--stdout', '--revs', '--delta-base-offset'], `${roots}\n`);
  return Buffer.concat([encodeHeader(refs), pack]);
}
