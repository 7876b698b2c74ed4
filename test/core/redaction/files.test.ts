// Names of files that are known to hold secrets.
import { describe, expect, test } from 'vitest';
import { isSecretFile } from '../../../src/core/redaction/files.ts';

describe('files that are known to hold secrets', () => {
  test.each([
    ...[
      '.env',
      'app/.env.local',
      '.env.production',
      'prod.env',
      '.envrc',
      'server.pem',
      'tls/private.key',
      'a.p12',
      'b.pfx',
      'c.jks',
      'd.kdbx',
    ],
    ...[
      '/home/u/.ssh/id_rsa',
      '.ssh/id_ed25519',
      'id_ecdsa',
      'id_rsa_work',
      '.ssh/config',
      '.npmrc',
      '.netrc',
      '_netrc',
      '.pypirc',
      '.git-credentials',
    ],
    ...[
      '.htpasswd',
      '.pgpass',
      '.aws/credentials',
      '.aws/config',
      '.docker/config.json',
      '.kube/config',
      'kubeconfig',
      'terraform.tfstate',
    ],
    ...[
      'prod.tfvars',
      'terraform.tfstate.backup',
      'service-account.json',
      'service_account_prod.json',
      'app-firebase-adminsdk-x1.json',
      'C:\\keys\\my.PEM',
    ],
    ...[
      'credentials.json',
      'client_secret.json',
      'config/master.key',
      'secrets.yaml',
      '.codex/auth.json',
      '.config/gh/hosts.yml',
      'key.ppk',
    ],
    ...['.claude/.credentials.json', '.credentials', '.credentials.json', 'credentials.csv', 'credentials.ini'],
    ...['credentials.xml', 'credentials.yml', 'credentials.yaml', 'credentials.toml', 'rootkey.csv', 'rootkey-2.csv'],
    ...['gcp-credentials.json', 'my-credentials.json', 'aws_credentials.csv', 'firebase-adminsdk.json'],
    ...['.ssh/deploy_key', '.ssh/github_rsa', '/home/u/.ssh/work.key', '.ssh/id', 'keys/deploy_rsa', 'box_ed25519'],
    ...[
      'ci_ecdsa',
      'github_rsa.bak',
      'secrets.properties',
      'secrets.json',
      'secrets.yml',
      'secrets.toml',
      'secrets.env',
    ],
    ...['secret.json', '.secrets', '.secrets.toml', '.vault_pass', 'vault_pass.txt', '.vault-password', 'pgpass.conf'],
    ...['rclone.conf', 'kubeconfig.yaml', 'kubeconfig-prod.yml', 'prod.kubeconfig', 'firebase-adminsdk-x1.json'],
    ...['.m2/settings.xml', '.m2/settings-security.xml', '.databrickscfg', '.vercel/auth.json', 'Secrets.YAML'],
    ...['.env~', 'x.pem.bak', 'id_rsa.old', 'id_github', 'client_secret_123.json', '.dev.vars', '.flaskenv'],
  ])('%s', (path) => expect(isSecretFile(path)).toBe(true));

  test.each([
    ...[
      '.env.example',
      '.env.sample',
      'x/.env.template',
      '.env.dist',
      'env.ts',
      'environment.md',
      'src/auth.json',
      'config.json',
      'src/config',
    ],
    ...[
      'id_rsa.pub',
      'ca.pem',
      'fullchain.pem',
      'public.key',
      'monkey.ts',
      'keyboard.json',
      'token.ts',
      'credentials.ts',
      'readme.md',
      'a/hosts.yml',
    ],
    ...[
      '',
      '/',
      'package-lock.json',
      'tfstate.ts',
      'identity.ts',
      'identity',
      'shadow',
      'tls.pub.pem',
      'example.tfvars.md',
      '.environment',
    ],
    ...['secrets.py', 'secret.ts', 'secrets.md', 'my-credentials.ts', 'credentials-provider.ts', 'credentials.go'],
    ...['example-credentials.json', 'sample_credentials.csv', 'credentials.example.json', 'secrets.example.yaml'],
    ...['.ssh/known_hosts', '.ssh/known_hosts.old', '.ssh/authorized_keys', '.ssh/deploy_key.pub', '.ssh/README.md'],
    ...['test_rsa.py', 'github_rsa.pub', 'sha_ed25519.c', 'rsa', 'settings.xml', 'vault_pass.ts', 'kubeconfig.go'],
    ...['kubeconfig.test.ts', '.secrets.baseline', 'rootkey.ts', 'my.vercel/auth.json', 'templates/secret.yaml'],
    ...['.env.example~', 'notes.bak', 'id_list.txt', 'client_secret.md', '~'],
  ])('not %j', (path) => expect(isSecretFile(path)).toBe(false));
});

test('a path may be long, and a name may not', () => {
  expect(isSecretFile(`/${'a/b\\'.repeat(2000)}.aws/credentials`)).toBe(true);
  expect(isSecretFile(`gcp_${'key'.repeat(80)}.json`)).toBe(true);
  expect(isSecretFile(`gcp_${'key'.repeat(90)}.json`)).toBe(false);
});
