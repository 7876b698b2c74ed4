/** Rules: keys of coding agents, and of newer makers of models and of what is built around them. */
import { orPartial, type Rule } from './rule.ts';

export const AGENT_RULES: readonly Rule[] = [
  {
    name: 'agent-key',
    finds: 'keys of coding agents: Cursor, Sourcegraph Amp, Factory, Warp, CodeRabbit',
    example: 'crsr_{64:h}',
    keywords: ['crsr_', 'key_', 'sgamp_', 'fk-', 'wk-', 'cr-'],
    follows: {
      key_: orPartial('[0-9a-z]{64}'),
      'fk-': orPartial('[A-Za-z0-9_-]{40}'),
      'wk-': orPartial(String.raw`(?:[0-9]{1,2}\.|[0-9a-f]{64})`),
      'cr-': orPartial('[0-9a-f]{58}'),
    },
    // Of a user of Amp: the id of the key (a ULID) and what was drawn. CodeRabbit as praetorian-inc/titus has it (coderabbit.yml).
    pattern: String.raw`(?:crsr_[0-9a-z]{64}|key_[0-9a-z]{64}|sgamp_(?:[a-z]{2,16}_)?(?:[0-9A-Z]{26}_)?[0-9a-f]{40,64}|fk-[A-Za-z0-9_-]{40,100}|wk-(?:[0-9]{1,2}\.)?[0-9a-f]{64}|cr-[0-9a-f]{58})`,
    before: 'token',
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'fireworks-key',
    finds: 'Fireworks keys, also of Firepass',
    example: 'fw_{24:b}',
    keywords: ['fw_', 'fw-', 'fpk_'],
    follows: { fw_: orPartial('[A-Za-z0-9]{20}'), 'fw-': orPartial('[A-Za-z0-9]{20}') },
    pattern: '(?:fw[_-]|fpk_)[A-Za-z0-9]{20,48}',
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'composio-key',
    finds: 'Composio keys of projects, organisations and users',
    example: 'ak_{20:u}',
    keywords: ['ak_', 'oak_', 'uak_'],
    follows: { ak_: orPartial('[A-Za-z0-9_-]{20}') },
    // As their maker says: https://github.com/gitleaks/gitleaks/issues/2276
    pattern: '(?:o?ak_[A-Za-z0-9_-]{20}|uak_[A-Za-z0-9_-]{43})',
    before: 'token',
    after: 'token',
    entropy: 3.2,
    checks: ['random', 'mixed'],
  },
  {
    name: 'helicone-key',
    finds: 'Helicone keys',
    example: 'sk-helicone-{7:a}-{7:a}-{7:a}-{7:a}',
    keywords: ['k-helicone-'],
    lead: 1,
    pattern: '[sp]k-helicone-(?:[a-z]{2,3}-)?[a-z0-9]{7}(?:-[a-z0-9]{7}){3}',
    after: 'token',
  },
  {
    name: 'modal-token',
    finds: 'Modal tokens, ids and secrets',
    example: 'ak-{22:b}',
    keywords: ['ak-', 'as-'],
    follows: { 'ak-': orPartial('[A-Za-z0-9]{22}'), 'as-': orPartial('[A-Za-z0-9]{22}') },
    pattern: 'a[ks]-[A-Za-z0-9]{22}',
    before: 'token',
    after: 'token',
    entropy: 3.2,
    checks: ['random', 'mixed'],
  },
  {
    name: 'inference-key',
    finds:
      'keys of Cartesia, E2B, LlamaCloud, Mem0, Upstage, Anyscale, Friendli, Baidu Qianfan, Daytona, Dify, Voyage in Atlas and Convex',
    example: 'sk_car_{22:b}',
    keywords: [
      ...['sk_car_', 'sk_e2b_', 'llx-', 'm0-', 'up_', 'esecret_', 'flp_', 'bce-v3/'],
      ...['dtn_', 'app-', 'dataset-', 'al-', 'eyJ2MiI6'],
    ],
    follows: {
      'm0-': orPartial('[A-Za-z0-9]{24}'),
      up_: orPartial('[A-Za-z0-9]{29}'),
      'app-': orPartial('[A-Za-z0-9]{24}'),
      'dataset-': orPartial('[A-Za-z0-9]{24}'),
      'al-': orPartial('[A-Za-z0-9_-]{43}'),
    },
    // Cartesia as mongodb/kingfisher has it (cartesia.yml), LlamaCloud and Mem0 as betterleaks (llama-cloud-api-key, mem0-api-key).
    pattern: String.raw`(?:sk_car_[A-Za-z0-9_-]{20,32}|sk_e2b_[0-9a-f]{40}|llx-[A-Za-z0-9]{44,52}|m0-[A-Za-z0-9]{24,44}|up_[A-Za-z0-9]{29}|esecret_[a-z0-9]{24,40}|flp_[A-Za-z0-9]{44,60}|bce-v3/ALTAK-[A-Za-z0-9]{21}/[0-9a-f]{40}|dtn_[0-9a-f]{64}|(?:app|dataset)-[A-Za-z0-9]{24}|al-[A-Za-z0-9_-]{43}|(?<=\|)eyJ2MiI6[A-Za-z0-9+/]{40,200}={0,2})`,
    after: 'token',
    checks: ['opaque'],
  },
];
