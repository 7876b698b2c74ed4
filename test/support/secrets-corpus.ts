// Secrets of every kind that nobody ever had, and texts that only look like one: made anew from a seed, from pieces, so
// that nothing in the repository looks like a secret to a scanner.
import { checksumOf } from '../../src/core/redaction/checksum.ts';

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
  s: `${BASE62}+/`,
  U: `${UPPER}234567`,
  M: 'ABCDEFGHIJKL',
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
export function password(chance: Chance): string {
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

/** A rule's samples: templates whose secret stands between « and », or is all of it. Prefixes stand apart from what follows. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  'openai-key': [
    'sk-proj-{74:u}T3BlbkFJ{74:u}',
    'sk-svcacct-{58:u}T3BlbkFJ{58:u}',
    'sk-{20:b}T3BlbkFJ{20:b}',
    'sk-admin-{40:u}',
  ],
  'anthropic-key': [
    'sk-ant-api03-{93:u}AA',
    'sk-ant-admin01-{93:u}AA',
    'sk-ant-oat01-{93:u}AA',
    'sk-ant-ort01-{93:u}AA',
  ],
  'openrouter-key': ['sk-or-v1-{64:h}'],
  'langfuse-key': ['sk-lf-{8:h}-{4:h}-{4:h}-{4:h}-{12:h}'],
  'sk-key': ['sk-{32:h}', 'sk-{48:b}', 'sk-{32:a}'],
  'groq-key': ['gsk_{52:b}'],
  'xai-key': ['xai-{80:b}'],
  'perplexity-key': ['pplx-{48:b}'],
  'replicate-token': ['r8_{37:b}'],
  'huggingface-token': ['hf_{34:L}', 'api_org_{34:L}'],
  'langsmith-key': ['lsv2_pt_{32:h}_{10:h}', 'lsv2_sk_{32:h}_{10:h}'],
  'nvidia-key': ['nvapi-{64:u}'],
  'elevenlabs-key': ['sk_{48:h}'],
  'tavily-key': ['tvly-{32:b}', 'tvly-dev-{32:b}'],
  'cerebras-key': ['csk-{48:a}'],
  'pinecone-key': ['pcsk_{6:b}_{63:b}'],
  'github-fine-grained-token': ['github_pat_{22:b}_{59:b}'],
  'gitlab-token': [
    'glpat-{20:u}',
    'gldt-{20:u}',
    'glrt-{20:u}',
    'glptt-{40:h}',
    'glcbt-{5:h}_{20:u}',
    'glpat-{27:u}.01.{9:a}',
  ],
  'gitlab-runner-token': ['GR1348941{20:u}'],
  'pypi-token': ['pypi-AgEIcHlwaS5vcmc{150:u}', 'pypi-AgENdGVzdC5weXBpLm9yZw{120:u}'],
  'rubygems-key': ['rubygems_{48:h}'],
  'crates-token': ['cio{32:b}'],
  'nuget-key': ['oy2{43:a}'],
  'docker-token': ['dckr_pat_{27:u}', 'dckr_oat_{32:u}'],
  'artifactory-key': ['AKCp{69:b}', 'cmVmd{59:b}'],
  'clojars-token': ['CLOJARS_{60:a}'],
  'bitbucket-token': ['ATBB{32:b}'],
  'atlassian-token': ['ATATT3{186:u}', 'ATCTT3{186:u}'],
  'circleci-token': ['CCIPAT_{22:b}_{40:h}'],
  'buildkite-token': ['bkua_{40:a}'],
  'sonar-token': ['squ_{40:h}', 'sqp_{40:h}', 'sqa_{40:h}'],
  'linear-key': ['lin_api_{40:b}', 'lin_oauth_{64:h}'],
  'postman-key': ['PMAK-{24:h}-{34:h}'],
  'sentry-token': ['sntryu_{64:h}', 'sntrys_eyJ{120:b}_{43:b}'],
  'figma-token': ['figd_{40:u}'],
  'notion-token': ['ntn_{11:d}{35:b}', 'secret_{43:b}'],
  'airtable-token': ['pat{14:b}.{64:h}'],
  'aws-access-key': ['AKIA{16:U}', 'ASIA{16:U}'],
  'aws-secret-key': [
    'aws_secret_access_key = «{40:s}»',
    'AWS_SECRET_ACCESS_KEY=«{40:s}»',
    '"SecretAccessKey": "«{40:s}»"',
    "secretAccessKey: '«{40:s}»'",
  ],
  'aws-bedrock-key': ['ABSK{128:s}', 'bedrock-api-key-{200:b}'],
  'aws-signature': ['https://s3.example.net/o?X-Amz-Date=20260101T000000Z&X-Amz-Signature=«{64:h}»'],
  'google-api-key': ['AIza{35:u}'],
  'google-oauth-secret': ['GOCSPX-{28:u}'],
  'google-oauth-token': ['ya29.{160:u}', '1//0{60:u}'],
  'azure-storage-key': [
    'AccountName=store;AccountKey=«{86:s}==»;EndpointSuffix=core.windows.net',
    'SharedAccessKeyName=Root;SharedAccessKey=«{43:s}=»',
  ],
  'azure-identifiable-key': ['{76:b}AZDO{4:b}', '{76:s}+ASt{6:s}==', '{76:s}ACDb{6:s}=='],
  'azure-service-key': ['{52:b}JQQJ99{1:b}{1:M}{16:b}{1:L}{7:b}'],
  'azure-client-secret': ['{3:b}8Q~{34:u}'],
  'azure-sas-signature': ['?sv=2024-11-04&sr=b&sig=«{43:b}%3D»', '?sv=2024-11-04&sig=«{20:b}%2B{21:b}%3D»&se=2026'],
  'digitalocean-token': ['dop_v1_{64:h}', 'doo_v1_{64:h}'],
  'cloudflare-key': ['cfut_{48:b}', 'cfat_{48:b}', 'v1.0-{24:h}-{146:h}'],
  'alibaba-key': ['LTAI{20:b}'],
  'tencent-key': ['AKID{32:b}'],
  'heroku-key': ['HRKU-AA{58:u}'],
  'fly-token': ['fo1_{43:u}', 'fm2_{300:s}'],
  'vercel-token': ['vcp_{56:b}', 'vck_{56:b}', 'vercel_blob_rw_{16:b}_{30:b}'],
  'netlify-token': ['nfp_{36:b}'],
  'supabase-key': ['sb_secret_{31:u}', 'sbp_{40:h}'],
  'planetscale-token': ['pscale_tkn_{43:b}', 'pscale_pw_{43:b}'],
  'neon-key': ['napi_{64:a}'],
  'databricks-token': ['dapi{32:h}', 'dapi{32:h}-3'],
  'vault-token': ['hvs.{90:u}', 'hvb.{140:u}'],
  'terraform-token': ['{14:b}.atlasv1.{67:b}'],
  'pulumi-token': ['pul-{40:h}'],
  'doppler-token': ['dp.pt.{43:b}', 'dp.st.dev_personal.{43:b}'],
  'onepassword-token': ['ops_eyJ{400:b}', 'A3-{6:A}-{6:A}-{5:A}-{5:A}-{5:A}-{5:A}'],
  'age-key': ['AGE-SECRET-KEY-1{58:A}'],
  'tailscale-key': ['tskey-auth-{17:b}-{32:b}', 'tskey-api-{17:b}-{32:b}'],
  'slack-token': [
    'xoxb-{12:d}-{12:d}-{24:b}',
    'xoxp-{12:d}-{12:d}-{12:d}-{32:h}',
    'xapp-1-A{10:A}-{13:d}-{64:h}',
    'xoxe.xoxp-1-{160:b}',
  ],
  'slack-webhook': ['https://hooks.slack.com/services/«T{10:A}/B{10:A}/{24:b}»'],
  'stripe-key': ['sk_live_{99:b}', 'rk_live_{24:b}', 'sk_test_{24:b}'],
  'webhook-secret': ['whsec_{32:b}', 'whsec_{44:s}'],
  'twilio-key': ['SK{32:h}'],
  'sendgrid-key': ['SG.{22:u}.{43:u}'],
  'mailgun-key': ['key-{32:h}'],
  'mailchimp-key': ['{32:h}-us14', '{32:h}-us6'],
  'telegram-token': ['{10:d}:«AA{33:u}»'],
  'discord-webhook': ['https://discord.com/api/webhooks/{18:d}/«{68:u}»'],
  'shopify-token': ['shpat_{32:h}', 'shpss_{32:h}'],
  'square-token': ['sq0atp-{22:u}', 'sq0csp-{43:u}', 'EAAA{60:u}'],
  'facebook-token': ['EAAB{160:b}', 'EAAG{140:b}'],
  'hubspot-token': ['pat-na1-{8:h}-{4:h}-{4:h}-{4:h}-{12:h}', 'pat-eu1-{8:h}-{4:h}-{4:h}-{4:h}-{12:h}'],
  'newrelic-key': ['NRAK-{27:A}'],
  'grafana-token': ['glsa_{32:b}_{8:h}', 'glc_eyJ{100:b}'],
  'dynatrace-token': ['dt0c01.{24:A}.{64:A}'],
  'posthog-key': ['phx_{43:b}'],
  'brevo-key': ['xkeysib-{64:h}-{16:b}'],
  'resend-key': ['re_{8:b}_{24:b}'],
  'easypost-key': ['EZAK{54:b}', 'EZTK{54:b}'],
  'bearer-token': [
    'Authorization: Bearer «{40:b}»',
    'curl -H "authorization: bearer «{32:h}»" https://api.example.net',
    "headers: { Authorization: 'Bearer «{43:u}»' }",
  ],
  'session-cookie': [
    'Cookie: theme=dark; sessionid=«{32:a}»; lang=en',
    'Set-Cookie: connect.sid=«s%3A{32:u}.{43:b}»; Path=/',
  ],
  secret: [
    'API_KEY=«{32:b}»',
    'export SERVICE_SECRET="«{40:h}»"',
    '"token": "«{40:b}»"',
    'api_key: «{32:h}»',
    "const accessToken = '«{48:u}»';",
    '--api-key «{36:b}»',
    'client_secret=«{32:b}»&grant_type=client_credentials',
    '<add key="ApiKey" value="«{32:b}»" />',
    '{"name": "MAIL_TOKEN", "value": "«{32:b}»"}',
    'X-Api-Key: «{40:b}»',
    '//registry.example.net/:_authToken=«{36:b}»',
    'os.environ["BOT_TOKEN"] = "«{32:b}»"',
    'apiKey: string = "«{32:b}»"',
    '["--token", "«{32:b}»"]',
    'auth_token => «{32:h}»',
    '?access_token=«{40:b}»&expires=3600',
  ],
};

/** Passwords in their places: `@@` is where a password goes. */
const PASSWORD_TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  'database-url-password': [
    'postgres://app:@@@db.example.net:5432/shop',
    'mongodb+srv://svc:@@@cluster0.example.net/x',
    'redis://:@@@cache:6379/0',
    'amqp://worker:@@@queue.example.net',
  ],
  'url-password': [
    'https://deploy:@@@git.example.net/team/app.git',
    'ftp://files:@@@ftp.example.net/in',
    'smtp://mailer:@@@smtp.example.net:587',
  ],
  'connection-string-password': [
    'Server=db.example.net;Database=shop;User Id=app;Password=@@;Encrypt=true',
    'Host=db;Username=app;Pwd=@@;',
  ],
  'curl-user': [
    'curl -u deploy:@@ https://api.example.net/v1',
    'curl -s --user deploy:@@ -X POST https://api.example.net',
  ],
  'netrc-password': ['machine api.example.net login deploy password @@'],
  password: [
    'PASSWORD=@@',
    'DB_PASSWORD="@@"',
    '"password": "@@"',
    'password: @@',
    '--password @@',
    '--db-password=@@',
    '<password>@@</password>',
    "smtpPass = '@@'",
    'PGPASSWORD=@@ psql',
    'MYSQL_PWD=@@',
  ],
};

const SPECIAL: Readonly<Record<string, (chance: Chance) => Omit<Sample, 'rule'>>> = {
  'github-token': (chance) => whole(withChecksum(chance.pick(['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_']), chance)),
  'npm-token': (chance) => whole(withChecksum('npm_', chance)),
  'private-key': keyBlock,
  jwt: (chance) => whole(jwt(chance)),
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

/** Every rule there are samples for. */
export const SAMPLED_RULES: readonly string[] = [
  ...Object.keys(TEMPLATES),
  ...Object.keys(PASSWORD_TEMPLATES),
  ...Object.keys(SPECIAL),
];

/** The n-th sample of a rule; its templates take turns. */
export function sampleOf(rule: string, index: number, chance: Chance): Sample {
  const special = SPECIAL[rule];
  if (special) return { ...special(chance), rule };
  const templates = TEMPLATES[rule];
  if (templates) return { ...marked(fill(templates[index % templates.length] ?? '', chance)), rule };
  const places = PASSWORD_TEMPLATES[rule] ?? [];
  const secret = password(chance);
  const place = places[index % places.length] ?? '';
  const at = place.indexOf('@@');
  return { rule, secret, text: place.slice(0, at) + secret + place.slice(at + 2) };
}

const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/** Where a sample stands in a larger text. Null where it would not be the same thing there. */
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
