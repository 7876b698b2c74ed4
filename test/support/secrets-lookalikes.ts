// Texts that look like secrets and are none: ids, hashes, placeholders, code, lock files, pictures.
import { type Chance, fill } from './secrets-corpus.ts';

/** Documented examples, put together here so that no scanner takes this file for a leak. */
const AWS_EXAMPLE = `${'AKIA'}IOSFODNN7${'EXAMPLE'}`;
const AWS_SECRET_EXAMPLE = `wJalrXUtnFEMI/K7MDENG/${'bPxRfiCY'}${'EXAMPLEKEY'}`;
const jwtExample = (): string => {
  const part = (text: string): string => Buffer.from(text).toString('base64url');
  const claims = part('{"sub":"1234567890","name":"John Doe","iat":1516239022}');
  return `${part('{"alg":"HS256","typ":"JWT"}')}.${claims}.${'SflKxwRJSMeKKF2QT4fw'}pMeJf36POk6yJVadQssw5c`;
};

/** Each kind with its templates; `{n:x}` is random as in the corpus. */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  'a Git object id': ['commit {40:h}', 'index {7:h}..{7:h} 100644', '{40:h} refs/heads/main', 'Merge: {7:h} {7:h}'],
  'a hash': [
    'sha256:{64:h}',
    '"integrity": "sha512-{86:s}=="',
    'md5 {32:h}  file.tar.gz',
    'ETag: "{32:h}"',
    '{64:h}  dist/ctx.cjs',
  ],
  'a UUID': [
    '{8:h}-{4:h}-4{3:h}-a{3:h}-{12:h}',
    '"session_id":"{8:h}-{4:h}-7{3:h}-8{3:h}-{12:h}"',
    'session_id={8:h}-{4:h}-7{3:h}-8{3:h}-{12:h}',
  ],
  'an id of a conversation': [
    'toolu_01{22:b}',
    'call_{24:b}',
    'msg_01{22:b}',
    'req_011{21:b}',
    '"id":"resp_{48:h}"',
    'chatcmpl-{29:b}',
    '"uuid":"{8:h}-{4:h}-{4:h}-{4:h}-{12:h}"',
  ],
  'a picture': [
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA{200:s}',
    '"data":"/9j/4AAQSkZJRgABAQAAAQABAAD{300:s}"',
    'url(data:font/woff2;base64,d09GMgABAAAAA{160:s})',
  ],
  'a signature': ['"signature":"EqQB{160:s}=="', '"encrypted_content":"gAAAAABo{200:u}"'],
  'minified code': [
    'function t(e,n){return e.token===n.token?e:n.tokenize(e,"a1b2")}var o={k:"x1",p:1e3};',
    '!function(){var e=window.pass,t=e&&e.password;t||(e.password=n(12))}();',
    'const a=b.secret?c.secret:d(e),f=g.apiKey||h.getApiKey(i.j,"k1");',
  ],
  'a lock file': [
    '"node_modules/a": {"version": "1.2.3", "resolved": "https://registry.example.net/a/-/a-1.2.3.tgz", "integrity": "sha512-{86:s}=="}',
    'github.com/pkg/errors v0.9.1 h1:{43:s}=',
    'checksum = "{64:h}"',
    'resolution: {integrity: sha512-{86:s}==}',
    '"content-hash": "{32:h}"',
  ],
  'a source map': [
    '//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2Vz{120:b}',
    '"mappings":"AAAA,SAASA,{4:L},{6:L};{5:L}"',
  ],
  'a placeholder': [
    'API_KEY=your-api-key-here',
    'PASSWORD=changeme',
    'TOKEN=<your-token>',
    'SECRET=xxxxxxxxxxxxxxxxxxxxxxxx',
    'password: "********"',
    'DB_PASSWORD=$' + '{DB_PASSWORD}',
    'api_key: {{ secrets.API_KEY }}',
    'token: $' + '{{ secrets.GITHUB_TOKEN }}',
    'export API_TOKEN="$(cat token.txt)"',
    'PASSWORD=%PASSWORD%',
    'client_secret: <redacted>',
    'sk-ant-api03-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'sk-proj-your-key-goes-here-your-key-goes-here-1',
    'AUTH_TOKEN=insert-your-token-here-1234',
    'Authorization: Bearer YOUR_ACCESS_TOKEN_HERE',
    'Authorization: Bearer $' + '{token}',
    "Authorization: 'Bearer ' + token",
  ],
  'code about secrets': [
    'const token = process.env.GITHUB_TOKEN;',
    'password: z.string().min(8).max(128),',
    'function getToken(request: Request): string | null {',
    'if (password !== confirmPassword2) return;',
    'secret = os.environ["APP_SECRET"]',
    'apiKey: config.get("openai.apiKey1"),',
    'token: string;',
    'this.accessToken = response.data.access_token;',
    'const secretKey = await deriveKey2(master, salt);',
    'password = form.cleaned_data["password1"]',
    'self.token_type = TokenType.IDENTIFIER2',
    'let apiKey: string | undefined = undefined;',
    'expect(login.password).toBe(user.password2)',
    'APIKey:     PostHogAPIKeyV2,',
    '--- PASS: TestParseHookEvent_TurnStart2 (0.00s)',
    'passed: 12, failed: 0',
    'tokens = tokenizer.encode(text)',
    '<input type="password" name="password2" required>',
    'token = next_token(stream, lookahead1)',
    'secretName: my-app-secret',
    'passwordHash: bcrypt.hash(pw, 10)',
    'key: "KeyboardShortcut2"',
    'SECRET_NAME=prod/app/db1',
    'PASSWORD_FILE=/run/secrets/db1',
    'private_key_path = "~/.ssh/id_ed25519"',
    'PWD=/home/user/project1',
    'max_tokens: 4096',
    '"input_tokens":1843,"output_tokens":977,"cache_read_input_tokens":22641',
    'token_endpoint: https://id.example.net/oauth2/token',
    'git_token_sha={40:h}',
    'DEFAULT_PASSWORD_HASHER=PBKDF2PasswordHasher',
    'passwd:x:1000:1000::/home/a:/bin/bash',
    'PASSWORD=getUserPasswordFromEnvironment',
    "password: 'EnterYourNewPasswordHere'",
    'password: HTTPSConnectionURLParser',
    'setenv PASSWORD_FILE /run/secrets/db1',
    'ENV TOKEN_URL https://id.example.net/a1b2',
    'password: "^(?=.*[a-z])(?=.*[A-Z])[a-zA-Z0-9]{8,}$"',
    'secret: "projects/my-app/secrets/db-pass1/versions/latest"',
    'session={40:h}',
  ],
  'a hash of a password': [
    'hashed_password=$2b$12\u0024{53:b}',
    '"password": "$argon2id$v=19$m=65536,t=3,p=4\u0024{22:b}\u0024{43:b}"',
    "'password': 'pbkdf2_sha256$600000\u0024{22:b}\u0024{43:s}='",
    'password = scrypt:32768:8:1\u0024{16:b}\u0024{128:h}',
    'password: $6\u0024{16:b}\u0024{86:b}',
  ],
  'an address': ['tokenAddress: "0x{40:h}"', 'token: 0x{40:h}', 'const token = "0x{40:H}";', '"api_key": "0x{40:h}"'],
  'a URL with a placeholder': [
    'https://<user>:<password>@example.net/x',
    'https://%s:%s@example.net/x',
    'https://USERNAME:ACCESS_TOKEN@example.net/x',
    'postgres://shop:shop@localhost/shop',
    'mongodb://user:pass@db.example.net/x',
    'https://user:xxx@example.net/x',
    'docker://alpine:latest@sha256:{64:h}',
    'jdbc:oracle:thin:scott/tiger@db.example.net:1521:x',
    'redis://:password@cache:6379/0',
    'http://host:port@example.net',
  ],
  'a test constant': [
    "password: 'password123'",
    'password = "test1234"',
    'token: "test-token"',
    'API_KEY=test',
    "secret: 'my-secret'",
    'login("admin", "admin123")',
    'apiKey: "fake-api-key-123456"',
    'postgres://postgres:postgres@localhost:5432/test',
    'mysql://root:root@127.0.0.1/app',
    'redis://localhost:6379/0',
    'https://user:password@example.com/path',
    'amqp://guest:guest@localhost',
    'token="dummy-token-for-tests-0001"',
    '"password": "secret"',
    'JWT_SECRET=development-secret',
  ],
  'a public key': [
    '-----BEGIN CERTIFICATE-----\nMIID{60:s}\n{64:s}\n{64:s}\n-----END CERTIFICATE-----',
    '-----BEGIN PUBLIC KEY-----\nMIIB{60:s}\n{64:s}\n-----END PUBLIC KEY-----',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{43:s} me@laptop',
    'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{300:s}= me@laptop',
    'pk_live_{24:b}',
    'SHA256:{43:s}',
  ],
  'a URL': [
    'https://example.net/a/b?id={8:d}&page=2#top',
    'git@github.com:owner/repo.git',
    'ssh://git@example.net:2222/a.git',
    'https://me@example.net/x',
    'http://[::1]:8080/a@b',
    'https://example.net/@scope/name@1.2.3',
    'https://cdn.example.net/assets/index-{8:b}.js',
  ],
  'a word with a prefix of a key': [
    'task-runner-and-scheduler-with-many-words-in-it',
    'disk-usage-analyzer-for-large-file-systems',
    'hf_hub_download',
    'npm_config_registry',
    'npm_package_version',
    'gho_st',
    'pat-terns',
    'key-value',
    'sk_buff',
    'xai-tools',
    're_compile_pattern_with_flags',
    'glpat-…',
    'SK-II',
    'pul-request',
    'dapi-docs',
    'AIzawa',
    'cio-analysis',
    'us-east-1',
    'dp.test.example',
  ],
  'a page token': [
    '"nextPageToken":"{40:b}"',
    'next_page_token={32:b}',
    '"continuationToken": "{48:b}"',
    '"cursor":"{40:b}"',
  ],
  'a number': [
    '1769040000',
    '2026-01-22T09:01:14.123Z',
    '+49 30 {8:d}',
    'pid {5:d}',
    '0x{16:h}',
    '{3:d}.{3:d}.{2:d}.{1:d}:8080',
    'order {12:d}',
  ],
  prose: [
    'The password must have at least 8 characters.',
    'A token: what is it? See section 4.2 for more.',
    'Basic usage: run the tool twice.',
    'Tokens are counted, secrets are not kept.',
    'machine learning with login and password fields',
    'pass 1 of 2: done',
    'bearer of good news and of bad ones too',
    'the secret is patience, the key is 42',
  ],
};

const SPECIAL: Readonly<Record<string, () => string>> = {
  'a documented example': () => `aws_access_key_id = ${AWS_EXAMPLE}`,
  'a documented secret': () => `aws_secret_access_key = ${AWS_SECRET_EXAMPLE}`,
  'the token of jwt.io': () => `Authorization: Bearer ${jwtExample()}`,
  'encoded data': () =>
    Buffer.from('{"name":"a value","list":[1,2,3],"text":"nothing secret at all in here"}').toString('base64'),
};

export const LOOKALIKE_KINDS: readonly string[] = [...Object.keys(TEMPLATES), ...Object.keys(SPECIAL)];

/** The n-th text of a kind. */
export function lookalikeOf(kind: string, index: number, chance: Chance): string {
  const special = SPECIAL[kind];
  if (special) return special();
  const templates = TEMPLATES[kind] ?? [];
  return fill(templates[index % templates.length] ?? '', chance);
}
