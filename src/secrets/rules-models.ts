/** Rules: keys of model providers and of what is built around them. */
import { orPartial, type Rule } from './rule.ts';

export const MODEL_RULES: readonly Rule[] = [
  {
    name: 'openai-key',
    finds:
      'OpenAI keys of projects, service accounts, administrators, and the old ones; keys of one conversation, and refresh tokens of Codex',
    keywords: ['sk-', 'ek_', 'rt_'],
    follows: { ek_: orPartial('[0-9a-f]{32}'), rt_: orPartial('[A-Za-z0-9_-]{40}') },
    // Client secrets of the Realtime API: https://platform.openai.com/docs/api-reference/realtime-sessions
    pattern: String.raw`(?:sk-(?:(?:proj|svcacct|admin|service|None)-[A-Za-z0-9_-]{32,200}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})|ek_[0-9a-f]{32}|rt_[A-Za-z0-9_-]{40,64}\.[A-Za-z0-9_-]{40,64})`,
    checks: ['random'],
  },
  {
    name: 'anthropic-key',
    finds: 'Anthropic API, administration, OAuth and session keys',
    keywords: ['sk-ant-'],
    pattern: 'sk-ant-[a-z]{3,8}[0-9]{0,4}-[A-Za-z0-9_-]{40,160}',
    checks: ['random'],
  },
  {
    name: 'openrouter-key',
    finds: 'OpenRouter keys',
    keywords: ['sk-or-'],
    pattern: 'sk-or-v[0-9]-[0-9a-f]{64}',
  },
  {
    name: 'langfuse-key',
    finds: 'Langfuse secret keys',
    keywords: ['sk-lf-'],
    pattern: 'sk-lf-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  },
  {
    name: 'sk-key',
    finds:
      'keys of the shape `sk-…` that DeepSeek, Kimi and Moonshot, LiteLLM, MiniMax, Windsurf, Letta, DigitalOcean and others give out, with or without a word after the first hyphen',
    keywords: ['sk-'],
    // Moonshot and MiniMax as betterleaks has them (kimi-api-key, minimax-api-key), LiteLLM as its documentation shows its virtual keys.
    // A key that has a rule of its own is switched off with that.
    pattern: 'sk-(?!(?:proj|svcacct|admin|service|None|ant|or|lf|helicone)-)[A-Za-z0-9_-]{22,164}',
    after: 'token',
    checks: ['random', 'opaque'],
  },
  {
    name: 'groq-key',
    finds: 'Groq keys',
    keywords: ['gsk_'],
    pattern: 'gsk_[A-Za-z0-9]{48,56}',
    checks: ['random'],
  },
  {
    name: 'xai-key',
    finds: 'xAI keys',
    keywords: ['xai-'],
    pattern: 'xai-[A-Za-z0-9_]{70,90}',
    checks: ['random'],
  },
  {
    name: 'perplexity-key',
    finds: 'Perplexity keys',
    keywords: ['pplx-'],
    pattern: 'pplx-[A-Za-z0-9]{40,56}',
    checks: ['random'],
  },
  {
    name: 'replicate-token',
    finds: 'Replicate tokens',
    keywords: ['r8_'],
    pattern: 'r8_[A-Za-z0-9]{37,40}',
    checks: ['random'],
  },
  {
    name: 'huggingface-token',
    finds: 'Hugging Face tokens of users and organisations',
    keywords: ['hf_', 'api_org_'],
    pattern: '(?:hf|api_org)_[A-Za-z0-9]{34,40}',
    checks: ['mixed'],
  },
  {
    name: 'langsmith-key',
    finds: 'LangSmith keys',
    keywords: ['lsv2_'],
    pattern: 'lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}',
  },
  {
    name: 'nvidia-key',
    finds: 'NVIDIA API keys',
    keywords: ['nvapi-'],
    pattern: 'nvapi-[A-Za-z0-9_-]{60,72}',
    checks: ['random'],
  },
  {
    name: 'elevenlabs-key',
    finds: 'keys of ElevenLabs and Novita',
    keywords: ['sk_'],
    follows: { sk_: orPartial('[A-Za-z0-9_-]{43}') },
    pattern: 'sk_(?:[0-9a-f]{48}|[A-Za-z0-9_-]{43})',
    after: 'token',
    checks: ['opaque'],
  },
  {
    name: 'tavily-key',
    finds: 'Tavily keys',
    keywords: ['tvly-'],
    pattern: 'tvly-(?:dev-|prod-)?[A-Za-z0-9-]{24,64}',
    checks: ['random'],
  },
  {
    name: 'cerebras-key',
    finds: 'Cerebras keys',
    keywords: ['csk-'],
    pattern: 'csk-[a-z0-9]{48}',
    checks: ['random'],
  },
  {
    name: 'pinecone-key',
    finds: 'Pinecone keys',
    keywords: ['pcsk_'],
    pattern: 'pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{63}',
    checks: ['random'],
  },
];
