import { collection } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { InteractionEvent } from './interaction.events.js';
import { peopleOf, sessionOf } from './interaction.wire.js';
import { interactionKind, type InteractionState } from './interaction.state.js';

/** The fields that a list needs before it reads the stream. */
export type ListedInteraction = { people: string[]; session_id: string | null };

/** Interactions for lists; the record itself is read fresh. */
export const interactionsProjection: StreamProjection<InteractionState, InteractionEvent> = {
  name: 'interactions',
  version: 1,
  kind: interactionKind,
  on: new Set([
    'InteractionOpened',
    'SubmittedForReview',
    'ChangesRequested',
    'InteractionCompleted',
    'InteractionCancelled',
    'InteractionExpired',
    'InteractionHidden',
  ]),
  rows({ state, revision }) {
    const { opening, status, hidden } = state;
    if (!opening) return [];
    const base = { scope: [opening.org_id], key: opening.id, revision };
    if (hidden) return [interactionRows.row({ ...base, doc: null, index: {} })];
    const sessionId = sessionOf(opening);
    return [
      interactionRows.row({
        ...base,
        doc: { people: peopleOf(opening), session_id: sessionId },
        index: {
          created: `${opening.created_at} ${opening.id}`,
          status,
          kind: opening.kind,
          targets: opening.target_user_ids,
          ...(sessionId !== null && { session: sessionId }),
        },
      }),
    ];
  },
};

export const interactionRows = collection<ListedInteraction>(interactionsProjection);
