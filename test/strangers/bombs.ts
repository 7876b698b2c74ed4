// Small files that would fill the memory or take for ever, each with how it is put into a store.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { sha1 } from '../../src/platform/hash.ts';
import { entryHead, packOf } from '../support/packs.ts';
import { FULL } from './support.ts';
import type { Victim } from './victim.ts';

const BIG = FULL ? 1024 : 128;
const MILLION = FULL ? 1_000_000 : 100_000;

/** A zlib stream of so many MiB of zeros behind a beginning. */
function zeros(beginning: string, mebibytes: number): Buffer {
  return deflateSync(Buffer.concat([Buffer.from(beginning), Buffer.alloc(mebibytes * 1024 * 1024)]), { level: 9 });
}
let bomb: Buffer;
const zlibBomb = (): Buffer => {
  bomb ??= zeros(`blob ${BIG * 1024 * 1024}\0`, BIG);
  return bomb;
};

/** A pack of one object and an index that finds it; both may lie. */
function onePack(victim: Victim, oid: string, bytes: Buffer, lie: (index: Buffer) => void = () => undefined): void {
  const { pack, index } = packOf([{ oid, bytes }]);
  lie(index);
  victim.pack(pack, index);
}

const drop = (victim: Victim, oid: string): void => {
  for (const name of readdirSync(join(victim.store, 'objects', 'pack')))
    rmSync(join(victim.store, 'objects', 'pack', name));
  rmSync(join(victim.store, 'objects', oid.slice(0, 2), oid.slice(2)), { force: true });
};

/** A million names, as a tree or as refs. */
const many = (count: number, line: (index: number) => string): string => {
  const lines: string[] = [];
  for (let index = 0; index < count; index += 1) lines.push(line(index));
  return lines.join('');
};

function wideTree(victim: Victim, count: number, name: (index: number) => string): string {
  const blob = Buffer.from(victim.object('blob', Buffer.from('x')), 'hex').toString('latin1');
  return victim.object(
    'tree',
    Buffer.from(
      many(count, (index) => `100644 ${name(index)}\0${blob}`),
      'latin1',
    ),
  );
}

const number = (index: number): string => String(index).padStart(7, '0');

function deepTree(victim: Victim, depth: number, content: string): string {
  let tree = victim.tree([['100644', 'x', victim.object('blob', Buffer.from(content))]]);
  for (let left = depth; left > 0; left -= 1) tree = victim.tree([['40000', 'd', tree]]);
  return tree;
}

/** Ten folders in each of ten folders, and so on: a few trees, and more files than anybody could list. */
function broadAndDeep(victim: Victim): string {
  let tree = victim.tree([['100644', 'x', victim.object('blob', Buffer.from('x'))]]);
  for (let level = 0; level < 12; level += 1)
    tree = victim.tree(Array.from('0123456789', (name): [string, string, string] => ['40000', name, tree]));
  return tree;
}

const MEGA = 1024 * 1024;

/** A piece over and over, as long as asked or a little longer: longer than any text could be. */
const padded = (beginning: string, size: number, piece: string, end: string): Buffer =>
  Buffer.concat([
    Buffer.from(beginning),
    Buffer.alloc(Math.ceil(size / piece.length) * piece.length, piece),
    Buffer.from(end),
  ]);

export const BOMBS: [name: string, plant: (victim: Victim) => void][] = [
  ['a zlib bomb as the head of the main line', (v) => v.loose(v.git('rev-parse', 'main'), zlibBomb())],
  ['a zlib bomb as the tree of a step', (v) => v.loose(v.git('rev-parse', `${v.session}^{tree}`), zlibBomb())],
  ['a zlib bomb as session.json', (v) => v.loose(v.git('rev-parse', `${v.session}:session.json`), zlibBomb())],
  ['a zlib bomb as a file', (v) => v.loose(v.git('rev-parse', `main:files/src/a.ts`), zlibBomb())],
  [
    'a zlib bomb in a pack that says how large it is',
    (v) => {
      const oid = v.git('rev-parse', `${v.session}:session.json`);
      onePack(v, oid, Buffer.concat([entryHead(3, BIG * MEGA), zlibBomb()]));
      rmSync(join(v.store, 'objects', oid.slice(0, 2), oid.slice(2)), { force: true });
    },
  ],
  [
    'a zlib bomb in a pack that says it is small',
    (v) => {
      const oid = v.git('rev-parse', `${v.session}:session.json`);
      onePack(v, oid, Buffer.concat([entryHead(3, 1000), zlibBomb()]));
      rmSync(join(v.store, 'objects', oid.slice(0, 2), oid.slice(2)), { force: true });
    },
  ],
  [
    'a delta of itself in a pack',
    (v) => {
      const oid = v.git('rev-parse', `${v.session}:session.json`);
      drop(v, oid);
      onePack(
        v,
        oid,
        Buffer.concat([entryHead(7, 4), Buffer.from(oid, 'hex'), deflateSync(Buffer.from([1, 1, 1, 1]))]),
      );
    },
  ],
  [
    'a pack index whose table says there are four thousand million',
    (v) => onePack(v, v.git('rev-parse', v.session), Buffer.alloc(20), (index) => index.fill(0xff, 8, 8 + 1024)),
  ],
  [
    'a pack index that is out of order',
    (v) => onePack(v, 'ab'.repeat(20), Buffer.alloc(20), (index) => index.writeUInt32BE(9, 8)),
  ],
  [
    'a pack index that points behind the end',
    (v) => {
      const oid = v.git('rev-parse', `${v.session}:session.json`);
      drop(v, oid);
      onePack(v, oid, Buffer.alloc(20), (index) => index.writeUInt32BE(0x7fffffff, 8 + 1024 + 24));
    },
  ],
  [
    'a pack index that points far behind the end',
    (v) => {
      const oid = v.git('rev-parse', `${v.session}:session.json`);
      drop(v, oid);
      onePack(v, oid, Buffer.alloc(20), (index) => index.writeUInt32BE(0xffffffff, 8 + 1024 + 24));
    },
  ],
  [
    'a tree of very many entries as the files of a step',
    (v) => v.commit(v.session, v.withEntry(v.session, 'files', '40000', wideTree(v, MILLION, number))),
  ],
  [
    'a tree of very many entries as the files of the main line',
    (v) => v.commit('refs/heads/main', v.withEntry('refs/heads/main', 'files', '40000', wideTree(v, MILLION, number))),
  ],
  ['a tree of very many entries as the tree of a step', (v) => v.commit(v.session, wideTree(v, MILLION, number))],
  [
    'a tree that lies deep',
    (v) => {
      const depth = FULL ? 20_000 : 4_000;
      v.commit('refs/heads/main', v.withEntry('refs/heads/main', 'files', '40000', deepTree(v, depth, 'a')));
      v.commit(v.session, v.withEntry(v.session, 'files', '40000', deepTree(v, depth, 'b')));
    },
  ],
  [
    'trees with more files in them than anybody could list',
    (v) => {
      const tree = broadAndDeep(v);
      v.commit('refs/heads/main', v.withEntry('refs/heads/main', 'files', '40000', tree));
      v.commit(v.session, v.withEntry(v.session, 'files', '40000', v.tree([['40000', 'src', tree]])));
    },
  ],
  [
    'very many lines in packed-refs',
    (v) =>
      v.write(
        'packed-refs',
        many(MILLION, (index) => `${'a'.repeat(40)} refs/heads/x${number(index)}\n`),
      ),
  ],
  [
    'very many sessions in packed-refs',
    (v) => {
      const head = v.git('rev-parse', v.session);
      v.write(
        'packed-refs',
        many(20_000, (index) => `${head} refs/sessions/00000000-${number(index)}\n`),
      );
    },
  ],
  [
    'a settings.json of many lines',
    (v) => v.write('settings.json', padded('{\n', BIG * MEGA, '"fsync": false,\n', '}')),
  ],
  [
    'a settings.json of many keys',
    (v) => v.write('settings.json', `{${many(MILLION * 3, (index) => `"k${index}":{},`)}"fsync":false}`),
  ],
  ['a settings.json of one long text', (v) => v.write('settings.json', padded('{"x":"', BIG * MEGA, 'x', '"}'))],
  [
    'a long config',
    (v) => v.write('config', padded(readFileSync(join(v.store, 'config'), 'utf8'), BIG * MEGA, '# x\n', '')),
  ],
  ['a long HEAD', (v) => v.write('HEAD', padded('ref: refs/heads/main\n', BIG * MEGA, ' ', '\n'))],
  ['a long STAGE', (v) => v.write('STAGE', padded('ref: refs/sessions/', BIG * MEGA, 'x', '\n'))],
  ['a long ref', (v) => v.write(v.session, padded('', BIG * MEGA, 'a', '\n'))],
  [
    'a long reflog',
    (v) => v.write(`logs/${v.session}`, padded('', BIG * MEGA, `${'a'.repeat(40)} ${'b'.repeat(40)} x\n`, '')),
  ],
  ['a long LOCK', (v) => v.write('LOCK', padded('', BIG * MEGA, '[', ''))],
  [
    'a long operation',
    (v) => v.write('oplog/begun.json', padded(`{"sha1":"${'a'.repeat(40)}",`, BIG * MEGA, '"a":1,', '}')),
  ],
  [
    'a session.json that is far too large',
    (v) => {
      const oid = v.object('blob', padded('{"version":1,"a":"', 100 * MEGA, 'x', '"}'));
      v.commit(v.session, v.withEntry(v.session, 'session.json', '100644', oid));
    },
  ],
  [
    'a session.json of very many small values',
    (v) => {
      const oid = v.object('blob', padded('{"version":1,"a":[', 60 * MEGA, '{},', '{}]}'));
      v.commit(v.session, v.withEntry(v.session, 'session.json', '100644', oid));
    },
  ],
  [
    'a step of very many empty lines',
    (v) =>
      v.commit(
        v.session,
        v.withEntry(v.session, 'step.jsonl', '100644', v.object('blob', Buffer.alloc(60 * MEGA, '\n'))),
      ),
  ],
  [
    'a step of one line of very many small values',
    (v) => {
      const oid = v.object('blob', padded('{"version":1,"id":"x","kind":"x","a":[', 60 * MEGA, '{},', '{}]}\n'));
      v.commit(v.session, v.withEntry(v.session, 'step.jsonl', '100644', oid));
    },
  ],
  [
    'a folder of very many records that wait',
    (v) => {
      const at = join(v.store, 'pending', v.id);
      for (let index = 0; index < (FULL ? 100_000 : 5_000); index += 1)
        writeFileSync(join(at, `${number(index)}.json`), '{}');
    },
  ],
  [
    'a record that waits and is far too large',
    (v) => {
      const beginning = '"record":{"version":1,"id":"x","kind":"x","a":[';
      const rest = padded(beginning, BIG * 0.75 * MEGA, '{},', '{}]},"payloads":[],"objects":[]}');
      v.write(`pending/${v.id}/x.json`, Buffer.concat([Buffer.from(`{"sha1":"${sha1(rest)}",`), rest, Buffer.of(10)]));
    },
  ],
];
