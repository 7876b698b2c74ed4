// Passwords with signs of code and of shells in them, and the names of types that look like passwords.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactValue } from '../../src/secrets/redact.ts';
import { labelOf } from '../support/secrets-text.ts';

const found = (text: string): string[] => findSecrets(text).map(({ start, end }) => text.slice(start, end));

describe('a password with one sign in it', () => {
  const passwords = (sign: string): string[] => [
    `B9bIR${sign}ft8MuJ83`,
    `aB3x9${sign}Zk2Lm8pQ7`,
    `tTue6${sign}Vn4mb261`,
  ];
  const signs = [...'.:/-_@!#$%&*+=?~|^;,<>(){}[]'];

  test.each(signs)('%s, in quotes', (sign) => {
    for (const password of passwords(sign)) {
      expect(found(`password: "${password}"`)).toEqual([password]);
      expect(found(JSON.stringify({ user: 'eva', password }))).toEqual([password]);
      expect(found(`DB_PASSWORD='${password}'\n`)).toEqual([password]);
    }
  });

  test.each(signs)('%s, as the only text after a name on its line', (sign) => {
    for (const password of passwords(sign)) {
      expect(found(`HOST=a\nDB_PASSWORD=${password}\nPORT=1`)).toEqual([password]);
      expect(found(`db:\n  password: ${password}\n  port: 1`)).toEqual([password]);
      expect(found(`+export DB_PASSWORD=${password}`)).toEqual([password]);
      expect(found(`{"out":"DB_PASSWORD=${password}\\nPORT=1"}`)).toEqual([password]);
      expect(found(`{\\"out\\":\\"DB_PASSWORD=${password}\\"}`)).toEqual([password]);
    }
  });

  test.each([
    ['password=aB3x9Zk2Lm8pQ7&next=/Home1', 'aB3x9Zk2Lm8pQ7'],
    ['Password=aB3x9Zk2Lm8pQ7;Server=Db1', 'aB3x9Zk2Lm8pQ7'],
    ['PASSWORD=aB3x9Zk2Lm8pQ7;make', 'aB3x9Zk2Lm8pQ7'],
    ['PASSWORD=aB3x9Zk2Lm8pQ7&&run | tee Log1', 'aB3x9Zk2Lm8pQ7'],
    ['  password: aB3x9Zk2Lm8pQ7,', 'aB3x9Zk2Lm8pQ7'],
  ])('%s ends before what follows', (text, password) => expect(found(text)).toEqual([password]));

  test.each([
    '  password: getX2(aB3),',
    '  password: kX2Y(aB3zQ9pL)',
    "  password: 'i18n.oauth2.title1'",
    '  password: s3://bucket1/key2',
    '  passwd:*all*authentication*tokens*updated*successfully*',
    "$pass = '-anonymous@';",
  ])('%s is none', (text) => expect(found(text)).toEqual([]));
});

describe('two words that a sign joins, and digits', () => {
  const passwords = ['maple.Magnet_2965', 'river.basket2024', 'river/tango4031', 'orbit:maple_12', 'maple.orbit$88'];
  const places: readonly ((password: string) => string)[] = [
    (password) => `DB_PASSWORD="${password}"`,
    (password) => `export DB_PASSWORD='${password}'`,
    (password) => `HOST=a\nDB_PASSWORD=${password}\nPORT=1`,
    (password) => `HOST=a\r\nDB_PASSWORD=${password}\r\nPORT=1`,
    (password) => JSON.stringify({ out: `HOST=a\nDB_PASSWORD=${password}\nPORT=1` }),
    (password) => `environment:\n  - DB_PASSWORD=${password}\n`,
    (password) => `{"Env":["A=b","DB_PASSWORD=${password}"]}`,
    (password) => `db:\n  password: "${password}"\n  port: 1`,
    (password) => `db:\n  password: '${password}' # of the database`,
    (password) => `db:\n  password: >-\n    ${password}\n`,
    (password) => JSON.stringify({ user: 'eva', password }),
    (password) => JSON.stringify(JSON.stringify({ user: 'eva', password })),
    (password) => `const db = { user: "eva", password: "${password}" };`,
    (password) => `CREATE USER eva IDENTIFIED BY '${password}';`,
    (password) => `ALTER ROLE eva WITH PASSWORD '${password}';`,
    (password) => `sshpass -p '${password}' ssh eva@db`,
    (password) => `sshpass -p ${password} ssh eva@db`,
    (password) => `mysql -u eva -p'${password}' shop`,
    (password) => `curl -u 'eva:${password}' https://a.example`,
    (password) => `<password>${password}</password>`,
    (password) => `<add key="x" password="${password}" />`,
    (password) => `Server=db1;User Id=eva;Password=${password};Encrypt=true`,
    (password) => `"Server=db1;Database=shop;Password=${password}"`,
    (password) => `mysql --password='${password}'`,
  ];

  test.each(passwords)('%s', (password) => {
    for (const place of places) expect(found(place(password)), place(password)).toEqual([password]);
    const { value } = redactValue({ user: 'eva', password }, undefined, labelOf);
    expect(value).toEqual({ user: 'eva', password: `[redacted:password:${labelOf(password)}]` });
  });

  test.each([
    ...[
      'password: config.db.password',
      'password: config.value2024',
      'password = config.value2024',
      'token: process.env.X1',
    ],
    ...['"secret": "kv/app/password"', '"password": "kv/database2024"', 'password: "vault:database2024"'],
    ...['"password": "settings.field2024"', "password: 'auth.title123'", '"password": "db.example1"'],
    ...['password: "hmac.sha512"', 'hash_password = "crypt/sha256"', 'password: "base/utf_16"'],
    ...['DB_PASSWORD=config.value2024', 'DB_PASSWORD=river.basket2024;'],
    ...['password: river.basket2024', 'password=river.basket2024,', 'f(password=river.basket2024)'],
    ...['a=river.x;password=river.basket2024;', 'password = `river.basket2024`', '"password": "/etc/river/basket2024"'],
    ...['"password": "user.password2024"', '"passwordFile": "river/basket2024"', '"password": "river.basket2"'],
  ])('%s is none', (text) => expect(found(text)).toEqual([]));
});

describe('the name of a type is no password', () => {
  test.each([
    ...['KdcAdminPassword: XmlStringMaxLen256;', 'TokenProperties?: MaxSize3StringList;', 'password: Base64String;'],
    ...['password: cacheApiKeyResponseOauth2;', 'token: vaultApiKeyFactory2Fa.token,', 'password: getOauth2Token;'],
    ...[
      'secret = kubeV1SecretKeyRef.name;',
      'secret: k8sSecretV1Beta1Ref.name,',
      '{ token: vaultApiKeyFactory2Fa.token }',
    ],
    ...['secretKey: Uint8ArrayLike32;', 'apiKey: ApiKeyV2Response;', 'pub password: Argon2Hash,', 'password: *Sha1Sum'],
    ...['def login(self, password: Pbkdf2Hash):', 'password: Sha256String!', 'password?: Schema$V2SecretRef;'],
    ...[
      'type PasswordResult = CustomAuthResultV2<A>',
      'secret: HmacSha256Key',
      "VAPID_KEY = 'BDOU99-h67HcA6JeFXHbSNMu7e2yNNu3RzoMj8TM4W88jITfq7ZmPvIM1Iv-4_l2LxQcYwhqby2xGpWwzjfAnG4'",
    ],
  ])('%s', (text) => expect(found(text)).toEqual([]));

  test.each([
    'Sommer2024',
    'MyDog2024Rex',
    'Session88',
    'B4seX64StriNg',
    'correctKeyHorse9',
    'mapleRiver24',
    'keyRing2024',
  ])('%s is a password', (password) => expect(found(`password: ${password}`)).toEqual([password]));
  test('a text in quotes with the name of a type is a password', () =>
    expect(found('password: "Argon2Hash77"')).toEqual(['Argon2Hash77']));
  test.each(['getOauth2Token', 'cacheApiKeyResponseOauth2'])('%s is a password directly after its sign', (password) =>
    expect(found(`DB_PASSWORD=${password}`)).toEqual([password]),
  );
});

describe('digits with a letter or two among them', () => {
  const passwords = ['8d8610a9', '7bc46124', '096c9960', '842493257e89', '77177d291597', '3f51b581'];
  const places: readonly ((password: string) => string)[] = [
    (password) => `postgres://svcuser:${password}@db.acme.io/x`,
    (password) => `redis://:${password}@r.acme.io/0`,
    (password) => `https://svcuser:${password}@git.acme.io/x`,
    (password) => `machine h.io login bob password ${password}`,
    (password) => `DB_PASSWORD=${password}`,
    (password) => `{"password": "${password}"}`,
    (password) => `db:\n  password: ${password}\n`,
    (password) => `curl -u admin:${password} https://x.io`,
    (password) => `mysql -u root -p${password} shop`,
    (password) => `CREATE USER a WITH PASSWORD '${password}';`,
    (password) => `Server=db;User Id=sa;Password=${password};`,
  ];

  test.each(passwords)('%s', (password) => {
    for (const place of places) expect(found(place(password)), place(password)).toEqual([password]);
  });

  test.each([
    ['postgres://u:a12b45@h/x', 'a12b45'],
    ['postgres://u:9090907x@h/x', '9090907x'],
    ["password: '9090807x'", '9090807x'],
  ])('%s', (text, password) => expect(found(text)).toEqual([password]));

  test.each([
    ...[
      'token: 3f51b581',
      'secret: 3f51b581',
      'secret_sha=3f51b581',
      'API_KEY=842493257e89',
      'password_commit=3f51b581',
    ],
    ...[
      'password: 86400000n;',
      'pass: 30000000ms',
      'password = 0x12905678',
      'password: 1290e567',
      'pass=20240101T101500Z',
    ],
    ...['{"password":"20240101T101500Z"}', 'DB_PASSWORD=1234567a', '"password": "00000000a"', 'PASSWORD=7bc4612'],
    ...['postgres://u:12ab@h/x', 'https://u:1234567a@h/x', 'https://u:test2024@h/x', 'mysql://root:3306a@h/x'],
    ...['docker pull acme/password-service:7bc46124', 'image: ghcr.io/acme/password-service:7bc46124'],
  ])('%s is none', (text) => expect(found(text)).toEqual([]));

  test('what has begun as one may become one', () => {
    expect(findSecrets('DB_PASSWORD=7bc4', undefined, true)).toHaveLength(1);
    expect(findSecrets('DB_PASSWORD=test1', undefined, true)).toEqual([]);
  });
});

describe('a password in a URL that begins with a dot', () => {
  test.each(['.9ueH5h6UN', '.DUc75F5d1', '.RrCoYNhuP', '.JTwWIBstAP_'])('%s', (password) => {
    expect(found(`postgres://svcuser:${password}@db.acme.io/x`)).toEqual([password]);
    expect(found(`https://svcuser:${password}@git.acme.io/x`)).toEqual([password]);
  });

  test.each(['.*', '.+?', '...', '.password', '.env.local', '.Values.dbCreds', '.{3,8}'])('%s is none', (text) =>
    expect(found(`postgres://svcuser:${text}@db.acme.io/x`)).toEqual([]),
  );
});

describe('in other places', () => {
  const password = 'vG54x6dpVDfpFZCf';
  const token = 'q8Zr3LwN6tYxV2mKc9Jp4HsB';
  test.each([
    [`CREATE LOGIN eva WITH PASSWORD = N'${password}'`, password],
    [`password = [[${password}]]`, password],
    [`password = getpass.getpass() or "${password}"`, password],
    [`const pw = { password: 1 }; const dbPassword = env("PW") ?? '${password}'`, password],
    [`docker login -u eva --password-stdin <<< ${password}`, password],
    [`echo ${token} | npx wrangler secret put API_KEY`, token],
    ['Authorization: GenieKey 3f2b8c1e-9a47-4d6b-8e21-7c5f0a9b1d34', '3f2b8c1e-9a47-4d6b-8e21-7c5f0a9b1d34'],
    ['PUSHER_APP_SECRET=2bd648d8dd99eb439b8d', '2bd648d8dd99eb439b8d'],
    ['aes_key = "9f86d081884c7d659a2feaa0c55ad015"', '9f86d081884c7d659a2feaa0c55ad015'],
    [`password             = "${password}"`, password],
    [`  access_token   :               "${token}"`, token],
    [`"password":          "${password}"`, password],
    [`curl -u admin:'${password}' https://a.example`, password],
    [`curl -u "$USER:${password}" https://a.example`, password],
    [`ldapsearch -H ldap://h -D "cn=admin,dc=example" -w '${password}' -b x`, password],
    [`| SecretAccessKey | ${token} |`, token],
    [`Key         Value\npassword    ${token}\nuser        eva`, token],
    [`proxy_set_header X-Api-Key "${token}";`, token],
    ['PASSWORD=[[zm7OaPUy5VXNSr', '[[zm7OaPUy5VXNSr'],
    ['api_key: Ar5KTXXvak2sumCZ2sEIYOU1XQasdSKI4LVr', 'Ar5KTXXvak2sumCZ2sEIYOU1XQasdSKI4LVr'],
    [`{"o":"pass: ${password}"}`, password],
    [`{\\"o\\":\\"pass: ${password}\\"}`, password],
    [`\u001b[32mpass: ${password}\u001b[0m`, password],
  ])('%s', (text, secret) => expect(found(text)).toEqual([secret]));

  test("behind another command a here-string is nobody's password", () =>
    expect(found(`sudo -S ls; wc -c <<< "${password}"`)).toEqual([]));

  test.each(['tokens', 'accessTokens', 'access_tokens', 'refreshTokens'])('a list of %s', (name) => {
    expect(redactValue({ [name]: ['a word', token] }, undefined, labelOf).value).toEqual({
      [name]: ['a word', `[redacted:secret:${labelOf(token)}]`],
    });
  });

  test.each(['tokens', 'api_keys', 'secrets', 'credentials'])('%s by what they are for', (name) => {
    expect(redactValue({ [name]: { github: token, word: 'a-word' } }, undefined, labelOf).value).toEqual({
      [name]: { github: `[redacted:secret:${labelOf(token)}]`, word: 'a-word' },
    });
  });

  test('finds passwords by their owner, and in reports of passwords', () => {
    const passwords = { eva: password, hash: token, min_length: 'sixteen', hint: password };
    expect(redactValue({ passwords }, undefined, labelOf).value).toEqual({
      passwords: { ...passwords, eva: `[redacted:password:${labelOf(password)}]` },
    });
  });

  test('a list keeps its own name below one of several', () => {
    expect(
      redactValue({ secrets: { passwords: [password] }, public_keys: { tokens: [token] } }, undefined, labelOf).value,
    ).toEqual({
      secrets: { passwords: [`[redacted:password:${labelOf(password)}]`] },
      public_keys: { tokens: [`[redacted:secret:${labelOf(token)}]`] },
    });
  });

  test.each(['token', 'items'])('%s are not several of these', (name) => {
    const value = { [name]: { github: token } };
    expect(redactValue(value, undefined, labelOf).value).toBe(value);
  });
});
