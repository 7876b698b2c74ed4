/** Rules: tokens of databases, platforms and payment services whose makers are newer than the others. */
import { orPartial, type Rule } from './rule.ts';

const HEX_UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

export const PLATFORM_RULES: readonly Rule[] = [
  {
    name: 'database-token',
    finds: 'tokens and passwords of databases: Aiven, CockroachDB, Astra, Elastic, Databento, Tinybird',
    example: 'AVNS_{19:u}',
    keywords: ['AVNS_', 'CCDB1_', 'AstraCS:', 'essu_', 'db-', 'p.eyJ'],
    follows: { 'db-': orPartial('[A-Za-z0-9]{29}') },
    // As betterleaks has them (cockroachlabs-cloud-api-key, datastax-astra-application-token, elastic-cloud-api-key, databento-api-key).
    pattern: String.raw`(?:AVNS_[A-Za-z0-9_-]{19}|CCDB1_[A-Za-z0-9]{22}_[A-Za-z0-9]{40}|AstraCS:[A-Za-z0-9]{24}:[0-9a-f]{64}|essu_[A-Za-z0-9+/]{40,200}={0,2}|db-[A-Za-z0-9]{29}|p\.eyJ[A-Za-z0-9_-]{30,300}\.[A-Za-z0-9_-]{40,90})`,
    after: 'token',
    checks: ['random', 'mixed'],
  },
  {
    name: 'service-token',
    finds:
      'tokens of services: Paddle, Xendit, Onfido, Nylas, Val Town, Zuplo, Rootly, Samsara, Trigger.dev, Inngest, Packagist, Depot, NetBird, Porkbun, Alchemy, VK, Pinterest, Telnyx, Brex, Unkey, JSR, Docker Swarm',
    example: 'pdl_live_apikey_{26:a}_{22:b}_{3:b}',
    keywords: [
      ...['pdl_live_', 'pdl_sdbx_', 'xnd_', 'api_live', 'api_sandbox', 'nyk_v0_', 'vtwn_', 'zpka_', 'rootly_'],
      ...['samsara_api_', 'tr_dev_', 'tr_prod_', 'tr_stg_', 'tr_pat_', 'signkey-', 'packagist_', 'depot_', 'nbp_'],
      ...['sk1_', 'alcht_', 'vk1.a.', 'pina_', 'KEY', 'bxt_', 'unkey_', 'jsrp_', 'jsrd_', 'SWMTKN-1-', 'SWMKEY-1-'],
    ],
    follows: { KEY: orPartial('[0-9A-F]{32}_') },
    pattern: String.raw`(?:pdl_(?:live|sdbx)_apikey_[a-z0-9]{26}_[A-Za-z0-9]{22}_[A-Za-z0-9]{3}|xnd_(?:production|development)_[A-Za-z0-9]{40,80}|api_(?:live|sandbox)(?:_[a-z]{2})?\.[A-Za-z0-9_-]{11}\.[A-Za-z0-9_-]{32}|nyk_v0_[A-Za-z0-9]{40,80}|vtwn_[A-Za-z0-9]{20,32}|zpka_[a-z0-9]{32}_[a-z0-9]{8}|rootly_[0-9a-f]{64}|samsara_api_[A-Za-z0-9]{30}|tr_(?:dev|prod|stg|pat)_[A-Za-z0-9]{20,44}|signkey-(?:prod|test|branch)-[0-9a-f]{64}|packagist_[a-z]{2,5}_[0-9a-f]{40,80}|depot_(?:org|project|user)_[0-9a-f]{64,160}|nbp_[A-Za-z0-9]{36}|sk1_[0-9a-f]{64}|alcht_[A-Za-z0-9]{30}|vk1\.a\.[A-Za-z0-9_-]{80,400}|pina_[A-Za-z0-9]{32}|KEY[0-9A-F]{32}_[A-Za-z0-9]{22}|bxt_[A-Za-z0-9]{36}|unkey_[A-Za-z0-9]{20,32}|jsr[dp]_[A-Za-z0-9]{30,44}|SWMTKN-1-[0-9a-z]{50}-[0-9a-z]{25}|SWMKEY-1-[A-Za-z0-9+/]{43})`,
    after: 'token',
    checks: ['random', 'opaque'],
  },
  {
    name: 'commerce-key',
    finds: 'keys and secrets of WooCommerce, and keys of consumers of Composio',
    example: 'ck_{40:h}',
    keywords: ['ck_', 'cs_'],
    follows: { ck_: orPartial('[A-Za-z0-9_-]{20}'), cs_: orPartial('[0-9a-f]{40}') },
    // Composio as mongodb/kingfisher has it (composio.yml).
    pattern: '(?:c[ks]_[0-9a-f]{40}|ck_(?=[a-z0-9_-]{0,19}[A-Z])(?=[A-Z0-9_-]{0,19}[a-z])[A-Za-z0-9_-]{20})',
    before: 'token',
    after: 'token',
    checks: ['random'],
  },
  {
    name: 'infisical-token',
    finds: 'Infisical service tokens',
    example: 'st.{24:h}.{32:h}.{32:h}',
    keywords: ['st.'],
    follows: { 'st.': orPartial(String.raw`[0-9a-f-]{24,36}\.`) },
    // https://infisical.com/docs/internals/service-tokens
    pattern: String.raw`st\.(?:[0-9a-f]{24}|${HEX_UUID})\.[0-9a-f]{32}\.[0-9a-f]{32}`,
    before: 'token',
    after: 'token',
  },
];
