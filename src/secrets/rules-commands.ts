/** Rules: secrets that are handed to a command, or to a call in code beside a user. */
import { BARE, type Rule } from './rule.ts';

/** Other arguments of a command, in front of the one that counts. */
const WORDS = '[ -!#-&(-:=-Z_a-z~]{0,28}?';

/** A quote in any depth of escaping, also written as an escape itself. */
const MARK = String.raw`(?:["']|\\{1,31}(?:["']|u002[27]))`;

/** From one argument of a list to the next, without the quote that this one begins with: also on the next line, which may be escaped. */
const NEXT_ARGUMENT = String.raw`\\{0,31}["'],[ \t\r\n+\\nrt]{0,32}`;
/** Other arguments between the command and the one that counts. */
const ARGUMENTS = String.raw`${NEXT_ARGUMENT}(?:["'][!#-&(-[\]-~]{0,40}${NEXT_ARGUMENT}){0,6}`;
/** The beginning of the next argument, behind a flag. */
const GIVEN = `${NEXT_ARGUMENT}["']`;

/** A password as a word of a shell or of a file of settings. */
export const BARE_WORD = `${BARE}{4,72}`;

/** Commands that read a password or a secret from their standard input. */
const READERS =
  '(?:sudo (?:-S|chpasswd)|chpasswd|(?:docker|podman|helm registry) login|gcloud secrets |vercel env add |gh (?:auth login|secret set )|(?:docker|podman) secret create |firebase functions:secrets:set |(?:(?:npx|bunx|pnpm|yarn) )?wrangler (?:pages )?secret put )';

export const COMMAND_RULES: readonly Rule[] = [
  {
    name: 'curl-user',
    finds: 'passwords after `curl -u user:`, `wget --user=`, `http -a user:` and `etcdctl --user user:`',
    keywords: ['-u ', '-u=', '--user ', '--user=', 'curl -', 'http -a', 'https -a'],
    pattern: String.raw`(?:--?u(?:ser)?[ =]|curl (?:-[A-Za-z]{1,8} )?-[A-Za-z]{0,4}u|https? -a )[\\"']{0,32}[A-Za-z0-9_.@%+\${}-]{1,64}[\\"']{0,16}:[\\"']{0,16}([!#-&(-[\]-~]{4,128})`,
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
    pattern: String.raw`(?:sshpass -p ?|(?:(?:docker|podman|helm registry) login|twine upload) ${WORDS}-p |az login (?:--service-principal )?(?:-{1,2}u(?:sername)? [!-~]{1,40} )?-p |vault login (?![a-z]{1,20}=)|redis-cli ${WORDS}-a |(?:mysql(?:dump|admin)?|mariadb) ${WORDS}(?<= )-p(?!ort=)|kubeadm join [a-z0-9.:-]{1,40} --token[ =]|gh secret set ${WORDS}(?:--body|-b)[ =])(?:\\{0,7}["'])?(${BARE_WORD})`,
    isBare: true,
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'argument-password',
    finds:
      'passwords that `sshpass`, `curl`, `mysql`, `redis-cli`, `docker login` and `mongosh` are given in a list of arguments (`["mysql", "-p…"]`)',
    keywords: ['"-p', "'-p", '"-u', "'-u", '"--user', "'--user", '"-a', "'-a"],
    pattern: String.raw`(?:(?<=sshpass${NEXT_ARGUMENT})["']-p(?:${GIVEN})?|(?<=(?:curl|wget)${ARGUMENTS})["']-(?:u|-user)(?:${GIVEN}|=)?[A-Za-z0-9_.@%+-]{1,64}:|(?<=(?:mysql(?:dump|admin)?|mariadb)${ARGUMENTS})["']-p(?!ort)|(?<=redis-cli${ARGUMENTS})["']-a${GIVEN}|(?<=(?:login|mongo(?:sh|dump|restore)?)${ARGUMENTS})["']-p${GIVEN})([!#-&(-[\]-~]{4,128})(?=["'\\])`,
    before: 'any',
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'server-password',
    finds:
      'passwords after `mongosh -p`, `sqlcmd -P`, `ldapsearch -w`, `zip -P` and `openssl enc -k`, what `requirepass` and `masterauth` set, and the first password that MySQL writes into its log',
    keywords: [
      ...['mongo ', 'mongosh ', 'mongodump ', 'mongorestore ', 'sqlcmd ', 'ldapsearch ', 'ldapmodify '],
      ...['requirepass ', 'masterauth ', 'zip -P ', 'openssl enc ', 'is generated for root@localhost: '],
    ],
    pattern: String.raw`(?:(?:mongo(?:sh|dump|restore)|sqlcmd|ldap(?:search|modify)) ${WORDS}-[pPw] |ldap(?:search|modify) (?:-[A-Za-z]{1,3} (?:[!-,.-~][!-~]{0,60} )?){1,4}-w |mongo -u [A-Za-z0-9_.@-]{1,24} -p |requirepass |masterauth |is generated for root@localhost: |zip -P |openssl enc (?:[!-~]{1,40} ){0,9}?-k )["'\\]{0,32}(${BARE_WORD})`,
    isBare: true,
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'tool-password',
    finds:
      'passwords after `unzip -P`, `7z -p`, `lftp -u user,`, `smbclient -U user%`, `xfreerdp /p:`, `mosquitto_pub -P`, `snmpwalk -A`, `htpasswd -b file user`, `rabbitmqctl add_user user`, `net user name`, and what `aws ssm put-parameter` sets as `SecureString`',
    keywords: [
      ...['unzip ', '7z ', '7za ', 'lftp ', 'open -u ', 'smbclient ', 'freerdp ', 'freerdp3 '],
      ...['mosquitto_pub ', 'mosquitto_sub ', 'snmpwalk ', 'snmpget ', 'htpasswd -', 'net user ', 'put-parameter '],
      ...['rabbitmqctl add_user ', 'rabbitmqctl change_password '],
    ],
    // Only so are they seen by their rarest letters: most end as words of every day do. The same below.
    anyCase: true,
    pattern: String.raw`(?:(?:unzip|7za?|freerdp3?|lftp|open|mosquitto_(?:pub|sub)|s(?:nmp(?:walk|get)|mbclient)) ${WORDS}(?:/p:|-(?:[PAX] |p(?! )|u ["'\\]{0,16}[A-Za-z0-9_.@-]{1,40},|U ["'\\]{0,16}[A-Za-z0-9_.-]{1,40}%))|htpasswd -[A-Za-z]{1,8} [!-~]{1,60} [A-Za-z0-9_.@-]{1,40} |rabbitmqctl (?:add_user|change_password) [!-~]{1,40} |net user [A-Za-z0-9_.-]{1,40} |put-parameter --name [!-~]{1,60} --type SecureString --value )["'\\]{0,16}(${BARE}{4,16})`,
    before: 'any',
    isBare: true,
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'piped-password',
    finds:
      'what `echo` gives to `chpasswd`, `sudo -S`, `docker login`, `wrangler secret put` and others that read a password or a secret, also as `<<<`',
    keywords: ['echo ', '<<<'],
    anyCase: true,
    late: true,
    pattern: String.raw`(?:echo (?=[^|\r\n]{4,160}\| ?${READERS})(?:-[neE]{1,3} )?|(?<=${READERS}[ -%'-:=?-Z\\\]-{}~]{0,80})<<< ?)["'\\]{0,32}(?:[a-z_][a-z0-9_-]{0,31}:)?([!#-&(-[\]-{}~]{4,128})`,
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'login-token',
    finds:
      'tokens that are given to `npm config set`, `doppler configure set token`, `ngrok config add-authtoken`, `cargo login` and `snyk auth`, of `sonar.login=`, and what a sentence says that an API key is',
    example: 'npm config set //npm.example.net/:_authToken «{40:b}»',
    keywords: [
      ':_authToken ',
      'configure set token ',
      'add-authtoken ',
      'ngrok authtoken ',
      'cargo login ',
      'snyk auth ',
      'API key is ',
      'api key is ',
      'sonar.login',
    ],
    pattern: String.raw`(?:(?::_authToken|configure set token|add-authtoken|ngrok authtoken|cargo login|snyk auth|(?:API|api) key is) |sonar\.login["'\\]{0,32} ?[:=] ?)["'\\]{0,32}([A-Za-z0-9._~+/=-]{16,200})`,
    before: 'any',
    checks: ['opaque'],
    certainty: 'context',
  },
  {
    name: 'call-password',
    finds:
      'the password that is given with a user to `HTTPBasicAuth`, `auth=(…)`, `twilio(…)`, `NetworkCredential`, `getConnection`, `new PDO` and `mysqli`, and to `ConvertTo-SecureString`',
    keywords: [
      'networkcredential(',
      'getconnection(',
      'pdo(',
      'mysqli(',
      'mysqli_connect(',
      'httpbasicauth(',
      'httpdigestauth(',
      'auth=(',
      'auth = (',
      'twilio(',
      'twilio")(',
      "twilio')(",
      'client("ac',
      "client('ac",
      'client(\\',
      'convertto-securestring ',
    ],
    anyCase: true,
    pattern: String.raw`(?:(?:http(?:basic|digest)auth\(|auth ?= ?\(|twilio(?:["']\))?\(|client\(|networkcredential\(|(?:getconnection|pdo|mysqli(?:_connect)?)\([^,\r\n]{1,100},[ \t]{0,4})${MARK}[!#-&(-[\]-~]{1,64}${MARK},[ \t]{0,4}|convertto-securestring (?:-string )?)${MARK}([!#-&(-[\]-~]{6,128})(?=["'\\])`,
    flags: 'i',
    before: 'any',
    after: 'any',
    entropy: 0,
    checks: ['password'],
    certainty: 'context',
  },
  {
    name: 'call-secret',
    finds: 'what `jwt.sign`, `jwt.verify`, `jwt.encode` and `jwt.decode` sign with, and what `SecretStr(…)` holds',
    example: "jwt.sign({ sub: id, role }, '«{40:b}»')",
    keywords: ['jwt.sign(', 'jwt.verify(', 'jwt.encode(', 'jwt.decode(', 'secretstr(', 'secretstring('],
    anyCase: true,
    pattern: String.raw`(?:jwt\.(?:sign|verify|encode|decode)\((?:[^,{}\r\n]{1,100}|\{[^{}]{0,200}\}),[ \t]{0,4}|SecretStr(?:ing)?\()${MARK}([!#-&(-[\]-~]{8,256})(?=["'\\])`,
    before: 'any',
    after: 'any',
    entropy: 0,
    checks: ['opaque'],
    certainty: 'context',
  },
];
