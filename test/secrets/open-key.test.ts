// A private key whose lines come in several texts: none of them stands in what is kept, and nothing else goes.
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../src/core/json.ts';
import { placeOf } from '../../src/core/session/places.ts';
import { ANYBODYS } from '../../src/core/structure.ts';
import { OpenKey } from '../../src/secrets/open-key.ts';
import { redactValue } from '../../src/secrets/redact.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';

const chance = new Chance(61);
const lines = (count: number, width: number, alphabet = 's'): string[] => [
  ...Array.from({ length: count }, () => fill(`{${width}:${alphabet}}`, chance)),
];
const D = '-----';

/** By kind of key: its lines, and which of them are data. */
const KEYS: Readonly<Record<string, () => { all: string[]; data: string[] }>> = {
  PEM: () => block('RSA PRIVATE KEY', [...lines(24, 64), `${fill('{22:s}', chance)}==`]),
  'PKCS #8': () => block('PRIVATE KEY', [...lines(25, 64), fill('{23:s}=', chance)]),
  'an encrypted PEM': () =>
    block(
      'RSA PRIVATE KEY',
      [...lines(20, 64), fill('{40:s}', chance)],
      ['Proc-Type: 4,ENCRYPTED', 'DEK-Info: AES-256-CBC,0123456789ABCDEF', ''],
    ),
  OpenSSH: () => block('OPENSSH PRIVATE KEY', [...lines(35, 70), fill('{50:s}==', chance)]),
  PGP: () =>
    block(
      'PGP PRIVATE KEY BLOCK',
      [...lines(30, 64), fill('{30:s}==', chance), fill('={4:s}', chance)],
      ['Version: GnuPG v2', ''],
    ),
  PuTTY: () => {
    const data = [...lines(14, 64), fill('{22:s}==', chance)];
    return {
      data,
      all: [
        'PuTTY-User-Key-File-3: ssh-rsa',
        'Encryption: none',
        'Comment: laptop',
        `Private-Lines: ${data.length}`,
        ...data,
        'Private-MAC: 00',
      ],
    };
  },
  'a static key of OpenVPN': () => {
    const data = lines(16, 32, 'h');
    return { data, all: [`${D}BEGIN OpenVPN Static key V1${D}`, ...data, `${D}END OpenVPN Static key V1${D}`] };
  },
};

function block(name: string, data: string[], fields: string[] = []): { all: string[]; data: string[] } {
  return { data, all: [`${D}BEGIN ${name}${D}`, ...fields, ...data, `${D}END ${name}${D}`] };
}

/** Ways in which the lines of a key come in several values. */
const WAYS: Readonly<Record<string, (all: string[]) => JsonValue[]>> = {
  'a line each': (all) =>
    all.filter((line) => line !== '').map((text, line) => ({ kind: 'raw', agent: 'pi', line, text })),
  'three lines each': (all) => inThrees(all).map((text) => ({ kind: 'command', command: 'sed', output: text })),
  'numbered, in results of tools': (all) =>
    inThrees(all.map((line, index) => `${String(index + 1).padStart(6)}\t${line}`)).map((output) => ({
      kind: 'message',
      message: {
        id: 'm1',
        role: 'assistant',
        parts: [
          { type: 'dynamic-tool', toolName: 'Read', toolCallId: 'c1', state: 'output-available', input: {}, output },
        ],
      },
    })),
  'with words between them': (all) =>
    inThrees(all).flatMap((text) => [
      { kind: 'command', command: 'sed', output: text },
      { kind: 'note', content: 'Now the next lines, please.', role: 'plain' },
    ]),
  'cut in the midst of a line': (all) => {
    const text = all.join('\n');
    return [text.slice(0, 200), text.slice(200, 611), text.slice(611)].map((output) => ({
      kind: 'command',
      command: 'dd',
      output,
    }));
  },
  'in parts of one message': (all) => [
    {
      kind: 'message',
      message: { id: 'm1', role: 'user', parts: inThrees(all).map((text) => ({ type: 'text', text })) },
    },
  ],
  'escaped, in torn JSON': (all) => {
    const text = JSON.stringify({ output: all.join('\n') });
    return [text.slice(0, 300), text.slice(300)].map((rest, line) => ({
      kind: 'raw',
      agent: 'codex',
      line,
      text: rest,
    }));
  },
};

function inThrees(all: readonly string[]): string[] {
  return Array.from({ length: Math.ceil(all.length / 3) }, (_, index) =>
    all.slice(3 * index, 3 * index + 3).join('\n'),
  );
}

const label = (): string => '00c0ffee';
function kept(values: readonly JsonValue[], open = new OpenKey()): string {
  return values
    .map((value) => {
      const clean = open.without(value, placeOf(value), () => '[redacted:private-key:00c0ffee]');
      return JSON.stringify(redactValue(clean, { placeOf }, label).value);
    })
    .join('\n');
}

/** So much of a line in a row is of use to nobody. */
const pieces = (line: string): string[] =>
  Array.from({ length: Math.max(1, Math.floor(line.length / 8)) }, (_, index) =>
    line.slice(8 * index, 8 * index + 8),
  ).filter(({ length }) => length === 8);

describe.each(Object.entries(KEYS))('%s', (_kind, make) => {
  test.each(Object.entries(WAYS))('%s', (_way, come) => {
    const { all, data } = make();
    const text = kept(come(all));
    expect(data.flatMap(pieces).filter((piece) => text.includes(piece))).toEqual([]);
    expect(text).toContain('[redacted:private-key:00c0ffee]');
  });

  test('continues after another process has kept its beginning', () => {
    const { all, data } = make();
    const come = WAYS['three lines each']?.(all) ?? [];
    const before: JsonValue[] = [];
    for (const value of come) {
      // Each has seen nothing itself: only what is kept tells.
      const open = new OpenKey();
      open.resume('session', () => before);
      before.push(JSON.parse(kept([value], open)) as JsonValue);
    }
    const text = JSON.stringify(before);
    expect(
      data
        .slice(0, -2)
        .flatMap(pieces)
        .filter((piece) => text.includes(piece)),
    ).toEqual([]);
  });
});

/** Layouts that put words of their own around a line. */
const AROUND: Readonly<Record<string, (line: string) => string>> = {
  'a log of containers': (line) => `app_1  | ${line}`,
  'a log with times': (line) => `2026-10-04T08:00:00.000Z stdout F ${line}`,
  'a patch': (line) => `+${line}`,
  commands: (line) => `echo ${line} >> key.pem`,
  'a list with remarks': (line) => `- "${line}" # part`,
};

describe('data behind a heading that came alone', () => {
  const ask = { kind: 'note', content: `my key begins with ${D}BEGIN RSA PRIVATE KEY${D}`, role: 'plain' };
  const note = (content: string): JsonValue => ({ kind: 'note', content, role: 'plain' });
  const data = lines(25, 64);

  test.each([
    ['joined by blanks', [note(`here you go ${data.join(' ')}`)]],
    ...Object.entries(AROUND).map(([name, around]) => [name, [note(data.map(around).join('\n'))]] as const),
    ['a log of containers, a line each', data.map((line) => note(`app_1  | ${line}`))],
  ] as const)('%s', (_name, values) => {
    const text = kept([ask, ...values]);
    expect(data.filter((line) => text.includes(line))).toEqual([]);
  });
});

const PATHS = [
  '/home/alice/projects/website/src/components/navigation/menu',
  'src/main/java/com/example/shop/checkout/PaymentServiceFactory2',
  'packages/web2/src/features/orders/components/OrderHistoryTable',
  '/usr/lib/python3/dist/packages/numpy/core/src/multiarray/V2/a',
  'C/Users/Bob/AppData/Local/Programs/Microsoft/VisualStudio2022/bin',
];

describe('a heading alone', () => {
  const heading = `${D}BEGIN RSA PRIVATE KEY${D}`;
  const task = {
    kind: 'message',
    message: { id: 'm1', role: 'user', parts: [{ type: 'text', text: `Find ${heading}` }] },
  };
  const data = lines(6, 64);

  test.each([
    ...PATHS.map((path) => [path, path] as [string, string]),
    ['paths, a line each', PATHS.join('\n')],
    ['a base64 text of another width', lines(1, 60).join('\n')],
    ['one line among others', `ok\nsignature:\n${lines(1, 64)}\nverified`],
    ['a value in a sentence', `the digest is ${lines(1, 64)} now`],
    ['a hash', fill('{64:h}', chance)],
    ['a name', 'thisIsTheVeryLongNameOfAFunctionThatNobodyWouldEverWantToCall64'],
  ])('does not make data of %s', (_, text) => {
    const here = new OpenKey();
    kept([task], here);
    const later = new OpenKey();
    later.resume('session', () => [task]);
    for (const open of [here, later]) expect(open.without(text, ANYBODYS, () => '[gone]')).toBe(text);
  });

  test.each<[string, string]>([
    ['lines as they are', data.join('\n')],
    ['numbered lines', data.map((line, at) => `${at + 2}:${line}`).join('\n')],
    ['lines of a named file', data.map((line, at) => `id_rsa:${at + 2}:${line}`).join('\n')],
    ['one line', data[0] as string],
    ['lines behind words of a tool', `Exit code: 0\nOutput:\n${data.join('\n')}`],
    ['escaped lines', data.join('\\n')],
    ['the last whole line and a short one', `Output:\n${data[0]}\nAbCd01==\n${D}END RSA PRIVATE KEY${D}`],
  ])('is continued by %s', (_, text) => {
    for (const before of [[heading], [task], [heading, { kind: 'note', content: 'Now the rest.', role: 'plain' }]]) {
      const open = new OpenKey();
      kept(before, open);
      const clean = open.without(text, ANYBODYS, () => '[gone]');
      expect(data.filter((line) => clean.includes(line))).toEqual([]);
    }
  });
});

describe('what came before is not asked for', () => {
  test.each([
    ['a SHA-256', `digest ${fill('{64:h}', chance)} ok`],
    ['a SHA-256 alone', fill('{64:h}', chance)],
    ['a commit', fill('{40:h}', chance)],
    ['capitals of hexadecimal digits', `is ${fill('{60:h}', chance).toUpperCase()}`],
    ['an MD5 beside the name of a file', `${fill('{32:h}', chance)}  dist/app.js`],
    ['the hash of a package', `"sha384-${fill('{64:s}', chance)}"`],
    ['a path', PATHS.join('\n')],
    ['words', 'Now read the rest of it.'],
  ])('for %s', (_, text) => {
    const open = new OpenKey();
    let asked = 0;
    open.resume('session', () => {
      asked += 1;
      return [];
    });
    expect(open.without({ kind: 'note', content: text }, placeOf({ kind: 'note' }), () => '[gone]')).toEqual({
      kind: 'note',
      content: text,
    });
    expect(asked).toBe(0);
    open.without(lines(1, 64)[0] as string, ANYBODYS, () => '[gone]');
    expect(asked).toBe(1);
  });
});

test('a key that begins while nothing came before is followed all the same', () => {
  const open = new OpenKey();
  open.resume('session', null);
  const [first, second, third] = lines(3, 64) as [string, string, string];
  const mark = (): string => '[gone]';
  expect(open.without({ kind: 'note', content: second }, placeOf({ kind: 'note' }), mark)['content']).toBe(second);
  open.without(['words', `${D}BEGIN PRIVATE KEY${D}\n${first}`], ANYBODYS, mark);
  expect(open.without({ nested: [{ content: third }] }, ANYBODYS, mark)).toEqual({ nested: [{ content: '[gone]' }] });
});

describe('what is no line of a key', () => {
  const head = `${D}BEGIN PRIVATE KEY${D}\n${lines(3, 64).join('\n')}`;
  const others: [string, string][] = [
    ['a sentence', 'Now read the rest of it, and then the certificate.'],
    ['a hash', fill('{64:h}', chance)],
    ['the hash of a package', `"integrity": "sha512-${fill('{86:s}==', chance)}"`],
    ['a path', '/home/dev/project/src/components/navigation/header/HeaderNavigationBar.tsx'],
    ...PATHS.map((path) => [path, path] as [string, string]),
    ['a picture', fill('{3000:s}', chance)],
    ['a certificate', `${D}BEGIN CERTIFICATE${D}\n${lines(4, 64).join('\n')}\n${D}END CERTIFICATE${D}`],
    ['a word', 'done'],
    ['a number', '12345'],
  ];

  test.each(others)('%s stays behind a key that is left open', (_, text) => {
    const open = new OpenKey();
    kept([{ kind: 'command', command: 'head', output: head }], open);
    expect(open.without(text, ANYBODYS, () => '[gone]')).toBe(text);
  });

  test.each([...others, ['lines of base64', lines(4, 64).join('\n')] as [string, string]])(
    '%s stays if no key is open',
    (_, text) => {
      const open = new OpenKey();
      kept([{ kind: 'command', command: 'cat', output: `${head}\n${D}END PRIVATE KEY${D}\n` }], open);
      expect(open.without(text, ANYBODYS, () => '[gone]')).toBe(text);
    },
  );

  test('a key that is left open is given up after many values without data', () => {
    const open = new OpenKey();
    kept([{ output: head }, ...Array.from({ length: 600 }, (_, number) => ({ number, text: 'more' }))], open);
    const text = lines(4, 64).join('\n');
    expect(open.without(text, ANYBODYS, () => '[gone]')).toBe(text);
  });

  test('structure stays', () => {
    const open = new OpenKey();
    kept([{ output: head }], open);
    const value = { kind: 'raw', id: fill('{64:b}', chance), agent: 'pi', line: 2, data: { text: 'x' } };
    expect(open.without(value, placeOf(value), () => '[gone]')).toMatchObject({ kind: 'raw', agent: 'pi', line: 2 });
  });
});
