/** Whether a file that is known to hold secrets may be named in a text: a single search, for a look at each path in it costs far more. */
import { lazily } from '../lazily.ts';
import { searchBytes } from './prefilter.ts';

/** One of these stands in each path that `isSecretFile` takes, in any case; what it takes more needs its sign here (a test sees to it). */
const SIGNS =
  // Names, and parts of several.
  'npmrc credential dockerc yarnrc netrc pypirc htpasswd pgpass my.cnf s3cfg .boto htdigest vault terraform databrickscfg rclone ' +
  'secret kubeconfig identity auth.json oauth_creds hosts.yml .cargo wp-config shadow _history flaskenv .dev.vars local.settings ' +
  'kaggle accesstokens msal_token twurlrc sentryclirc password pg_service accesskeys rootkey ' +
  // Names that count in some folders alone.
  '.ssh /config \\config huggingface .config profiles.yml ngrok.yml keys.txt gradle.properties settings.xml settings-security ' +
  // Ends.
  '.pem .key .p8 .p12 .pfx .pkcs12 .jks .jceks keystore .bks .kdb .ppk .agekey .gpg .asc .ovpn mobileprovision .tfstate .tfvars keychain ' +
  // Environments, accounts of services, keys, and what is mounted.
  '.env env.local env.prod env.staging env.dev env.test sa-key sa_key sa-cred sa_cred service-account service_account serviceaccount ' +
  'gcp- gcp_ google- google_ firebase wg0 wg1 wg2 wg3 wg4 wg5 wg6 wg7 wg8 wg9 id_ _rsa _dsa _ecdsa _ed25519 /environ ' +
  // A letter may be written as JSON in a text has it.
  'u002 u003 u004 u005 u006 u007';
/** Or as addresses have it. */
const ESCAPED = /%[2-7][0-9a-f]/i;

const search = lazily(() => searchBytes([{ words: SIGNS.split(' '), anyCase: true, target: true }]));

/** @param text a text, or JSON: its escapes stand in no name */
export function mayNameSecretFile(text: string): boolean {
  let isNamed = text.includes('%') && ESCAPED.test(text);
  search()(text, 0, () => {
    isNamed = true;
  });
  return isNamed;
}
