import { Refusal } from '@aos/kernel';
import { given } from '@aos/kernel/testing';
import { interactionKind } from '../interaction/interaction.state.js';
import { ann, atMs, bob, creator, opened, opening } from '../testing/interactions.fixture.js';
import { openInteraction, planInteraction, type AskedInteraction } from './opening.decide.js';

const body = (changes: Partial<AskedInteraction> = {}): AskedInteraction => ({
  kind: 'request_information',
  title: 'T',
  target_user_ids: [ann, bob],
  ...changes,
});

function refused(changes: Partial<AskedInteraction>): unknown[] {
  try {
    planInteraction(body(changes), creator, atMs);
    return [];
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return [error.code, ...((error.details.issues ?? []) as { path: string }[]).map(({ path }) => path)];
  }
}

describe('what a body asks for', () => {
  it('is answered by any target, for nobody in particular, unless it says otherwise (I1, I6)', () => {
    expect(planInteraction(body(), creator, atMs)).toMatchObject({
      policy: { type: 'any_of' },
      consumer: { kind: 'none' },
      reviewers: [],
    });
    expect(planInteraction(body({ require_all: true }), creator, atMs).policy).toEqual({ type: 'all_of' });
    expect(planInteraction(body({ require_all: false }), creator, atMs).policy).toEqual({ type: 'any_of' });
    expect(refused({ require_all: false, resolution_policy: { type: 'any_of' } })).toEqual([
      'bad_request',
      '/require_all',
    ]);
  });

  it('names a threshold exactly for a quorum, within its targets (I5)', () => {
    expect(refused({ resolution_policy: { type: 'quorum', threshold: 2 } })).toEqual([]);
    expect(refused({ resolution_policy: { type: 'quorum', threshold: 3 } })).toEqual([
      'bad_request',
      '/resolution_policy/threshold',
    ]);
    expect(refused({ resolution_policy: { type: 'quorum' } })).toEqual(['bad_request', '/resolution_policy/threshold']);
    expect(refused({ resolution_policy: { type: 'all_of', threshold: 2 } })).toEqual([
      'bad_request',
      '/resolution_policy/threshold',
    ]);
  });

  it('is reviewed by those named, else by its creator, who must not be a target (I8)', () => {
    expect(
      planInteraction(body({ resolution_policy: { type: 'any_of', review: {} } }), creator, atMs).reviewers,
    ).toEqual([creator]);
    expect(
      planInteraction(
        body({ resolution_policy: { type: 'any_of', review: { reviewer_user_ids: ['user_r'] } } }),
        creator,
        atMs,
      ).reviewers,
    ).toEqual(['user_r']);
    expect(refused({ target_user_ids: [creator], resolution_policy: { type: 'any_of', review: {} } })).toEqual([
      'bad_request',
      '/resolution_policy/review/reviewer_user_ids',
    ]);
  });

  it('has the member of its consumer and no other (I1)', () => {
    expect(refused({ consumer: { kind: 'http_subscriber' } })).toEqual(['bad_request', '/consumer/http_subscriber']);
    expect(refused({ consumer: { kind: 'none', agent_tool: { invocation_id: 'x', tool_call_id: 'y' } } })).toEqual([
      'bad_request',
      '/consumer/agent_tool',
    ]);
  });

  it('expires in the future (I26)', () => {
    expect(refused({ expires_at: '2026-01-01T00:00:00Z' })).toEqual(['invalid_argument']);
    expect(refused({ expires_at: '2026-01-01T00:00:00.001Z' })).toEqual([]);
  });

  it('is opened once by one delivery', () => {
    given(interactionKind)
      .when((state) => openInteraction(opening(), state))
      .thenTypes('InteractionOpened');
    given(interactionKind, opened({ delivery_id: 'd1' }))
      .when((state) => openInteraction(opening({ delivery_id: 'd1' }), state))
      .thenNothing();
    given(interactionKind, opened())
      .when((state) => openInteraction(opening(), state))
      .thenRefuses('already_exists');
  });
});
