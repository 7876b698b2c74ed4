// Values beside their names: behind signs, colours and line ends of every kind, and what stands there without being a secret.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../../src/core/redaction/find.ts';
import { Chance, fill } from '../../support/secrets-corpus.ts';

const chance = new Chance(31);
/** What is found in a template, and what should be: `«` and `»` stand around it. */
function look(template: string): { found: string[]; secret: string } {
  const [before = '', secret = '', after = ''] = fill(template, chance).split(/[«»]/);
  const text = before + secret + after;
  return { found: findSecrets(text).map(({ start, end }) => text.slice(start, end)), secret };
}
function expectFound(template: string): void {
  const { found, secret } = look(template);
  expect(found).toEqual([secret]);
}
const expectNone = (text: string): void =>
  expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([]);

describe('what only stands near such a name is spared', () => {
  test.each([
    '["user_password","created_at2","item_3b"]',
    '["user_password","created_at2"]',
    'MovedAttribute("HTTPPasswordMgr", "urllib2", "urllib.request")',
    'host all all "password", "scram-sha-256"',
    "['curle_ftp_user_password_incorrect', 'curle_ftp_weird_227_format']",
    'password_encryption = scram-sha-256',
    'password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256',
    'password: |\n    13 is the number of lines',
    '12→password: |\n13→  {{ vault_password }}',
    'password: !secret wifi_2g',
    'token: !Ref AppToken2Parameter4Name',
    '{"password": "Contrase\\u00f1a"}',
    '{"text": "{\\"password\\": \\"Contrase\\\\u00f1a\\"}"}',
    fill('PUBLISHABLE_KEY=pk_test_51{60:b}', chance),
    fill('STRIPE_KEY=pk_live_51{60:b}', chance),
    fill('ENV GPG_KEY {40:H}', chance),
    fill('GPG_KEY: {40:H}', chance),
    'secret="settings.secrets.rotateEvery90d"',
    fill('"nextPageToken": "{48:b}"', chance),
    fill('NextToken: {48:b}', chance),
    fill('next_token={48:b}', chance),
    fill('"nextForwardToken": "f/{56:d}"', chance),
    fill('"prev_page_token": "{24:b}"', chance),
    fill('sync_token = "{24:b}"', chance),
    'root:root@tcp(127.0.0.1:3306)/app',
    'user:password@tcp(db:3306)/app',
    '%s:%s@tcp(%s:%d)/%s',
    'cvs://:pserver:anoncvs@host.example.net/x',
    '\u001b[32mPASS\u001b[0m: TestNameOfThing2',
    'private_key: ed25519.Ed25519PrivateKey,',
    'const pass = !this.result.issues1',
    '--- PASS: TestParseHookEvent_TurnStart2 (0.00s)',
    'pass: login2',
    'pass: login2!work (3 ms)',
    'PASS: Kalomi42!x',
    '  private credentials: OAuth2Client;',
    '  token: Base64Encoder,',
    'OUTPUT_KEY = "ec2InstanceId"',
    '"Resource": "arn:aws:lambda:*:*:function:sagemaker-*"',
    '"Resource": "arn:aws:secretsmanager:us-east-1:123456789012:secret:prod-db1*"',
    '"arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestSecret-Ca8JGt"',
    'DB_PASSWORD=$K8S_DB_PW1',
    'mysql --password="$K8S_DB_PW2" shop',
    'postgres://app:$K8S_DB_PW1@db:5432/shop',
    'password = @K8S_DB1_PW@',
    'secret: $ZodCIDRv6',
    'storageKey: "uploads/0b5f2a60-93d1-4c57-8e21-7a6d0f3c9b18.png"',
    'storage_key = "avatars/5d41402abc4b2a76b9719d911017c592.webp"',
    'sessionKey: "agent:main:subagent:0b5f2a60-93d1-4c57-8e21-7a6d0f3c9b18"',
    'resetPassword("bob42@corp.io")',
    'keytar.findPassword("my-service1")',
    "cy.typePassword('#pw-field2')",
    'hash_password("sha256")',
    'deleteApiKey("0b5f2a60-93d1-4c57-8e21-7a6d0f3c9b18")',
    'pwd "my-app2"',
    'shell.pwd("my-app2")',
    'docker run --name mongo -p 27017:27017/tcp mongo',
    'docker exec mongo mkdir -p backups/2024-01',
    't=s.mustBeStringOrUint8Array(e)',
    'password = EVP_BytesToKey',
    'password = hashlib.pbkdf2',
    'password: zod/v3',
    '"token.js": "./token.DC7d2Pf8.js"',
    'secret: "./index-Bqjv9TxC.mjs"',
    'password: >-\n    base64-encoded password of the admin user',
    '"Authorization": "a1b2c3d4-e5f6-4a7b-8c9d-0e1f2a3b4c5d"',
    'authorization: 0x5FbDB2315678afecb367f032d93F642f64180aa3',
    'No password provided: falling-back2 to default',
    'DB_PASSWORD\tVARCHAR2',
    'the field password "user_field2"',
    'apiKeyUuid: 457eb676-33da-42ec-9a8c-9293d545c337',
    "'password' => 'required|string|min:8|confirmed'",
    fill('RECAPTCHA_SITE_KEY={40:B}', chance),
    'wasm-opt --asyncify --pass-arg=asyncify-imports@env.await_promise_sync',
    'in their original positions--pass `strict=False2`.',
    "'secret': 'V1SecretVolumeSource',",
    'private_key: PKCS7PrivateKeyTypes,',
    'client_auth_class = OAuth2ClientAuth',
    '    Next page token: eav1OzQB0OM8rLdGXOEsyQWSG',
    "--sasl-password='projects/123/secrets/my-secret/versions/1'",
    'Basic SFNT/TrueType tables definitions',
    '`Basic Operations for Tables <https://docs.example.net/WorkingWithTables.Basics.html>`',
    '"secret-stack": "~6.4.2-beta.1+build.5f5bdc6"',
    'var accessToken: OAuth2Token?',
    'password = scmVersion=',
    'pwdLastSet: 9254738162736451',
    'password: 1769040000123',
    'password = strawberryfields',
    'password: asdfasdfasdf',
    'echo build-42-done | tee -a log | sudo tee x',
    'echo v1-beta2 | sudo tee version',
    'unzip -P "$ZIP_PASSWORD1" a.zip',
    'lftp -u deploy,$PASSWORD1 sftp://x',
    'net user deploy /delete2',
    "jwt.sign(payload, 'my-signing-key-2')",
    'https%3A%2F%2Fshop%3Ashop%40db.example.net',
  ])('%s', expectNone);
});

describe('what such a name has behind or before it does not hide it', () => {
  test.each([
    'NEXT_AUTH_SECRET=«q/eS1kEgim76K+mPmSZBsDRF33xTEm+KwsRN3HVCOtI=»',
    'next_password: «kQ9.zT4-mmW2xx»',
    'NEXT_AUTH_PASSWORD=«kQ9.zT4-mmW2xx»',
    'NEXT_PRIVATE_API_KEY=«{32:b}»',
    'nextAuthSecret: "«{43:b}»"',
    '{"nextSessionSecret": "«{32:h}»"}',
    'MY_NEXT_SECRET=«{32:b}»',
    'api_key_prod = "«{32:b}»"',
    '"api_key_live":"«{32:h}»"',
    'openai_api_key_2: «{32:b}»',
    '--api-key-staging «{32:b}»',
    'AZURE_PAT = "«{52:b}»"',
    "$env:AZURE_PAT = '«{52:b}»'",
    '{"t":"{\\"AZURE_PAT\\": \\"«{52:b}»\\"}"}',
    'Incorrect API key provided: «{32:b}»',
    'setDbPassword("«Kalomi42!x»")',
    'db.password("«Kalomi42!x»")',
    '{"t":"Client(\\"AC0123456789abcdef\\", \\"«Kalomi482!x»\\")"}',
    'SESSION_SECRET=«Falconvelvet1880*»',
    '"access_token":"«Orange5ummer39?»"',
    'JWT_SECRET=«@tdSEaSS8=H0»',
    'API_TOKEN=«Winter_monkey823?»',
    '{"token":"«vRsPum9g!UD#XC0L»"}',
    'on the login page password: «Kalomi42!x»',
    'COMPOSITE_KEY=«{32:b}»',
    'WEBSITE_KEY=«{32:b}»',
  ])('%s', expectFound);
});

describe('all of it is found, and nothing else', () => {
  test.each([
    'openssl rsa -in k.pem -passin pass:«Kalomi42!x» -out x',
    'openssl enc -aes-256-cbc -pass pass:«Kalomi42!x» -in x',
    "openssl enc -aes-256-cbc -pass 'pass:«Kalomi42!x»'",
    '$(openssl enc -pass pass:«Kalomi42x7»)',
    '["openssl", "enc", "-pass", "pass:«Kalomi42!x»"]',
    '{"t":"openssl enc -pass \\"pass:«Kalomi42!x»\\""}',
    'openssl enc -pass "pass:«Ab1x9»"',
    'openssl enc -pass "pass:«S3cr!»"',
    'openssl enc -pass pass:«Ab1x9» -in x',
    '["openssl", "enc", "-pass", "pass:«Ab1x9»"]',
    'DB_PASSWORD=«pass:Kalomi42!x»',
    'requirepass «{64:h}»',
    'requirepass «Kalomi482!x», and so on',
    'see `mongosh -u root -p «Kalomi482!x»` (prod)',
    'OUT=$(sqlcmd -U sa -P «Kalomi482!x»)',
    '`db:5432:shop:app:«Kalomi482!x»`',
    'password: >-\n  «w5kt5JABz&-1Qx9»\nnext: 1',
    'password: >+\n  «w5kt5JABz&-1Qx9»\nnext: 1',
    '    12\tpassword: |\n    13\t  «w5kt5JABz&-1Qx9»\n    14\tnext: 1',
    '    12→password: >-\n    13→  «w5kt5JABz&-1Qx9»\n    14→next: 1',
    'app.yml:12: password: |\n13:   «w5kt5JABz&-1Qx9»\n14: next: 1',
    '{"text":"12\\tpassword: |\\n13\\t  «w5kt5JABz&-1Qx9»\\n14\\tnext: 1"}',
    '12→password =\n13→  "«w5kt5JABz&-1Qx9»"',
    '<key>masterKey</key><string>«N8H=pssNcNmn9F;u%Zgm=Dy.»</string>',
    '\\u0022password\\u0022:\\u0022«abC9xY2q\\u0026dEf1gh7»\\u0022',
    '\\u0022setenv DB_PASSWORD «Kalomi42!x»\\u0022',
    '\\u0022ENV DB_PASSWORD «Kalomi42!x»\\u0022',
    'ds.setPassword(\\u0022«Kalomi42!x»\\u0022)',
    'os.getenv(\\u0022DB_PASSWORD\\u0022, \\u0022«Kalomi42!x»\\u0022)',
    'new NetworkCredential(\\u0022app\\u0022, \\u0022«Kalomi42!x»\\u0022)',
  ])('%s', expectFound);
});

describe('in a list of two a value belongs to its name', () => {
  test.each([
    '["--password", "«Kalomi42!x»", "db"]',
    '["password", "«Kalomi42!x»"]',
    'auth.set("password", "«Kalomi42!x»")',
    "define('DB_PASSWORD', '«Kalomi42!x»');",
    '{\\"args\\": [\\"password\\", \\"«Kalomi42!x»\\"]}',
    '{"name": "DB_PASSWORD", "value": "«Kalomi42!x»"}',
  ])('%s', expectFound);
});

describe('a finding ends before what follows it', () => {
  test.each([
    'q=%22«xoxb-829471650332-470261839557-{24:b}»%22&n=1',
    'It is «pscale_tkn_{43:b}».',
    '«xoxd-{60:b}%2B{20:b}%3D»;',
  ])('%s', expectFound);
});

describe('behind the sign of a diff, an escape or a colour a name begins', () => {
  test.each([
    '-OPENAI_KEY=«{32:h}»',
    '+OPENAI_KEY=«{32:h}»',
    '-RAILS_MASTER_KEY=«{32:h}»',
    '-SECRET_KEY=«{50:b}»',
    '\u001b[36mOPENAI_KEY=«{32:h}»',
    '\u001b[1;36mOPENAI_KEY=«{32:h}»',
    '\\u001b[36mOPENAI_KEY=«{32:h}»',
    'X=1\\nDD_APP_KEY=«{40:h}»',
    'X=1\\tDD_APP_KEY=«{40:h}»',
    'q=1%0ADD_APP_KEY=«{40:h}»',
  ])('%s', expectFound);

  test('and a token without a name', () => {
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = fill(`${part({ alg: 'HS256' })}.${part({ iss: 'https://id.example.net' })}.{43:b}`, chance);
    for (const before of ['-', '_', '\n-', '\\n-', ' context\n_', '\u001b[31m-']) {
      const [found] = findSecrets(`${before}${token}\n`);
      expect(found, before).toEqual({ rule: 'jwt', start: before.length, end: before.length + token.length });
    }
  });
});

describe('between a name and its value colours do not count', () => {
  test.each([
    '\u001b[32mDB_PASSWORD\u001b[0m: \u001b[33m«Kalomi42!x»\u001b[0m',
    'AWS_SECRET_ACCESS_KEY\u001b[0m=\u001b[33m«{40:b}»\u001b[0m',
    '"token"\u001b[0m: \u001b[32m"«{40:b}»"\u001b[0m',
    '\u001b[34;1m"token"\u001b[0m\u001b[1;39m:\u001b[0m \u001b[0;32m"«{40:b}»"\u001b[0m',
    '\\u001b[32mDB_PASSWORD\\u001b[0m: \\u001b[33m«Kalomi42!x»\\u001b[0m',
    '\\x1b[32mDB_PASSWORD\\x1b[0m: \\x1b[33m«Kalomi42!x»\\x1b[0m',
    '\u001b[01;31m\u001b[KPASSWORD\u001b[m\u001b[K=«Kalomi42!x»',
    'app.env:\u001b[01;31m\u001b[Kpass\u001b[m\u001b[K: «Kalomi42!x»',
  ])('%j', expectFound);
});

describe('without quotes behind a colon and a blank', () => {
  test.each([
    'OPENAI_KEY: «{32:h}»',
    'RAILS_MASTER_KEY: «{32:h}»',
    'ENCRYPTION_KEY: «{64:h}»',
    'ENCRYPTION_KEY: «{43:s}=»',
    'DB_PASS: «bMOeEeUtuieeCIxV»',
    'ansible_become_pass: «Kalomi42!x»',
    'pass = «Kalomi42!x»',
    'pass: «Kalomi42!x»',
    'smtp:\n  user: app\n  pass: «bMOeE4Utu7eeCIxV»\n  port: 25',
    '{\\n  pass: «Kalomi42!x»\\n}',
  ])('%s', expectFound);
});

describe('in other languages of settings, code and text', () => {
  test.each([
    'variable "db_password" { default = "«Kalomi42!x»" }',
    'variable "db_password" {\n  type = string\n  default = "«Kalomi42!x»"\n}',
    '#define API_KEY "«{32:b}»"',
    'const storageAccountKey string = "«{86:b}==»"',
    'let storageAccountKey: string = "«{86:b}==»";',
    '<add key="storageAccountKey" value="«{86:b}==»"/>',
    'azureOpenAiKey := "«{32:h}»"',
    'openaiKey := "«{32:b}»"',
    'azureOpenAiKey   = "«{32:h}»"',
    'const openaiKey string = "«{32:b}»"',
    'az storage blob list --account-name x --account-key «{86:b}==»',
    "run --azure-storage-key '«{86:b}==»'",
    'var jwtKey = []byte("«f8Kq2Lm9Xw4Zr7Tb1Nc6Vd3Hs5Gj0Py»")',
    'jwtSecret := []byte("«{32:b}»")',
    'password := []byte("«Kalomi42!x»")',
    'auth{Secret: []byte(`«{32:b}»`)}',
    '{"t":"jwtSecret := []byte(\\"«{32:b}»\\")"}',
    'var jwtSecret []byte = []byte("«{32:b}»")',
    'process.env.API_TOKEN || "«{32:b}»"',
    'process.env.API_TOKEN ?? "«{32:b}»"',
    '<password><![CDATA[«Kalomi42!x»]]></password>',
    '\u001b[36m<\u001b[34mpassword>«Tr0ub4dor-zq9»',
    '<a title="x>y" password>«Tr0ub4dor-zq9»',
    '"\\x3cpassword>«Tr0ub4dor-zq9»"',
    '&#60;password>«Tr0ub4dor-zq9»',
    'Password> «Tr0ub4dor-zq9»',
    'token=&quot;«{40:b}»&quot;',
    '&quot;token&quot;: &quot;«{40:b}»&quot;',
    'access_token%3D«{40:b}»%26n%3D1',
    '%22token%22%3A%22«{40:b}»%22',
    'password%20%3D%20%22«{20:b}»%22',
    'db_password%3A%20«{20:b}»%0Anext',
    'https%3A%2F%2Fhooks.slack.com%2Fservices%2F«T{10:A}%2FB{10:A}%2F{24:b}»',
    '?v=«1%2F%2F0{60:u}»&x=2',
    '?v={10:d}%3A«AA{33:u}»&x=2',
    '?v=«AAAA{7:u}%3AAPA91b{134:u}»&x=2',
    '?v=«whsec_{20:b}%2B{11:b}»&x=2',
    'AccountKey%3D«{40:b}%2F{45:b}%3D%3D»',
    'Content-Disposition: form-data; name="password"\r\n\r\n«Kalomi42!x»\r\n--x',
    '"name=\\"password\\"\\r\\n\\r\\n«Kalomi42!x»\\r\\n--x"',
    '**Password:** `«Kalomi42!x»`',
    'Secret key: «{40:b}»',
    'SECRET KEY=«{40:b}»',
    '"Secret key": "«{40:b}»"',
    '{"t":"{\\"Secret key\\": \\"«{40:b}»\\"}"}',
    '| Secret key | «{40:b}» |',
    '| Access key | `«{40:b}»` |',
    '**Secret key**: `«{40:b}»`',
    'Access key: «{40:b}»',
    'Encryption key: «{43:s}=»',
    'Private key: «{64:h}»',
    'Signing key: «{64:h}»',
    'Master key = «{32:b}»',
    'License key: "«{40:h}»"',
    'Deploy key: «{40:b}»',
    '**Password**: «Kalomi42!x»',
    '| DB_PASSWORD | «Kalomi42!x» |',
    '| password | `«Kalomi42!x»` |',
    'Passwort: «Kalomi42!x»',
    'mot_de_passe=«Kalomi42!x»',
    'PresharedKey = «{43:s}=»',
    'Ocp-Apim-Subscription-Key: «{32:h}»',
    'x-functions-key: «{52:b}»',
    'Authorization: SSWS «00{40:b}»',
    '"Authorization": "token «{40:h}»"',
    '{"Authorization":"ApiKey «{32:b}»"}',
    "setRequestHeader('Authorization', 'Token «{40:h}»')",
    "HTTP_AUTHORIZATION='Token «{40:h}»'",
    "HTTP_AUTHORIZATION = 'Token «{40:h}»'",
    "headers['Authorization'] = 'Token «{40:h}»'",
    "'Authorization' => 'Token «{40:h}»'",
  ])('%s', expectFound);

  test.each([
    '| password | Base64-encoded |',
    '| DB_PASSWORD | the password of user db1 |',
    'name = password || user.name1',
    '**Password** must have 8 letters',
    'openssl enc -pass pass:$PW1 -pass "pass:$PW12345" -pass env:MYPASS2 -pass file:./a/b2.txt',
    'openssl enc -pass pass:x1',
    'openssl enc -pass "pass:test1" -pass "pass:%s" -passin pass:1234',
    'azureKey   = "name-of-the-key-in-the-vault2"',
    'cacheKey  := "9f86d081884c7d659a2feaa0c55ad015"',
    'primaryKey string = "9f86d081884c7d659a2feaa0c55ad015"',
    '--account-key "$AZURE_STORAGE_KEY2"',
    'account-key 9f86d081884c7d659a2feaa0c55ad015',
    'password := []byte("password1")',
    'jwtSecret := []byte(os.Getenv("JWT_SECRET_2"))',
    'jwtKey = []byte(b4.z7.kX2Qq9)',
    'tokens := []byte("next token of the lexer2")',
    'Secret key: the one that you were given',
    'The secret key: see settings.secrets.rotateEvery90d',
    'Secret key ids: 9f86d081884c7d659a2feaa0c55ad015',
    'Access key: your-access-key-goes-here',
    '| Secret key | string | Base64-encoded |',
    'Master key: primaryKeyOfTheTable2',
    'Deploy key: SHA256:jfUNU7Fqkp0xOJWpFhmuVQCoaSSEBHIlEWc6LF/2z9k',
    'Signing key: 9DC858229FC7DD38854AE2D88D81803C0EBFCD88',
    'Signing key: 8D81803C0EBFCD88',
    'Private key: /etc/ssl/private/server-2024.key',
    'Private key: ed25519',
    'a private key.',
    'sshpass -p "$PASSWORD1" ssh a@b',
    'docker login -u bob -p $TOKEN2 ghcr.io',
    "IDENTIFIED BY 'password1'",
    'impasse = variable2x',
    "'Authorization': 'Token ' + tokenOfTheUser2",
    "'Authorization': 'Token your-token-goes-here'",
    '"Authorization", "token authentication-scheme"',
  ])('but not %s', expectNone);
});

describe('a value below its name', () => {
  test.each([
    '- name: DB_PASSWORD\n  value: «Kalomi42!x»',
    '"- name: DB_PASSWORD\\n  value: «Kalomi42!x»"',
    '+- name: DB_PASSWORD\n+  value: «Kalomi42!x»',
    '   12\t- name: DB_PASSWORD\n   13\t  value: «Kalomi42!x»',
    '   12→- name: "DB_PASSWORD"\n   13→  value: "«Kalomi42!x»"',
    '"   12\\t- name: DB_PASSWORD\\n   13\\t  value: «Kalomi42!x»"',
    'aeg-sas-key: «WbQb5mhW4rdRD0fldWMHC3AcQgr0Pc72bB6ZyneC5NI=»',
    '-Dsonar.login=«6f1ed002ab5595859014ebf0951522d9c07e4b3a»',
    'sonar.login: "«6f1ed002ab5595859014ebf0951522d9c07e4b3a»"',
    'contrasena=«Xk29dkqLw8»',
    'k8s/f.yml:12:- name: DB_PASSWORD\nk8s/f.yml:13:  value: «Kalomi42!x»',
    '2026-01-01T00:00:00.0000000Z - name: DB_PASSWORD\r\n2026-01-01T00:00:00.0000001Z   value: «Kalomi42!x»',
    '> - name: DB_PASSWORD\n>   value: «Kalomi42!x»',
    '10:11:12 INFO [app.core] - name: DB_PASSWORD\n10:11:12 INFO [app.core]   value: "«Kalomi42!x»"',
  ])('%j', expectFound);

  test('but not below any other', () => {
    expectNone('reads DB_PASSWORD\n12: its value: Kalomi42x');
  });
});
