/** Files that are known to hold secrets: their names, not their contents, may be kept. */
import { wordSet } from '../core/word-set.ts';

/** Names that say it whatever their folder is. */
const NAMES = wordSet(
  '.npmrc .aws-credentials .dockerconfigjson .yarnrc.yml .netrc _netrc .pypirc .git-credentials .htpasswd .pgpass .my.cnf .s3cfg .boto .dockercfg .htdigest .vault-token .terraformrc terraform.rc ' +
    '.databrickscfg .curlrc .wgetrc .token apikey.txt github_token.txt pgpass.conf rclone.conf .rclone.conf .secrets ' +
    'credentials .credentials credentials.tfrc.json credentials.db client_secret.json client_secrets.json kubeconfig ' +
    'master.key id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk identity ' +
    'terraform.tfstate terraform.tfvars .env .envrc auth.json oauth_creds.json hosts.yml .cargo-credentials wp-config.php shadow .mysql_history ' +
    '.psql_history .bash_history .zsh_history .flaskenv .dev.vars local.settings.json kaggle.json accesstokens.json ' +
    'msal_token_cache.json .twurlrc .sentryclirc .secret .password .passwords .pg_service.conf accesskeys.csv ' +
    '.python_history .node_repl_history .sqlite_history .rediscli_history fish_history .irb_history',
);

const GOOGLE = ['google', 'gmail', '.gmail-mcp', 'gcal', 'gdrive', 'youtube'];

/** Names that are common, and secret only in a folder of a certain name; none is that of a path without one. */
const IN_FOLDER: Readonly<Record<string, readonly string[]>> = {
  'hosts.yml': ['gh'],
  'auth.json': ['.codex', '.composer', 'opencode', 'containers', '.pi', 'agent', '.local', '.vercel', 'com.vercel.cli'],
  'config.json': ['.docker', '.mc', '.railway'],
  'config.yml': ['doctl', '.fly'],
  config: ['.aws', '.kube', '.ssh', '.oci', 'op', '.snowsql', '.bundle'],
  token: ['.huggingface', 'huggingface'],
  // File of Google's libraries, if they run as well; elsewhere it describes colours or coins.
  'token.json': [
    '',
    '.',
    '~',
    'credentials',
    '.credentials',
    'creds',
    'secrets',
    '.secrets',
    'oauth',
    '.config',
    ...GOOGLE,
  ],
  hub: ['.config'],
  'profiles.yml': ['.dbt'],
  'ngrok.yml': ['.ngrok2', 'ngrok'],
  'keys.txt': ['.age', 'age'],
  'gradle.properties': ['.gradle'],
  identity: ['.ssh'],
  shadow: ['etc'],
  'settings.xml': ['.m2'],
  'settings-security.xml': ['.m2'],
};

/** Ends of names: keys, certificates with keys, key stores, password safes, states and variables of Terraform. */
const ENDS =
  /\.(?:pem|key|p8|p12|pfx|pkcs12|jks|jceks|keystore|bks|kdb|kdbx|ppk|agekey|gpg|ovpn|mobileprovision|tfstate|tfstate\.backup|tfvars(?:\.json)?|kubeconfig|htpasswd|keychain|keychain-db|netrc|pgpass)$/;
/** Texts that are signed or encrypted have the same end as keys that are written so. */
const ARMOURED = /(?:key|secret|secring|private|priv)[^/]*\.asc$/;
/** Matches files that have such an end and may be seen by everybody. */
const PUBLIC =
  /(?:^|[._-])(?:(?:pub|public|example|sample|template|dist)\.(?:pem|key|asc|gpg|tfvars(?:\.json)?)|(?:cert|certs|chain|fullchain|cacert|ca|ca-bundle|bundle)\.(?:pem|asc|gpg|tfvars))$/;
/** `.env.production` holds secrets; `.env.example` shows which there are. */
const ENVIRONMENT = /^(?:\.env[._-].+|.+\.env|env\.(?:local|prod|production|staging|dev|development|test))$/;
const SHOWN =
  /[._-](?:example|examples|sample|samples|template|tmpl|dist|defaults?|schema|test-example|d\.ts|ts|js|md)$/;
const SERVICE_ACCOUNT =
  /^client_secrets?[._-].*\.json$|^sa[-_](?:key|creds?|credentials)\.json$|^(?:service[-_]?account|gcp[-_]|google[-_]).*(?:key|cred|account|sdk).*\.json$|^firebase[-_]adminsdk.*\.json$|^service[-_]?account.*\.json$|-firebase-adminsdk-.*\.json$/;
/** Files of settings and tables that are called after what they hold; source code of such a name is none. */
const CALLED_SO = [
  /^\.?(?:(?!(?:examples?|samples?|template|dummy|fake|mock)[-_])[\w-]+[-_])?credentials\.(?:csv|ini|xml|ya?ml|json|toml)$/,
  /^\.?(?:secrets\.(?:properties|ini|ya?ml|json|toml)|secret\.json|passwords?\.(?:txt|csv|ini)|rootkey[\w-]*\.csv|vault[-_]pass(?:word)?(?:\.txt)?)$/,
  /^(?:application|bootstrap)-secrets\.(?:properties|ya?ml)$|^secrets?\.txt$/,
  /^kubeconfig[\w-]*\.(?:ya?ml|json|conf)$/,
  /^wg\d{1,3}\.conf$/,
];
const MANIFEST = /^secret\.(?:ya?ml|toml|ini|properties)$/;
/** Keys that are named after what they are for and how they were made, a machine's own too. */
const KEY = /_(?:rsa|dsa|ecdsa|ed25519)(?:_key)?$/;
/** Matches other files beside keys. */
const BESIDE_KEYS =
  /^(?:known_hosts|authorized_keys2?|allowed_signers|revoked_keys|environment|rc)$|\.(?:pub|md|txt|sh|sock)$/;

/** Matches an editor's name for a file that is not saved yet. */
const EDITED = /^#(.+)#$/;
const COPY = /(?<=.)(?:~|\.(?:bak|old|orig|save|swp))$/;

/** No file has a longer name, and its folder is before it. */
const LONGEST_NAME = 255;
const LONGEST_END = 2 * LONGEST_NAME + 10;

/** Matches files that no disk has: the environment of a process, and what a container is given. */
const MOUNTED = /^(?:\w+:\/\/)?\/(?:proc\/[^/]{1,20}\/environ|(?:var\/)?run\/secrets\/.+)$/;

/** Returns whether a file is known by its path to hold secrets; `/` and `\` both separate. */
export function isSecretFile(path: string): boolean {
  const parts = path
    .slice(-LONGEST_END)
    .split(/[/\\]/)
    .filter((part) => part !== '');
  const last = parts.at(-1) ?? '';
  if (MOUNTED.test(path.slice(0, LONGEST_END))) return true;
  if (last.length > LONGEST_NAME) return false;
  // A copy of it says the same.
  const name = last.toLowerCase().replace(COPY, '').replace(EDITED, '$1');
  const folder = (parts.at(-2) ?? '').toLowerCase();
  if (folder === '.ssh') return !BESIDE_KEYS.test(name);
  const folders = Object.hasOwn(IN_FOLDER, name) ? IN_FOLDER[name] : undefined;
  if (folders) return folders.includes(folder);
  if (NAMES.has(name) || KEY.test(name) || CALLED_SO.some((pattern) => pattern.test(name))) return true;
  // A template of a chart only says which there are.
  if (MANIFEST.test(name)) return folder !== 'templates';
  if (ENVIRONMENT.test(name)) return !SHOWN.test(name.replace(/\.env$/, '')) && !SHOWN.test(name);
  if (SERVICE_ACCOUNT.test(name)) return true;
  if (/^id_(?:(?:rsa|dsa|ecdsa|ed25519)[\w.-]*|[\w-]+)$/.test(name)) return !name.endsWith('.pub');
  return (ENDS.test(name) || ARMOURED.test(name)) && !PUBLIC.test(name);
}
