import type { Schema } from '@aos/client';

export interface ContextUse {
  /** Tokens that a model call of the newest completed turn was given, on average; null before there is one. */
  perCall: number | null;
  /** The model's window; null when it is not known. */
  window: number | null;
  /** Where compaction begins; null when it does not by itself. */
  threshold: number | null;
  /** Share of the window, from 0 to 1; null when either is not known. */
  share: number | null;
}

interface CountedTurn {
  id: string;
  usage?: Partial<
    Record<
      'input_tokens' | 'cache_read_input_tokens' | 'cache_creation_input_tokens' | 'output_tokens' | 'calls',
      number
    >
  >;
}

/** How much of the model's window a session fills, as far as the service says it. */
export function contextUse(
  session: Pick<Schema<'Session'>, 'compaction'>,
  turns: Iterable<CountedTurn>,
  window: number | null,
): ContextUse {
  let newest: { id: string; perCall: number } | null = null;
  for (const { id, usage } of turns) {
    if (usage?.calls === undefined || usage.calls === 0 || (newest !== null && newest.id > id)) continue;
    const { input_tokens: fresh = 0, cache_read_input_tokens: read = 0, cache_creation_input_tokens: made = 0 } = usage;
    newest = { id, perCall: Math.round((fresh + read + made) / usage.calls) };
  }
  const perCall = newest?.perCall ?? null;
  const share = perCall === null || window === null ? null : Math.min(1, perCall / window);
  return { perCall, window, threshold: session.compaction?.threshold_tokens ?? null, share };
}
