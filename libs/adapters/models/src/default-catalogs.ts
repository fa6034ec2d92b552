import type { Vendor } from './thinking-effort.js';

export interface CatalogModel {
  id: string;
  label: string;
  description?: string;
  contextWindowTokens: number;
  vision: boolean;
  documents: boolean;
  plans: readonly string[] | null;
}

/** Rule S17. */
export const unknownWindowTokens = 200_000;

export const displayNames: Record<Vendor, string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  'openai-compatible': 'OpenAI-compatible',
};

const seeing = (id: string, label: string, contextWindowTokens = unknownWindowTokens): CatalogModel => ({
  id,
  label,
  contextWindowTokens,
  vision: true,
  documents: true,
  plans: null,
});

/** What a key alone offers; the first one is the default model. Other models, windows and plans: a models file. */
export const defaultCatalogs: Record<Exclude<Vendor, 'openai-compatible'>, readonly CatalogModel[]> = {
  anthropic: [
    seeing('claude-sonnet-5-5', 'Claude Sonnet 5.5'),
    seeing('claude-opus-5-5', 'Claude Opus 5.5'),
    seeing('claude-haiku-5-5', 'Claude Haiku 5.5'),
    seeing('claude-sonnet-4-6', 'Claude Sonnet 4.6'),
    seeing('claude-opus-4-6', 'Claude Opus 4.6'),
    seeing('claude-haiku-4-5', 'Claude Haiku 4.5'),
  ],
  openai: [
    seeing('gpt-5.5', 'GPT-5.5', 400_000),
    seeing('gpt-5.4', 'GPT-5.4', 400_000),
    seeing('gpt-5.4-mini', 'GPT-5.4 mini', 400_000),
    seeing('gpt-5-mini', 'GPT-5 mini', 400_000),
    seeing('gpt-4.1', 'GPT-4.1', 1_000_000),
    seeing('gpt-4o', 'GPT-4o', 128_000),
  ],
};
