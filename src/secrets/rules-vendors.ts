/** Lists rules for keys of many smaller vendors, grouped by trade, since each has a sign of its own. */
import { orPartial, type Rule } from './rule.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Beginnings in base64 of the number of a bot of Discord's. */
const DISCORD = ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'];

export const VENDOR_RULES: readonly Rule[] = [
  {
    name: 'discord-token',
    finds: 'Discord bot tokens (their first part is the number of the bot)',
    keywords: DISCORD,
    follows: Object.fromEntries(DISCORD.map((begin) => [begin, orPartial(String.raw`[A-Za-z0-9]{21,26}\.`)])),
    pattern: String.raw`[MNO][DTjz][A-Za-z0-9]{21,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}`,
    after: 'token',
    checks: ['discord'],
  },
  {
    name: 'teams-webhook',
    finds: 'incoming webhook URLs of Microsoft Teams',
    example:
      'https://acme.webhook.office.com/webhookb2/«{8:h}-{4:h}-{4:h}-{4:h}-{12:h}@{8:h}-{4:h}-{4:h}-{4:h}-{12:h}/IncomingWebhook/{32:h}/{8:h}-{4:h}-{4:h}-{4:h}-{12:h}»',
    keywords: ['.webhook.office.com/'],
    pattern: String.raw`\.webhook\.office\.com/webhookb2/(${UUID}@${UUID}/IncomingWebhook/[0-9a-z]{32}/${UUID}(?:/[A-Za-z0-9_-]{20,80})?)`,
    before: 'any',
  },
  {
    name: 'newrelic-license-key',
    finds: 'New Relic license keys',
    example: '{32:h}FFFFNRAL',
    keywords: ['NRAL'],
    lead: 36,
    pattern: '(?:eu01xx[0-9a-f]{26}|[0-9a-f]{32})(?:FFFF|[0-9a-f]{4})NRAL',
  },
  {
    name: 'openshift-token',
    finds: 'OpenShift access tokens',
    example: 'sha256~{43:u}',
    keywords: ['sha256~'],
    pattern: 'sha256~[A-Za-z0-9_-]{43}',
    after: 'token',
    checks: ['mixed'],
  },
  {
    name: 'mapbox-token',
    finds: 'Mapbox secret tokens',
    example: 'sk.eyJ{80:b}.{22:u}',
    keywords: ['sk.eyJ'],
    pattern: String.raw`sk\.eyJ[A-Za-z0-9_-]{20,300}\.[A-Za-z0-9_-]{20,40}`,
    after: 'token',
  },
  {
    name: 'vault-old-token',
    finds: 'HashiCorp Vault tokens of the old form, after a blank, a quote, a colon or `=`',
    example: 'token    «s.{24:b}»',
    keywords: [' s.', '"s.', "'s.", '=s.', ':s.', '`s.'],
    pattern: String.raw`[ "'=:\x60](s\.[A-Za-z0-9]{24})(?![(.[\w])`,
    before: 'any',
    checks: ['mixed', 'opaque'],
    certainty: 'context',
  },
  {
    name: 'model-tool-key',
    finds: 'keys of Jina, Firecrawl, E2B, the Llama API, Apify, RunPod and Devin, and of Voyage',
    example: 'jina_{32:h}{28:b}',
    follows: { 'fc-': orPartial('[0-9a-f]{32}'), 'pa-': orPartial('[A-Za-z0-9_-]{43}') },
    keywords: ['jina_', 'pa-', 'fc-', 'e2b_', 'LLM|', 'apify_api_', 'rpa_', 'cog_', 'apk_'],
    // Apify and RunPod as mongodb/kingfisher has them (apify.yml, runpod.yml), Devin as https://docs.devin.ai/api-reference/authentication says.
    pattern: String.raw`(?:jina_[A-Za-z0-9_-]{50,70}|pa-[A-Za-z0-9_-]{43}|fc-[0-9a-f]{32}|e2b_[0-9a-f]{40}|LLM\|[0-9]{13,17}\|[A-Za-z0-9_-]{20,40}|apify_api_[A-Za-z0-9]{34,38}|rpa_[A-Za-z0-9]{40,50}|cog_[a-z2-7]{52}|apk_(?:user_)?[A-Za-z0-9+/]{60,400}={0,2})`,
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'model-service-key',
    finds: 'keys of Together, Kaggle, Weights & Biases and Browserbase',
    example: 'tgp_v1_{43:u}',
    keywords: ['tgp_v1_', 'KGAT_', 'wandb_v1_', 'bb_live_', 'bb_test_'],
    pattern:
      '(?:tgp_v1_[A-Za-z0-9_-]{43}|KGAT_[0-9a-f]{32}|wandb_v1_[A-Za-z0-9_-]{70,90}|bb_(?:live|test)_[A-Za-z0-9_-]{20,40})',
    after: 'token',
    checks: ['random'],
  },
  {
    name: 'brave-key',
    finds: 'Brave Search keys',
    example: 'BSA{28:u}',
    keywords: ['BSA'],
    before: 'token',
    pattern: 'BSA[A-Za-z0-9_-]{28}',
    after: 'token',
    entropy: 3.5,
    checks: ['random', 'mixed'],
  },
  {
    name: 'payment-key',
    finds: 'keys of payment and parcel services: PayPal and Braintree, Flutterwave, Shippo, Duffel, Lob, Mollie',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the dollar signs are the key's own
    example: 'access_token$production${16:a}${32:h}',
    keywords: ['access_token$', 'FLWSECK', 'shippo_', 'duffel_', 'live_', 'test_'],
    pattern: String.raw`(?:access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}|FLWSECK(?:_TEST)?-[0-9a-z]{32}(?:-X)?|FLWSECK_TEST-[0-9a-z]{12}|shippo_(?:live|test)_[0-9a-f]{40}|duffel_(?:live|test)_[A-Za-z0-9_=-]{43}|(?:live|test)_(?:pub_[0-9a-f]{31}|[0-9a-f]{35})|(?<![A-Za-z0-9][_-])live_[A-Za-z0-9]{30})`,
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'hosting-token',
    finds: 'keys of Render, Deno Deploy, Scalingo, MongoDB Atlas, Xata and UpCloud',
    example: 'rnd_{32:b}',
    keywords: ['rnd_', 'ddp_', 'tk-us-', 'mdb_sa_sk_', 'xau_', 'ucat_'],
    pattern:
      '(?:rnd_[A-Za-z0-9]{28,36}|ddp_[A-Za-z0-9]{36,40}|tk-us-[A-Za-z0-9_-]{48}|mdb_sa_sk_[A-Za-z0-9_-]{40}|xau_[A-Za-z0-9]{40}|ucat_[0-9A-Z]{26})',
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'uuid-key',
    finds: 'access tokens of Plaid and keys of WakaTime and Context7',
    example: 'access-production-{8:h}-{4:h}-{4:h}-{4:h}-{12:h}',
    keywords: ['access-production-', 'access-sandbox-', 'access-development-', 'waka_', 'ctx7sk-'],
    // Context7: https://context7.com/docs/howto/api-keys
    pattern: `(?:access-(?:production|sandbox|development)-|waka_|ctx7sk-)${UUID}`,
    after: 'token',
  },
  {
    name: 'twitter-token',
    finds: 'bearer tokens of Twitter',
    example: 'AAAAAAAAAAAAAAAAAAAAA{4:b}AAAAAAA{20:b}%2B{6:b}%3D{50:b}',
    keywords: ['AAAAAAAAAAAAAAAAAAAAA'],
    pattern: 'A{21}(?:[A-Za-z0-9]|%2[BF]){20,70}(?:%3D|=)[A-Za-z0-9]{40,60}',
    entropy: 4,
    checks: ['random', 'mixed'],
  },
  {
    name: 'firebase-key',
    finds: 'server keys of Firebase Cloud Messaging',
    example: 'AAAA{7:u}:APA91b{134:u}',
    keywords: [':APA91b', '%3AAPA91b'],
    lead: 11,
    pattern: 'AAAA[A-Za-z0-9_-]{7}(?::|%3A)APA91b[A-Za-z0-9_-]{120,180}',
  },
  {
    name: 'developer-token',
    finds:
      'tokens of tools for developers: Asana, Dropbox, Intercom, Adafruit, Yandex Cloud, Sourcegraph, Snyk, Prefect, Infracost, Harness, Contentful, ReadMe, ClickUp, Typeform, Frame.io, Adobe, Defined Networking, JetBrains, Octopus Deploy',
    example: '1/{16:d}:{32:h}',
    keywords: [
      '1/',
      '2/',
      'sl.',
      'dG9rO',
      'aio_',
      'AQVN',
      'sgp_',
      'perm:',
      'snyk_',
      'pnu_',
      'ico-',
      'pat.',
      'CFPAT-',
      'rdme_',
      'pk_',
      'tfp_',
      'fio-u-',
      'p8e-',
      'dnkey-',
      'API-',
      'sat.',
    ],
    // A Harness token of a service account as gitleaks has it (harness-api-key).
    pattern: String.raw`(?:[12]/[0-9]{13,17}(?:/[0-9]{13,17})?:[0-9a-f]{32}|sl\.(?:u\.)?[A-Za-z0-9_-]{120,1500}|dG9rO[A-Za-z0-9+/]{50,70}={0,2}|aio_[A-Za-z0-9]{28}|AQVN[A-Za-z0-9_-]{35,38}|sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}|snyk_[us]at\.[0-9a-f]{8}\.[A-Za-z0-9_-]{20,400}(?:\.[A-Za-z0-9_-]{20,400}){0,2}|perm:[A-Za-z0-9+/]{4,60}={0,2}\.[A-Za-z0-9+/]{4,60}={0,2}\.[A-Za-z0-9]{20,60}|pnu_[A-Za-z0-9]{36}|ico-[A-Za-z0-9]{32}|[ps]at\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}|CFPAT-[A-Za-z0-9_-]{43}|rdme_[0-9a-z]{70}|pk_[0-9]{6,9}_[0-9A-Z]{32}|tfp_[A-Za-z0-9_-]{40,59}|fio-u-[A-Za-z0-9_=-]{64}|p8e-[0-9A-Za-z]{32}|dnkey-[0-9a-z=_-]{26}-[0-9a-z=_-]{52}|API-[A-Z0-9]{26,40})`,
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'platform-token',
    finds: 'tokens of platforms: Canva, Aikido, SettleMint, Ory, 42',
    example: 'cnvca{51:u}',
    keywords: [
      ...['cnvca', 'AIK_SECRET_', 'AIK_CI_', 'sm_aat_', 'sm_pat_', 'sm_sat_', 's-s4t2ud-', 's-s4t2af-'],
      ...['ory_at_', 'ory_rt_', 'ory_ac_', 'ory_pat_', 'ory_st_'],
    ],
    // Canva and Aikido as mongodb/kingfisher has them (canva.yml, aikido.yml), SettleMint and 42 as gitleaks (settlemint-*,
    // intra42-client-secret), Ory as https://github.com/ory/hydra/issues/2845 and its documentation say.
    pattern: String.raw`(?:cnvca[A-Za-z0-9_-]{51}|AIK_(?:SECRET_[A-Za-z0-9]{64}|CI_[A-Za-z0-9]{20,44})|sm_[aps]at_[A-Za-z0-9]{16}|ory_(?:[ar]t|ac|pat|st)_[A-Za-z0-9_-]{24,100}(?:\.[A-Za-z0-9_-]{24,100})?|s-s4t2(?:ud|af)-[0-9a-f]{64})`,
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'twitch-token',
    finds: 'tokens of Twitch as its chat takes them (`PASS oauth:…`)',
    example: 'oauth:{30:a}',
    keywords: ['oauth:'],
    // https://dev.twitch.tv/docs/chat/irc
    pattern: 'oauth:[a-z0-9]{30}',
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'maxmind-key',
    finds: 'license keys of MaxMind',
    example: '{6:b}_{29:b}_mmk',
    keywords: ['_mmk'],
    lead: 36,
    // As gitleaks has it (maxmind-license-key).
    pattern: '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk',
    after: 'token',
    checks: ['random'],
  },
  {
    name: 'clickhouse-key',
    finds: 'secrets of ClickHouse Cloud',
    example: '4b1d{38:b}',
    keywords: ['4b1d'],
    // As gitleaks has it (clickhouse-cloud-api-secret-key). Hashes begin so as well, of small letters.
    pattern: '4b1d[A-Za-z0-9]{38}',
    after: 'token',
    checks: ['random', 'mixed'],
  },
  {
    name: 'bitcoin-key',
    finds: 'extended private keys of wallets',
    example: 'xprv{107:B}',
    // BIP 32, and as SLIP 132 has them for other kinds of addresses.
    keywords: ['xprv', 'yprv', 'zprv', 'tprv'],
    pattern: '[xyzt]prv[1-9A-HJ-NP-Za-km-z]{107}',
    checks: ['random', 'mixed'],
  },
  {
    name: 'channel-key',
    finds: 'keys of OneSignal, PubNub, Stytch and Honeycomb, and access tokens of Matrix',
    example: 'os_v2_app_{103:r}',
    keywords: [
      'os_v2_app_',
      'os_v2_org_',
      'sec-c-',
      'secret-live-',
      'secret-test-',
      'hcaik_',
      'hcamk_',
      'syt_',
      'syr_',
    ],
    // PubNub writes a UUID in base64, Matrix the name of the user: https://github.com/matrix-org/synapse, `generate_access_token`.
    // Honeycomb: https://docs.honeycomb.io/api/authentication.
    pattern:
      '(?:os_v2_(?:app|org)_[a-z2-7]{95,110}|sec-c-[MNOYZ][A-Za-z0-9]{47}|secret-(?:live|test)-[A-Za-z0-9_-]{35}(?:=|%3D)|hcaik_[0-9a-z]{58}|hcamk_[0-9a-z]{26}:[0-9A-Za-z]{32}|sy[rt]_[A-Za-z0-9+/]{2,100}_[A-Za-z]{20}_[A-Za-z0-9]{6})',
    after: 'token',
    checks: ['opaque'],
  },
];
