import type { Schema } from '@aos/contract';
import { outcomeWire } from '../interaction/interaction.wire.js';
import type { InteractionState } from '../interaction/interaction.state.js';

export const resolvedEventType = 'interaction.resolved';

/** Rule I33. The frozen outcome only, so every try has the same bytes. */
export function callbackBody(state: InteractionState): Schema<'InteractionCallback'> {
  const { opening, resolution, status, responses } = state;
  if (!opening || !resolution || status === 'pending' || status === 'in_review')
    throw new Error('no outcome to deliver');
  const resolving = responses.find(({ id }) => id === resolution.resolving_response_id);
  return {
    event_type: resolvedEventType,
    interaction_id: opening.id,
    kind: opening.kind,
    status,
    title: opening.title,
    outcome: outcomeWire(state),
    comment: resolving?.comment ?? null,
    responder: resolution.responder_id === null ? null : { user_id: resolution.responder_id },
    resolving_response_id: resolution.resolving_response_id,
    resolved_by: resolution.resolved_by,
    cancel_reason: resolution.cancel_reason,
    resolved_at: resolution.at,
  };
}
