/** Rules: keys of many smaller makers; those of one trade stand together, for each has a sign of its own. */
import type { Rule } from './rule.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export const VENDOR_RULES: readonly Rule[] = [
  {
    name: 'discord-token',
    finds: 'Discord bot tokens (their first part is the number of the bot)',
    keywords: ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT'],
    pattern: String.raw`[MNO][DTjz][A-Za-z0-9]{21,26}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}`,
    after: 'token',
    checks: ['discord'],
  },
  {
    name: 'teams-webhook',
    finds: 'incoming webhook URLs of Microsoft Teams',
    keywords: ['.webhook.office.com/'],
    pattern: String.raw`\.webhook\.office\.com/webhookb2/(${UUID}@${UUID}/IncomingWebhook/[0-9a-z]{32}/${UUID}(?:/[A-Za-z0-9_-]{20,80})?)`,
    before: 'any',
  },
  {
    name: 'newrelic-license-key',
    finds: 'New Relic license keys',
    keywords: ['NRAL'],
    lead: 36,
    pattern: '(?:eu01xx[0-9a-f]{26}|[0-9a-f]{32})(?:FFFF|[0-9a-f]{4})NRAL',
  },
  {
    name: 'openshift-token',
    finds: 'OpenShift access tokens',
    keywords: ['sha256~'],
    pattern: 'sha256~[A-Za-z0-9_-]{43}',
    after: 'token',
    checks: ['mixed'],
  },
  {
    name: 'mapbox-token',
    finds: 'Mapbox secret tokens',
    keywords: ['sk.eyJ'],
    pattern: String.raw`sk\.eyJ[A-Za-z0-9_-]{20,300}\.[A-Za-z0-9_-]{20,40}`,
    after: 'token',
  },
  {
    name: 'vault-old-token',
    finds: 'HashiCorp Vault tokens of the old shape, behind a blank',
    keywords: [' s.'],
    pattern: String.raw` (s\.[A-Za-z0-9]{24})`,
    before: 'any',
    checks: ['mixed', 'opaque'],
    certainty: 'context',
  },
  {
    name: 'model-tool-key',
    finds: 'keys of Jina, Voyage, Fireworks, Firecrawl, E2B, Cursor and the Llama API',
    keywords: ['jina_', 'pa-', 'fw_', 'fc-', 'e2b_', 'key_', 'LLM|'],
    pattern: String.raw`(?:jina_[A-Za-z0-9_-]{50,70}|pa-[A-Za-z0-9_-]{43}|fw_[A-Za-z0-9]{24}|fc-[0-9a-f]{32}|e2b_[0-9a-f]{40}|key_[0-9a-f]{64}|LLM\|[0-9]{13,17}\|[A-Za-z0-9_-]{20,40})`,
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'payment-key',
    finds: 'keys of payment and parcel services: PayPal and Braintree, Flutterwave, Shippo, Duffel, Lob',
    keywords: ['access_token$', 'FLWSECK', 'shippo_', 'duffel_', 'live_', 'test_'],
    pattern: String.raw`(?:access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}|FLWSECK(?:_TEST)?-[0-9a-z]{32}(?:-X)?|FLWSECK_TEST-[0-9a-z]{12}|shippo_(?:live|test)_[0-9a-f]{40}|duffel_(?:live|test)_[A-Za-z0-9_=-]{43}|(?:live|test)_(?:pub_[0-9a-f]{31}|[0-9a-f]{35}))`,
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'hosting-token',
    finds: 'keys of Render, Deno Deploy, Scalingo and MongoDB Atlas',
    keywords: ['rnd_', 'ddp_', 'tk-us-', 'mdb_sa_sk_'],
    pattern: '(?:rnd_[A-Za-z0-9]{28,36}|ddp_[A-Za-z0-9]{36,40}|tk-us-[A-Za-z0-9_-]{48}|mdb_sa_sk_[A-Za-z0-9_-]{40})',
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'developer-token',
    finds:
      'tokens of tools for developers: Sourcegraph, Snyk, Prefect, Infracost, Harness, Contentful, ReadMe, ClickUp, Typeform, Frame.io, Adobe, Defined Networking',
    keywords: ['sgp_', 'snyk_', 'pnu_', 'ico-', 'pat.', 'CFPAT-', 'rdme_', 'pk_', 'tfp_', 'fio-u-', 'p8e-', 'dnkey-'],
    pattern: String.raw`(?:sgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}|snyk_[us]at\.[0-9a-f]{8}\.[A-Za-z0-9_-]{20,100}(?:\.[A-Za-z0-9_-]{20,100})?|pnu_[A-Za-z0-9]{36}|ico-[A-Za-z0-9]{32}|pat\.[A-Za-z0-9_-]{22}\.[0-9a-f]{24}\.[A-Za-z0-9]{20}|CFPAT-[A-Za-z0-9_-]{43}|rdme_[0-9a-z]{70}|pk_[0-9]{6,9}_[0-9A-Z]{32}|tfp_[A-Za-z0-9_-]{40,59}|fio-u-[A-Za-z0-9_=-]{64}|p8e-[0-9A-Za-z]{32}|dnkey-[0-9a-z=_-]{26}-[0-9a-z=_-]{52})`,
    after: 'token',
    checks: ['opaque'],
  },
];
