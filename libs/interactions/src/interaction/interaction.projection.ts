import { collectionOf, type JsonObject } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { InteractionEvent } from './interaction.events.js';
import { peopleOf, sessionOf } from './interaction.wire.js';
import { interactionKind, type InteractionState } from './interaction.state.js';

/** The fields that a list needs before it reads the stream. */
export interface ListedInteraction {
  people: string[];
  session_id: string | null;
}

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
    const base = {
      collection: collectionOf(interactionsProjection),
      scope: [opening.org_id],
      key: opening.id,
      revision,
    };
    if (hidden) return [{ ...base, doc: null, index: {} }];
    const sessionId = sessionOf(opening);
    const doc: JsonObject = { people: peopleOf(opening), session_id: sessionId };
    return [
      {
        ...base,
        doc,
        index: {
          created: `${opening.created_at} ${opening.id}`,
          status,
          kind: opening.kind,
          targets: opening.target_user_ids,
          ...(sessionId !== null && { session: sessionId }),
        },
      },
    ];
  },
};
