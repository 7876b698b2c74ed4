/** Rules: secrets that are handed to a command, or to a call in code beside a user. */
import { BARE, type Rule } from './rule.ts';

/** Other arguments of a command, in front of the one that counts. */
const WORDS = '[ -!#-&(-:=-Z_a-z~]{0,28}?';

/** A password as a word of a shell or of a file of settings. */
export const BARE_WORD = `${BARE}{4,72}`;

export const COMMAND_RULES: readonly Rule[] = [
  {
    name: 'curl-user',
    finds: 'passwords after `curl -u user:` and `wget --user=`',
    keywords: ['-u ', '-u=', '--user ', '--user='],
    pattern: String.raw`--?u(?:ser)?[ =][\\"']{0,4}[A-Za-z0-9_.@%+-]{1,64}:([!#-&(-[\]-~]{4,128})`,
    after: 'any',
    entropy: 0,
    checks: ['curl', 'password'],
    certainty: 'context',
  },
  {
    name: 'command-password',
    finds:
      'passwords after `sshpass -p`, `docker login -p`, `az login -p`, `mysql -p` and `redis-cli -a`, what `gh secret set --body` sets, and the tokens of `vault login` and `kubeadm join`',
    keywords: [
      ...[
        'sshpass -p',
        'docker login ',
        'podman login ',
        'helm registry login ',
        'twine upload ',
        'redis-cli ',
        'gh secret set ',
      ],
      ...['mysql ', 'mysqldump ', 'mysqladmin ', 'mariadb ', 'kubeadm join ', 'az login ', 'vault login '],
    ],
    pattern: String.raw`(?:sshpass -p ?|(?:(?:docker|podman|helm registry) login|twine upload) ${WORDS}-p |az login (?:--service-principal )?(?:-{1,2}u(?:sername)? [!-~]{1,40} )?-p |vault login (?![a-z]{1,20}=)|redis-cli ${WORDS}-a |(?:mysql(?:dump|admin)?|mariadb) ${WORDS}(?<= )-p(?!ort=)|kubeadm join [a-z0-9.:-]{1,40} --token[ =]|gh secret set ${WORDS}(?:--body|-b)[ =])\\{0,7}["']?(${BARE_WORD})`,
    isBare: true,
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'server-password',
    finds:
      'passwords after `mongosh -p`, `sqlcmd -P`, `ldapsearch -w` and `zip -P`, and what `requirepass` and `masterauth` set',
    keywords: [
      ...['mongo ', 'mongosh ', 'mongodump ', 'mongorestore ', 'sqlcmd ', 'ldapsearch ', 'ldapmodify '],
      ...['requirepass ', 'masterauth ', 'zip -P '],
    ],
    pattern: String.raw`(?:(?:mongo(?:sh|dump|restore)|sqlcmd|ldap(?:search|modify)) ${WORDS}-[pPw] |mongo -u [A-Za-z0-9_.@-]{1,24} -p |requirepass |masterauth |zip -P )["'\\]{0,4}(${BARE_WORD})`,
    isBare: true,
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'login-token',
    finds:
      'tokens that are given to `npm config set`, `doppler configure set token`, `ngrok config add-authtoken`, `cargo login` and `snyk auth`',
    keywords: [
      ':_authToken ',
      'configure set token ',
      'add-authtoken ',
      'ngrok authtoken ',
      'cargo login ',
      'snyk auth ',
    ],
    pattern: String.raw`(?::_authToken|configure set token|add-authtoken|ngrok authtoken|cargo login|snyk auth) ["'\\]{0,4}([A-Za-z0-9._~+/=-]{16,200})`,
    before: 'any',
    checks: ['opaque'],
    certainty: 'context',
  },
  {
    name: 'call-password',
    finds:
      'what is given beside a user to `HTTPBasicAuth`, `auth=(…)` and `twilio(…)`, and to `ConvertTo-SecureString`',
    keywords: [
      'httpbasicauth(',
      'httpdigestauth(',
      'auth=(',
      'auth = (',
      'twilio(',
      'client("ac',
      "client('ac",
      'client(\\',
      'convertto-securestring ',
    ],
    anyCase: true,
    pattern: String.raw`(?:(?:http(?:basic|digest)auth\(|auth ?= ?\(|twilio\(|client\()\\{0,7}["'][!#-&(-[\]-~]{1,64}\\{0,7}["'],[ \t]{0,4}|convertto-securestring (?:-string )?)\\{0,7}["']([!#-&(-[\]-~]{6,128})(?=\\{0,7}["'])`,
    flags: 'i',
    before: 'any',
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
];
