// Secrets of every kind that nobody ever had, and texts that only look like one: made anew from a seed, from pieces, so
// that nothing in the repository looks like a secret to a scanner.
import { checksumOf } from '../../src/secrets/checks.ts';
import { RULES } from '../../src/secrets/matcher.ts';
import { PASSWORD_TEMPLATES } from './secrets-password-templates.ts';
import { TEMPLATES } from './secrets-templates.ts';

/** A small generator of numbers that is the same on every machine. */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61);
    return ((value ^ (value >>> 14)) >>> 0) % limit;
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  }

  letters(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet.charAt(this.below(alphabet.length))).join('');
  }
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();
const DIGITS = '0123456789';
const BASE62 = UPPER + LOWER + DIGITS;
export const ALPHABETS: Readonly<Record<string, string>> = {
  d: DIGITS,
  h: '0123456789abcdef',
  H: '0123456789ABCDEF',
  a: LOWER + DIGITS,
  A: UPPER + DIGITS,
  l: LOWER,
  L: LOWER + UPPER,
  b: BASE62,
  u: `${BASE62}-_`,
  i: `${BASE62}_`,
  // As Bitcoin writes numbers.
  B: BASE62.replace(/[0OIl]/g, ''),
  s: `${BASE62}+/`,
  U: `${UPPER}234567`,
  M: 'ABCDEFGHIJKL',
  r: `${LOWER}234567`,
  // As Django and WordPress make theirs.
  j: `${LOWER + DIGITS}!@#$%^&*(-_=+)`,
  p: `${BASE62}!*_~.-+`,
  w: `${BASE62}!@#$%^&*()-_[]{}<>~\`+=,.;:/?|`,
};

/** `{20:b}` becomes twenty characters of base 62, `{8-12:h}` eight to twelve of hexadecimal. */
export const fill = (template: string, chance: Chance): string =>
  template.replace(/\{(\d+)(?:-(\d+))?:(\w)\}/g, (_, least: string, most: string | undefined, alphabet: string) => {
    const length = Number(least) + (most ? chance.below(Number(most) - Number(least) + 1) : 0);
    return chance.letters(ALPHABETS[alphabet] ?? '', length);
  });

/** A text with one secret in it. */
export interface Sample {
  readonly rule: string;
  readonly text: string;
  readonly secret: string;
}

const SYLLABLES = 'ka lo mi ru te vo zan pel dor fin gru hax jol nim qua sti wex yor bli cra'.split(' ');

/** As people make them, as a generator does, of letters alone, with signs among them, with a dot in it, ids that serve as one, and of hexadecimal digits. */
export function password(chance: Chance): string {
  const kind = chance.below(7);
  if (kind === 6) return fill(chance.below(2) ? '{8:h}' : '{12:h}', chance);
  if (kind === 3) return chance.letters(ALPHABETS['p'] ?? '', 15 + chance.below(5));
  if (kind === 4) return fill('{8:h}-{4:h}-4{3:h}-a{3:h}-{12:h}', chance);
  if (kind === 5) return fill('{5:b}.{9:b}', chance);
  if (kind === 1) return chance.letters(BASE62, 12 + chance.below(5));
  if (kind === 2) return chance.letters(UPPER + LOWER, 16 + chance.below(5));
  const word = Array.from({ length: 2 + chance.below(2) }, () => chance.pick(SYLLABLES)).join('');
  const middle = chance.letters(DIGITS, 2 + chance.below(3));
  const parts = [
    word.charAt(0).toUpperCase() + word.slice(1),
    middle,
    chance.pick(['!', '#', '%', '*', '+', '~', '_', '-']),
  ];
  return chance.below(2) ? parts.join('') : parts.reverse().join('') + chance.letters(LOWER, 2);
}

function keyBlock(chance: Chance): Sample {
  const kind = chance.pick(['RSA ', 'EC ', 'OPENSSH ', '', 'ENCRYPTED ', 'PGP', 'DSA ', 'PuTTY']);
  const lines = Array.from({ length: 3 + chance.below(24) }, () => chance.letters(ALPHABETS['s'] ?? '', 64));
  lines.push(`${chance.letters(ALPHABETS['s'] ?? '', 4 + 4 * chance.below(10))}==`);
  const secret = lines.join('\n');
  const cut = chance.below(4) === 0;
  const dashes = '-----';
  if (kind === 'PuTTY') return { rule: '', secret, text: `Private-Lines: ${lines.length}\n${secret}\nPrivate-MAC: 00` };
  const name = kind === 'PGP' ? 'PGP PRIVATE KEY BLOCK' : `${kind}PRIVATE KEY`;
  const end = cut ? '' : `\n${dashes}END ${name}${dashes}`;
  return { rule: '', secret, text: `${dashes}BEGIN ${name}${dashes}\n${kind === 'PGP' ? '\n' : ''}${secret}${end}` };
}

function jwt(chance: Chance): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const header = { alg: chance.pick(['HS256', 'RS256', 'ES256']), typ: 'JWT', kid: chance.letters(BASE62, 8) };
  const claims = {
    iss: 'https://id.example.net',
    sub: chance.letters(DIGITS, 10),
    role: chance.pick(['anon', 'service_role']),
  };
  return `${part(header)}.${part(claims)}.${chance.letters(ALPHABETS['u'] ?? '', chance.pick([43, 86, 342]))}`;
}

const withChecksum = (prefix: string, chance: Chance): string => {
  const random = chance.letters(BASE62, 30);
  return prefix + random + checksumOf(random);
};

const SPECIAL: Readonly<Record<string, (chance: Chance) => Omit<Sample, 'rule'>>> = {
  'github-token': (chance) => whole(withChecksum(chance.pick(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_']), chance)),
  'npm-token': (chance) => whole(withChecksum('npm_', chance)),
  'private-key': keyBlock,
  // Some are made up of letters that no JSON comes of.
  jwt: (chance) => whole(chance.below(3) === 0 ? fill('eyJ{33:b}.eyJ{60:b}.{43:u}', chance) : jwt(chance)),
  'discord-token': (chance) => {
    const id = Buffer.from(`${1 + chance.below(9)}${chance.letters(DIGITS, 17)}`).toString('base64');
    return whole(`${id}.${chance.letters(ALPHABETS['u'] ?? '', 6)}.${chance.letters(ALPHABETS['u'] ?? '', 38)}`);
  },
  'docker-auth': (chance) => {
    const secret = Buffer.from(`deploy:${password(chance)}`).toString('base64');
    const before = chance.pick(['{"auths":{"ghcr.io":{"auth":"', '{"auths": {"ghcr.io": {\n  "auth": "']);
    return { secret, text: `${before}${secret}"}}}` };
  },
  'basic-credentials': (chance) => {
    const secret = Buffer.from(`deploy:${password(chance)}`).toString('base64');
    return { secret, text: `Authorization: Basic ${secret}` };
  },
};

const whole = (secret: string): Omit<Sample, 'rule'> => ({ secret, text: secret });

function marked(filled: string): Omit<Sample, 'rule'> {
  const [before = '', secret, after = ''] = filled.split(/[«»]/);
  return secret === undefined ? whole(filled) : { secret, text: before + secret + after };
}

/** The templates of each rule: its example, and the other forms of its secrets. */
const FORMS: Readonly<Record<string, readonly string[]>> = {
  ...TEMPLATES,
  ...Object.fromEntries(
    RULES.flatMap(({ name, example }) =>
      example === undefined ? [] : [[name, [example, ...(TEMPLATES[name] ?? [])]]],
    ),
  ),
};

/** Every rule there are samples for. */
export const SAMPLED_RULES: readonly string[] = [
  ...Object.keys(FORMS),
  ...Object.keys(PASSWORD_TEMPLATES),
  ...Object.keys(SPECIAL),
];

/** Number of samples that a rule needs: those of passwords differ most. */
export const samplesOf = (rule: string): number => (rule in PASSWORD_TEMPLATES || rule === 'secret' ? 100 : 25);

/** The n-th sample of a rule; its templates take turns. */
export function sampleOf(rule: string, index: number, chance: Chance): Sample {
  const special = SPECIAL[rule];
  if (special) return { ...special(chance), rule };
  const templates = FORMS[rule];
  if (templates) return { ...marked(fill(templates[index % templates.length] ?? '', chance)), rule };
  const places = PASSWORD_TEMPLATES[rule] ?? [];
  const secret = password(chance);
  const place = places[index % places.length] ?? '';
  const at = place.indexOf('@@');
  return { rule, secret, text: place.slice(0, at) + secret + place.slice(at + 2) };
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** The same with what JSON needs not escape, as PHP and .NET do. */
const escapedMore = (text: string): string =>
  escaped(text)
    .replaceAll('/', '\\/')
    .replaceAll(/[<>&'+=]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const asForm = (text: string): string => new URLSearchParams([['', text.toWellFormed()]]).toString().slice(1);

/** Puts a sample in a larger text. Null if it would not be the same thing there. */
export const CARRIERS: Readonly<Record<string, (sample: Sample, chance: Chance) => Sample | null>> = {
  raw: (sample) => ({ ...sample, text: `Look at this:\n${sample.text}\nand go on.` }),
  'in JSON': (sample) => ({
    ...sample,
    text: JSON.stringify({ type: 'tool_result', content: `Look: ${sample.text}`, n: 1 }),
    secret: escaped(sample.secret),
  }),
  'in JSON in JSON': (sample) => ({
    ...sample,
    text: JSON.stringify({ arguments: JSON.stringify({ input: [sample.text, 'more'] }), n: 1 }),
    secret: escaped(escaped(sample.secret)),
  }),
  'in JSON with signs escaped': (sample) => ({
    ...sample,
    text: `{"type":"tool_result","content":"Look: ${escapedMore(sample.text)}","n":1}`,
    secret: escapedMore(sample.secret),
  }),
  'in JSON in JSON with signs escaped': (sample) => ({
    ...sample,
    text: `{"arguments":"${escapedMore(`{"input":["${escapedMore(sample.text)}","more"]}`)}","n":1}`,
    secret: escapedMore(escapedMore(sample.secret)),
  }),
  'percent-encoded in a URL': (sample) => ({
    ...sample,
    text: `GET https://app.example.net/callback?state=1&data=${encodeURIComponent(sample.text.toWellFormed())}&page=2 HTTP/1.1`,
    secret: encodeURIComponent(sample.secret.toWellFormed()),
  }),
  'in a form': (sample) => ({
    ...sample,
    text: `state=1&data=${asForm(`Look at this: ${sample.text}`)}&page=2`,
    secret: asForm(sample.secret),
  }),
  'after escapes': (sample, chance) => {
    const before = chance.pick(['first line\n', 'a tab\t', 'return\r\n', '"quoted"\n\n']);
    return {
      ...sample,
      text: `{"output":"${escaped(`${before}${sample.text}\tand more`)}"}`,
      secret: escaped(sample.secret),
    };
  },
  'in command output': (sample) => ({
    ...sample,
    text: `$ ./show --all\n\u001b[1;32m${sample.text}\u001b[0m\n[exit 0]\n`,
  }),
  'in a URL': (sample) =>
    /^[\w.~:/+-]+$/.test(sample.text) && sample.text === sample.secret && !/[+/]/.test(sample.text)
      ? { ...sample, text: `GET https://app.example.net/callback?state=1&data=${sample.text}&page=2 HTTP/1.1` }
      : null,
  'in a diff': (sample) => {
    const lines = (text: string): string => text.replaceAll('\n', '\n+');
    const head =
      'diff --git a/app.conf b/app.conf\n--- a/app.conf\n+++ b/app.conf\n@@ -1,2 +1,3 @@\n context\n-gone\n+';
    return { ...sample, text: `${head}${lines(sample.text)}\n more\n`, secret: lines(sample.secret) };
  },
};
