import type { JsonObject } from '@aos/kernel';
import type { OutcomeRecord } from './session.events.js';

const appliedMax = 256;

/** Questions that were asked from the session, and outcomes on their way to its turns. */
export interface InteractionsState {
  /** Outcomes that wait for a safe boundary of an open turn. */
  readonly pendingOutcomes: readonly { readonly outcome: OutcomeRecord; readonly turnId: string }[];
  /** Open interactions asked from here, whole. */
  readonly interactions: ReadonlyMap<string, JsonObject>;
  /** Delivery ids of mirrored changes and outcomes that were applied, the newest 256. */
  readonly applied: readonly string[];
}

export const initialInteractions: InteractionsState = { pendingOutcomes: [], interactions: new Map(), applied: [] };

export function mirrored(
  state: InteractionsState,
  { interaction, delivery_id: id }: { interaction: JsonObject & { id: string; status: string }; delivery_id: string },
): Partial<InteractionsState> {
  const interactions = new Map(state.interactions);
  if (interaction.status === 'pending' || interaction.status === 'in_review')
    interactions.set(interaction.id, interaction);
  else interactions.delete(interaction.id);
  return { interactions, applied: withApplied(state.applied, id) };
}

export function outcomeReceived(
  state: InteractionsState,
  { outcome, turn_id: turnId }: { outcome: OutcomeRecord; turn_id: string | null },
): Partial<InteractionsState> {
  return {
    pendingOutcomes: turnId ? [...state.pendingOutcomes, { outcome, turnId }] : state.pendingOutcomes,
    applied: withApplied(state.applied, outcome.delivery_id),
  };
}

export function outcomeDelivered(state: InteractionsState, deliveryId: string): Partial<InteractionsState> {
  return { pendingOutcomes: state.pendingOutcomes.filter(({ outcome }) => outcome.delivery_id !== deliveryId) };
}

function withApplied(applied: readonly string[], id: string): readonly string[] {
  return [...applied.slice(1 - appliedMax), id];
}
