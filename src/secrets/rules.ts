/** Every rule that is built in. */
import type { Rule } from './rule.ts';
import type { RuleName } from './rule-names.ts';
import { AGENT_RULES } from './rules-agents.ts';
import { CLOUD_RULES } from './rules-cloud.ts';
import { CODE_RULES } from './rules-code.ts';
import { COMMAND_RULES } from './rules-commands.ts';
import { CONTEXT_RULES } from './rules-context.ts';
import { MODEL_RULES } from './rules-models.ts';
import { PLATFORM_RULES } from './rules-platforms.ts';
import { SERVICE_RULES } from './rules-services.ts';
import { VENDOR_RULES } from './rules-vendors.ts';

export const RULES: readonly Rule[] = [
  ...MODEL_RULES,
  ...AGENT_RULES,
  ...CODE_RULES,
  ...CLOUD_RULES,
  ...SERVICE_RULES,
  ...VENDOR_RULES,
  ...PLATFORM_RULES,
  ...CONTEXT_RULES,
  ...COMMAND_RULES,
];

/** Secrets that are found by code of its own, with a description of each. */
export const CODED_RULES = {
  'private-key':
    'private key blocks: PEM, OpenSSH, PGP, PuTTY, OpenVPN; also with escaped line ends, in diffs, or cut off',
  password: 'passwords next to their name: assignments, settings, flags, JSON, XML',
  secret: 'tokens, keys and secrets next to their name, if the value looks like one',
  environment: 'values of sensitive variables of the environment',
} as const satisfies Partial<Record<RuleName, string>>;
