import { given } from '@aos/kernel/testing';
import type { InteractionEvent, ResolutionPolicy } from '../interaction/interaction.events.js';
import { interactionKind, type InteractionState } from '../interaction/interaction.state.js';
import {
  ann,
  at,
  atMs,
  bob,
  cleo,
  creator,
  oneInput,
  opened,
  subscriber,
  submitted,
} from '../testing/interactions.fixture.js';
import { cancel, hide, respond, review, type Participant } from './answering.decide.js';
import { expire } from '../expiry/expiry.decide.js';

const actor = (principalId: string, isAdmin = false, kind: Participant['kind'] = 'human'): Participant => ({
  principalId,
  kind,
  isAdmin,
});
const closing = { now: at, callbackId: 'dlv_1' };
const answer =
  (by: string, text = 'yes', revision = 9) =>
  (state: InteractionState) =>
    respond(
      {
        ...closing,
        by: actor(by),
        responseId: `iresp_${by}`,
        questions: [oneInput],
        set: { answers: [{ question_id: 'response', text }] },
        deliveryId: null,
      },
      state,
      revision,
    );
const judge =
  (by: string, action: 'accept' | 'request_changes', comment: string | null = null) =>
  (state: InteractionState) =>
    review({ ...closing, by: actor(by), action, comment }, state);
const dismiss =
  (by: string, isAdmin = false) =>
  (state: InteractionState) =>
    cancel({ ...closing, by: actor(by, isAdmin), reason: 'no', deliveryId: null }, state);
const after = (ms: number) => (state: InteractionState) => expire({ ...closing, nowMs: atMs + ms }, state);
const policy = (resolution_policy: ResolutionPolicy) => ({ resolution_policy });
const reviewed = { resolution_policy: { type: 'any_of' as const, review: {} }, reviewer_user_ids: [creator] };
const toReview: InteractionEvent[] = [
  opened(reviewed),
  submitted(ann),
  { type: 'SubmittedForReview', data: { round: 1, resolving_response_id: `iresp_${ann}_1`, at } },
];
const completed: InteractionEvent = {
  type: 'InteractionCompleted',
  data: {
    resolving_response_id: `iresp_${ann}_1`,
    responder_id: ann,
    resolved_by: 'any_of',
    response_ids: [`iresp_${ann}_1`],
    response_revisions: [1],
    at,
  },
};
const cancelled: InteractionEvent = {
  type: 'InteractionCancelled',
  data: { by: creator, reason: null, delivery_id: null, at },
};

describe('which response resolves (I20)', () => {
  const table: [ResolutionPolicy, string[], boolean][] = [
    [{ type: 'any_of' }, [], true],
    [{ type: 'all_of' }, [], false],
    [{ type: 'all_of' }, [bob], false],
    [{ type: 'all_of' }, [bob, cleo], true],
    [{ type: 'quorum', threshold: 1 }, [], true],
    [{ type: 'quorum', threshold: 2 }, [], false],
    [{ type: 'quorum', threshold: 2 }, [cleo], true],
    [{ type: 'quorum', threshold: 3 }, [cleo], false],
  ];

  it.each(table)('%j after %j', (resolution_policy, before, resolves) => {
    const events = ['ResponseSubmitted', ...(resolves ? ['InteractionCompleted'] : [])] as InteractionEvent['type'][];
    given(interactionKind, opened(policy(resolution_policy)), ...before.map((by) => submitted(by)))
      .when(answer(ann))
      .thenTypes(...events);
  });

  it('freezes the answers of the one that met the policy, and names those that counted with their revisions', () => {
    given(interactionKind, opened(policy({ type: 'quorum', threshold: 2 })), submitted(bob))
      .when(answer(ann, 'mine', 1))
      .thenState(({ resolution, status }) => {
        expect(status).toBe('completed');
        expect(resolution).toEqual({
          resolved_by: 'quorum',
          at,
          resolving_response_id: `iresp_${ann}`,
          responder_id: ann,
          response_ids: [`iresp_${bob}_1`, `iresp_${ann}`],
          cancel_reason: null,
        });
      });
  });

  it('queues the callback of a subscriber in the same append', () => {
    given(interactionKind, opened({ consumer: subscriber }))
      .when(answer(ann))
      .thenTypes('ResponseSubmitted', 'InteractionCompleted', 'CallbackQueued');
    given(interactionKind, opened({ consumer: subscriber }))
      .when(dismiss(ann))
      .thenTypes('InteractionCancelled', 'CallbackQueued');
    given(interactionKind, opened({ consumer: subscriber, expires_at: at }))
      .when(after(0))
      .thenTypes('InteractionExpired', 'CallbackQueued');
  });
});

describe('who may answer, and when', () => {
  it('only targets (I17); an agent never its own request (S38)', () => {
    given(interactionKind, opened()).when(answer(creator)).thenRefuses('not_interaction_target');
    const own = opened({ created_by: 'agent_1', target_user_ids: ['agent_1', ann] });
    given(interactionKind, own)
      .when((state) =>
        respond(
          {
            ...closing,
            by: actor('agent_1', false, 'agent'),
            responseId: 'r',
            questions: [oneInput],
            set: { value: 'x' },
            deliveryId: null,
          },
          state,
          0,
        ),
      )
      .thenRefuses('not_interaction_target');
  });

  it('once a round (I18)', () => {
    given(interactionKind, opened(policy({ type: 'all_of' })), submitted(ann))
      .when(answer(ann))
      .thenRefuses('already_responded');
    given(interactionKind, ...toReview)
      .when(answer(ann))
      .thenRefuses('already_responded');
    given(interactionKind, ...toReview)
      .when(answer(bob))
      .thenRefuses('interaction_not_open', { status: 'in_review' });
  });

  it('while it is open (I19)', () => {
    given(interactionKind, opened(), submitted(ann), completed)
      .when(answer(bob))
      .thenRefuses('interaction_not_open', { status: 'completed' });
    given(interactionKind, opened(), cancelled)
      .when(answer(bob))
      .thenRefuses('interaction_not_open', { status: 'cancelled' });
  });

  it('with answers that fit, else nothing changes (I15)', () => {
    given(interactionKind, opened()).when(answer(ann, ' ')).thenRefuses('invalid_answer');
  });

  it('one delivery counts once', () => {
    const past: InteractionEvent = {
      type: 'ResponseSubmitted',
      data: { id: 'r', responder_id: ann, answers: [], comment: null, round: 1, at, delivery_id: 'd1', bytes: 1 },
    };
    given(interactionKind, opened(), past, completed)
      .when((state) =>
        respond(
          { ...closing, by: actor(ann), responseId: 'r', questions: [oneInput], set: { value: 'x' }, deliveryId: 'd1' },
          state,
          2,
        ),
      )
      .thenNothing();
  });
});

describe('review (I7, I8)', () => {
  it('holds what met the policy until a reviewer decides', () => {
    given(interactionKind, opened(reviewed)).when(answer(ann)).thenTypes('ResponseSubmitted', 'SubmittedForReview');
    given(interactionKind, ...toReview)
      .when(judge(creator, 'accept'))
      .thenTypes('ReviewAccepted', 'InteractionCompleted');
    given(interactionKind, ...toReview)
      .when(judge(creator, 'accept'))
      .thenState(({ resolution, reviewerId }) => {
        expect(resolution).toMatchObject({
          resolved_by: 'review',
          responder_id: ann,
          response_ids: [`iresp_${ann}_1`],
        });
        expect(reviewerId).toBe(creator);
      });
  });

  it('sends back with a comment to the next round, in which all may answer again', () => {
    given(interactionKind, ...toReview)
      .when(judge(creator, 'request_changes'))
      .thenRefuses('bad_request', { issues: [{ path: '/comment' }] });
    const sentBack: InteractionEvent = {
      type: 'ChangesRequested',
      data: { reviewer_id: creator, comment: 'more', round: 1, at },
    };
    given(interactionKind, ...toReview)
      .when(judge(creator, 'request_changes', 'more'))
      .thenEvents(sentBack);
    given(interactionKind, ...toReview, sentBack)
      .when(answer(ann))
      .thenState(({ status, round, responses }) => {
        expect({ status, round, rounds: responses.map((response) => response.round) }).toEqual({
          status: 'in_review',
          round: 2,
          rounds: [1, 2],
        });
      });
  });

  it('is for reviewers, and for what is under review', () => {
    given(interactionKind, ...toReview)
      .when(judge(ann, 'accept'))
      .thenRefuses('not_interaction_reviewer');
    given(interactionKind, opened(reviewed))
      .when(judge(creator, 'accept'))
      .thenRefuses('interaction_not_in_review', { status: 'pending' });
    given(interactionKind, opened()).when(judge(creator, 'accept')).thenRefuses('interaction_not_in_review');
  });
});

describe('cancel, expiry, hiding', () => {
  it('may be cancelled by those it concerns and by administrators (I24)', () => {
    const concerned = opened({ reviewer_user_ids: ['user_rev'] });
    for (const by of [creator, ann, 'user_rev'])
      given(interactionKind, concerned).when(dismiss(by)).thenTypes('InteractionCancelled');
    given(interactionKind, concerned).when(dismiss('user_eve', true)).thenTypes('InteractionCancelled');
    given(interactionKind, concerned).when(dismiss('user_eve')).thenRefuses('forbidden');
  });

  it('may be cancelled again, but not once it ended otherwise (I25)', () => {
    given(interactionKind, opened(), cancelled).when(dismiss(ann)).thenNothing();
    given(interactionKind, opened(), submitted(ann), completed)
      .when(dismiss(ann))
      .thenRefuses('interaction_not_open', { status: 'completed' });
    given(interactionKind, ...toReview)
      .when(dismiss(creator))
      .thenTypes('InteractionCancelled');
  });

  it('expires at its time, under review too (I38), and only while open', () => {
    given(interactionKind, opened({ expires_at: at }))
      .when(after(-1))
      .thenNothing();
    given(interactionKind, opened({ expires_at: at }))
      .when(after(0))
      .thenTypes('InteractionExpired');
    const [first, ...rest] = toReview;
    expect(first?.type).toBe('InteractionOpened');
    given(interactionKind, opened({ ...reviewed, expires_at: at }), ...rest)
      .when(after(0))
      .thenTypes('InteractionExpired');
    given(interactionKind, opened({ expires_at: at }), cancelled)
      .when(after(0))
      .thenNothing();
    given(interactionKind, opened()).when(after(1e12)).thenNothing();
  });

  it('is hidden once closed, by its creator or an administrator (I30)', () => {
    const by =
      (principalId: string, isAdmin = false) =>
      (state: InteractionState) =>
        hide({ by: actor(principalId, isAdmin), now: at }, state);
    given(interactionKind, opened()).when(by(creator)).thenRefuses('interaction_open', { status: 'pending' });
    given(interactionKind, opened(), cancelled).when(by(creator)).thenTypes('InteractionHidden');
    given(interactionKind, opened(), cancelled).when(by(ann)).thenRefuses('forbidden');
    given(interactionKind, opened(), cancelled, { type: 'InteractionHidden', data: { by: creator, at } })
      .when(by(creator))
      .thenRefuses('not_found');
  });
});
