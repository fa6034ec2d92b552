import type { ModelRequest } from '@aos/kernel';

export type Vendor = 'anthropic' | 'openai' | 'openai-compatible';
export type Effort = NonNullable<ModelRequest['thinkingEffort']>;

const efforts: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];

/**
 * The highest effort that a model takes, by family; null for models that do not think at all. The first match counts.
 */
const ceilings: Record<Vendor, readonly (readonly [RegExp, Effort | null])[]> = {
  anthropic: [
    [/claude-(instant|v?2|3-(haiku|opus|sonnet)|3-5)/, null],
    [/claude-(opus|sonnet)-4-6/, 'max'],
    // a token budget: above high there is nothing more to give
    [/claude-(3-7|(opus|sonnet|haiku)-4-[0-5]|(opus|sonnet)-4(-|$))/, 'high'],
  ],
  openai: [
    [/^(gpt-4|gpt-3|chatgpt)|-chat(-|$)/, null],
    [/^gpt-([6-9]|\d\d)/, 'max'],
    [/^gpt-5\.([6-9]|\d\d)/, 'max'],
    [/^gpt-5\.[2-5]|codex-max/, 'xhigh'],
    [/./, 'high'],
  ],
  'openai-compatible': [[/./, 'high']], // the three levels that the protocol has always had
};

/**
 * Brings a wished effort down to what the model takes (rule R8).
 *
 * Gives    the wish, or the model's highest effort if that is lower; null when nothing is to be asked for.
 */
export function clampEffort(vendor: Vendor, model: string, wished: Effort | null): Effort | null {
  if (wished === null) return null;
  const family = ceilings[vendor].find(([pattern]) => pattern.test(model));
  const ceiling = family ? family[1] : 'max';
  if (ceiling === null) return null;
  return efforts.indexOf(wished) <= efforts.indexOf(ceiling) ? wished : ceiling;
}
