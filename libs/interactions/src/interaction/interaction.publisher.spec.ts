import { fold, type OpenedEvent, type PublicEvent } from '@aos/kernel';
import type { InteractionEvent } from './interaction.events.js';
import { interactionKind } from './interaction.state.js';
import { ann, at, bob, creator, interactionId, oneInput, opened, submitted } from '../testing/interactions.fixture.js';
import { respond } from '../answering/answering.decide.js';
import { expire } from '../expiry/expiry.decide.js';
import { interactionPublisher } from './interaction.publisher.js';

/** What a whole stream tells, as the one way out asks for it. */
function told(log: readonly InteractionEvent[]): PublicEvent[] {
  const recorded = log.map(({ type, data }, revision): OpenedEvent => ({
    stream: `interaction-${interactionId}`,
    revision,
    id: `e${revision}`,
    type,
    meta: {},
    data,
  }));
  return recorded
    .filter(({ type }) => interactionPublisher.publishes.has(type))
    .flatMap((event) => {
      const needed = (interactionPublisher.needs?.(event) ?? []).map(
        ({ revision }) => recorded[revision] as OpenedEvent,
      );
      return [...interactionPublisher.publish(event, needed)];
    });
}

const twice = opened({ resolution_policy: { type: 'quorum', threshold: 2 } });

describe('what interactions tell', () => {
  it('is one opening and one end; tries of callbacks stay inside', () => {
    const before = [twice, submitted(bob)];
    const end = respond(
      {
        now: at,
        callbackId: 'dlv_1',
        by: { principalId: ann, kind: 'human', isAdmin: false },
        responseId: 'iresp_2',
        questions: [oneInput],
        set: { value: 'mine', comment: 'c' },
        deliveryId: null,
      },
      fold(interactionKind, before),
      1,
    );
    const [created, resolved, ...others] = told([
      ...before,
      ...end,
      { type: 'CallbackQueued', data: { delivery_id: 'dlv_1', at } },
    ]);
    expect(others).toEqual([]);
    expect(created).toMatchObject({
      event_type: 'interaction.created',
      source_kind: 'interaction',
      source_id: interactionId,
      routing: { interaction_id: interactionId, kind: 'request_information', target_user_ids: [ann, bob, 'user_cleo'] },
      event: { status: 'pending', consumer_kind: 'none', created_by: creator, session_id: null, agent_id: null },
      reach: { visibility: 'private', principal_ids: [creator, ann, bob, 'user_cleo'] },
    });
    expect(resolved?.routing).toEqual({
      interaction_id: interactionId,
      kind: 'request_information',
      status: 'completed',
      consumer_kind: 'none',
      responder_id: ann,
      resolving_response_id: 'iresp_2',
    });
    expect(resolved?.event).toMatchObject({
      status: 'completed',
      responder_id: ann,
      comment: 'c',
      resolved_by: 'quorum',
      cancel_reason: null,
      resolved_at: at,
      outcome: {
        answers: [{ question_id: 'response', text: 'mine' }],
        comment: 'c',
        responses: [{ responder_id: bob }, { response_id: 'iresp_2', responder_id: ann }],
      },
    });
  });

  it('says of cancellation and expiry that nobody responded', () => {
    const past = [opened({ expires_at: at })];
    const expired = expire({ now: at, nowMs: Date.parse(at), callbackId: 'd' }, fold(interactionKind, past));
    const cancelled: InteractionEvent = {
      type: 'InteractionCancelled',
      data: { by: ann, reason: 'no', delivery_id: null, at },
    };
    for (const [end, status, reason] of [
      [expired, 'expired', null],
      [[cancelled], 'cancelled', 'no'],
    ] as const) {
      const [, resolved] = told([...past, ...end]);
      expect(resolved?.event).toMatchObject({
        status,
        responder_id: null,
        resolving_response_id: null,
        outcome: null,
        comment: null,
        cancel_reason: reason,
      });
    }
  });

  it('rule I29: is for those named, and for readers of the asking session who reach its agent, private or not', () => {
    const asked = opened({
      visibility: 'organization',
      agent_id: 'agent_1',
      consumer: {
        kind: 'agent_tool',
        agent_tool: { invocation_id: 'turn_1', tool_call_id: 'c', session_id: 'ses_1' },
        principal: { id: creator, kind: 'service' },
      },
    });
    expect(told([asked])[0]).toMatchObject({
      event: { session_id: 'ses_1', agent_id: 'agent_1', consumer_kind: 'agent_tool' },
      reach: { visibility: 'organization', agent_id: 'agent_1', asking_session_id: 'ses_1' },
    });
    expect(told([{ ...asked, data: { ...asked.data, visibility: 'private' } } as typeof asked])[0]).toMatchObject({
      reach: { visibility: 'private', agent_id: 'agent_1', asking_session_id: 'ses_1' },
    });
  });
});
