import { defineEvents, event, type EventOf, type StreamKind } from '@aos/kernel';

export type EmailAttachment = {
  name: string;
  mime_type: string;
  size_bytes: number;
  /** Digest of its bytes among the organization's blobs; absent when they were not handed over. Never published. */
  digest?: string;
};

/** What says that no person waits for an answer (rule TE16). */
export type AutomaticMail = 'auto_submitted' | 'list' | 'bulk' | 'bounce';

/** A mail as it was handed over; the contract's names. */
export type Email = {
  id: string;
  org_id: string;
  message_id: string | null;
  from: string;
  to: string[];
  cc: string[];
  reply_to: string | null;
  subject: string;
  text: string | null;
  html: string | null;
  in_reply_to: string | null;
  /** Message ids of its thread, oldest first; absent: it names none. */
  references?: string[];
  /** Sender of the envelope; absent: it was not handed over. */
  envelope_from?: string;
  /** A program wrote it, or it went to many; absent: a person may have written it. */
  automatic?: AutomaticMail;
  attachments: EmailAttachment[];
  received_at: string;
};

/**
 * One stream `email-<id without prefix>` for each mail of an organization: the mail once, then every agent that it
 * reached.
 */
export const emailEvents = defineEvents({
  EmailArrived: event<{ email: Email }>(1),
  EmailReachedAgent: event<{ agent_id: string }>(1),
});

export type EmailEvent = EventOf<typeof emailEvents>;

export type EmailState = { readonly hasArrived: boolean; readonly agentIds: readonly string[] };

export const emailKind: StreamKind<EmailState, EmailEvent> = {
  category: 'email',
  events: emailEvents,
  stateVersion: 1,
  initial: () => ({ hasArrived: false, agentIds: [] }),
  evolve(state, { type, data }) {
    return type === 'EmailArrived'
      ? { ...state, hasArrived: true }
      : { ...state, agentIds: [...state.agentIds, data.agent_id] };
  },
};

/** A mail that comes again reaches only agents that it has not reached. */
export function receiveEmail(command: { email: Email; agentIds: readonly string[] }, state: EmailState): EmailEvent[] {
  const reached = command.agentIds
    .filter((id) => !state.agentIds.includes(id))
    .map((agent_id): EmailEvent => ({ type: 'EmailReachedAgent', data: { agent_id } }));
  return state.hasArrived || reached.length === 0
    ? reached
    : [{ type: 'EmailArrived', data: { email: command.email } }, ...reached];
}
