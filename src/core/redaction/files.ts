/** Files that are known to hold secrets: their names, not their contents, may be kept. */
import { wordSet } from '../word-set.ts';

/** Names that say it whatever their folder is. */
const NAMES = wordSet(
  '.npmrc .yarnrc.yml .netrc _netrc .pypirc .git-credentials .htpasswd .pgpass .my.cnf .s3cfg .boto .dockercfg .vault-token .terraformrc terraform.rc ' +
    'credentials credentials.json credentials.yml credentials.yaml credentials.toml credentials.tfrc.json credentials.db client_secret.json client_secrets.json ' +
    'application_default_credentials.json kubeconfig ' +
    'secrets.yml secrets.yaml secrets.json secrets.toml master.key id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk identity ' +
    'terraform.tfstate terraform.tfvars .env .envrc auth.json oauth_creds.json hosts.yml .cargo-credentials wp-config.php shadow .mysql_history ' +
    '.psql_history .bash_history .zsh_history .flaskenv .dev.vars local.settings.json',
);

/** Names that are common, and secret only in a folder of a certain name. */
const IN_FOLDER: Readonly<Record<string, readonly string[]>> = {
  'hosts.yml': ['gh'],
  'auth.json': ['.codex', '.composer', 'opencode', 'containers', '.pi', 'agent', '.local'],
  'config.json': ['.docker'],
  config: ['.aws', '.kube', '.ssh', '.oci'],
  identity: ['.ssh'],
  shadow: ['etc'],
  'credentials.toml': ['.cargo'],
};

/** Ends of names: keys, certificates with keys, key stores, password safes, states and variables of Terraform. */
const ENDS =
  /\.(?:pem|key|p8|p12|pfx|pkcs12|jks|jceks|keystore|bks|kdb|kdbx|ppk|agekey|gpg|asc|ovpn|mobileprovision|tfstate|tfstate\.backup|tfvars|htpasswd|keychain|keychain-db|netrc|pgpass)$/;
/** What has such an end and may be seen by everybody. */
const PUBLIC =
  /(?:^|[._-])(?:pub|public|cert|certs|chain|fullchain|cacert|ca|ca-bundle|bundle|example|sample|template|dist)\.(?:pem|key|asc|gpg|tfvars)$/;
/** `.env.production` holds secrets; `.env.example` shows which there are. */
const ENVIRONMENT = /^(?:\.env[._-].+|.+\.env)$/;
const SHOWN =
  /[._-](?:example|examples|sample|samples|template|tmpl|dist|defaults?|schema|test-example|d\.ts|ts|js|md)$/;
const SERVICE_ACCOUNT =
  /^client_secrets?[._-].*\.json$|^(?:service[-_]?account|gcp[-_]|google[-_]|firebase[-_]adminsdk).*(?:key|cred|account|sdk).*\.json$|^service[-_]?account.*\.json$|-firebase-adminsdk-.*\.json$/;

const COPY = /(?<=.)(?:~|\.(?:bak|old|orig|save|swp))$/;

/** Whether a file is known by its path to hold secrets; `/` and `\` both separate. */
export function isSecretFile(path: string): boolean {
  const parts = path.split(/[/\\]/).filter((part) => part !== '');
  // A copy of it says the same.
  const name = (parts.at(-1) ?? '').toLowerCase().replace(COPY, '');
  const folders = Object.hasOwn(IN_FOLDER, name) ? IN_FOLDER[name] : undefined;
  if (folders) return folders.includes((parts.at(-2) ?? '').toLowerCase()) || name === 'credentials.toml';
  if (NAMES.has(name)) return true;
  if (ENVIRONMENT.test(name)) return !SHOWN.test(name.replace(/\.env$/, '')) && !SHOWN.test(name);
  if (SERVICE_ACCOUNT.test(name)) return true;
  if (/^id_(?:(?:rsa|dsa|ecdsa|ed25519)[\w.-]*|[\w-]+)$/.test(name)) return !name.endsWith('.pub');
  return ENDS.test(name) && !PUBLIC.test(name);
}
