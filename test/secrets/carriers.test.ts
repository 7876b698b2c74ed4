// Values beside their names as other tools and languages write them: properties, lists, braces, three quotes, keys of Azure.
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { Chance, fill } from '../support/secrets-corpus.ts';

const chance = new Chance(53);
function expectFound(template: string): void {
  const [before = '', secret = '', after = ''] = fill(template, chance).split(/[«»]/);
  const text = before + secret + after;
  expect(findSecrets(text).map(({ start, end }) => text.slice(start, end))).toEqual([secret]);
}

describe('in what other tools and languages write', () => {
  test.each([
    'public string Password { get; set; } = "«ygviyE6pr26wcZBX»";',
    'public string ApiKey { get; init; } = "«{32:h}»";',
    'API_KEY ?= «{32:h}»',
    'DB_PASSWORD ?= «xK9mQ2pL7a»',
    'openai.api.key=«{32:h}»',
    'encryption.key=«{32:h}»',
    'openai.api.key = «{32:h}»',
    'java -Dmistral.api.key="«{32:b}»" -jar a.jar',
    '{ name = "DB_PASSWORD", value = "«h2LY2DsJog6FgEoA»" }',
    'name  = "DB_PASSWORD"\n      value = "«h2LY2DsJog6FgEoA»"',
    '"name  = \\"DB_PASSWORD\\"\\n      value = \\"«h2LY2DsJog6FgEoA»\\""',
    'api_key = """«{32:h}»"""',
    'PASSWORD = """«h2LY2DsJog6FgEoA»"""',
    `PASSWORD = '''«h2LY2DsJog6FgEoA»'''`,
    '{"t":"PASSWORD = \\"\\"\\"«h2LY2DsJog6FgEoA»\\"\\"\\""}',
    'ParameterKey=DBPassword,ParameterValue=«h2LY2DsJog6FgEoA» ParameterKey=x,ParameterValue=y',
    '<Client apiKey={"«{32:h}»"} />',
    'openssl enc -aes-256-cbc -salt -in a.txt -out b.enc -k «h2LY2DsJog6FgEoA»',
    '{api_key, "«{32:h}»"}',
    '{password, "«h2LY2DsJog6FgEoA»"}.',
    '(setq openai-api-key "«{32:h}»")',
    '(defvar my-password "«h2LY2DsJog6FgEoA»")',
    'req.Header.Set("Authorization", "Bearer "+"«{32:b}»")',
    '"accountKey": "«{86:s}==»"',
    'AccountKey: "«{86:s}==»"',
    '"storageKey": "«{86:s}==»"',
    'storage_key = "«{86:s}==»"',
    'azure_storage_account_key = "«{86:s}==»"',
    '"primaryKey": "«{86:s}==»"',
    'const cosmosKey = "«{86:s}==»"',
    'EventHubKey: «{43:s}=»',
    '"keyName": "key1",\n    "permissions": "FULL",\n    "value": "«{86:s}==»"',
    'fernet_key = "«{43:u}=»"',
    `fernetKey: '«{43:u}=»'`,
    'azureDevopsExtPat: «{52:r}»',
    '"azureDevopsExtPat": "«{52:r}»"',
    '\u001b[36mAZURE_DEVOPS_EXT_PAT\u001b[0m=«{52:r}»',
    'AZURE_DEVOPS_EXT_PAT=\u001b[33m«{52:r}»\u001b[0m',
    '- name: AZURE_DEVOPS_EXT_PAT\n  value: «{52:r}»',
    '| AZURE_DEVOPS_EXT_PAT | «{52:r}» |',
    '| `AZURE_DEVOPS_EXT_PAT` | `«{52:r}»` |',
  ])('%s', expectFound);
});
