import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { upcast, type JsonObject } from '@aos/kernel';
import { foldFrozen } from '@aos/kernel/testing';
import { interactionWire } from './interaction.wire.js';
import { interactionEvents, type InteractionEvent } from './interaction.events.js';
import { interactionKind, type InteractionState } from './interaction.state.js';

interface Golden {
  type: InteractionEvent['type'];
  schema_version: number;
  data: JsonObject;
}

const folder = join(__dirname, 'golden');
const golden = readdirSync(folder)
  .sort()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden);

function recorded(type: string): InteractionEvent {
  const found = golden.find((event) => event.type === type);
  if (!found) throw new Error(`${type} has no golden file`);
  return upcast(interactionEvents, found.type, structuredClone(found.data), found.schema_version) as InteractionEvent;
}

const pending = ['InteractionOpened', 'ResponseSubmitted'];
const ended = ['InteractionOpened', 'InteractionCancelled', 'CallbackQueued'];
/** What must have happened before each, and what the state then says. */
const meanings: Record<InteractionEvent['type'], [string[], (state: InteractionState) => unknown, unknown]> = {
  InteractionOpened: [[], ({ status, opening }) => [status, opening?.title], ['pending', 'Plan the release']],
  ResponseSubmitted: [
    ['InteractionOpened'],
    ({ responses, responsesBytes }) => [responses[0]?.answers[0]?.other, responses[0]?.revision, responsesBytes],
    ['tonight', 1, 120],
  ],
  SubmittedForReview: [
    pending,
    ({ status, submittedResponseId }) => [status, submittedResponseId],
    ['in_review', 'iresp_1'],
  ],
  ReviewAccepted: [
    [...pending, 'SubmittedForReview'],
    ({ status, reviewerId }) => [status, reviewerId],
    ['completed', 'svc_backend'],
  ],
  ChangesRequested: [
    [...pending, 'SubmittedForReview'],
    ({ status, round, reviewFeedback }) => [status, round, reviewFeedback],
    ['pending', 2, 'more'],
  ],
  InteractionCompleted: [
    pending,
    ({ status, resolution }) => [status, resolution?.resolved_by, resolution?.response_ids],
    ['completed', 'any_of', ['iresp_1']],
  ],
  InteractionCancelled: [
    ['InteractionOpened'],
    ({ status, resolution }) => [status, resolution?.cancel_reason],
    ['cancelled', 'no time'],
  ],
  InteractionExpired: [
    ['InteractionOpened'],
    ({ status, resolution }) => [status, resolution?.resolved_by],
    ['expired', 'expiry'],
  ],
  InteractionHidden: [['InteractionOpened', 'InteractionCancelled'], ({ hidden }) => hidden, true],
  CallbackQueued: [
    ['InteractionOpened', 'InteractionCancelled'],
    ({ callback }) => [callback?.status, callback?.delivery_id],
    ['pending', 'dlv_1'],
  ],
  CallbackAttemptStarted: [
    ended,
    ({ callback }) => [callback?.attempts, callback?.next_attempt_at],
    [1, '2026-01-01T00:00:30.000Z'],
  ],
  CallbackDelivered: [ended, ({ callback }) => [callback?.status, callback?.last_status_code], ['delivered', 204]],
  CallbackFailed: [
    ended,
    ({ callback }) => [callback?.status, callback?.last_error, callback?.next_attempt_at],
    ['pending', 'http_status', '2026-01-01T00:00:05.000Z'],
  ],
  CallbackAbandoned: [ended, ({ callback }) => [callback?.status, callback?.next_attempt_at], ['abandoned', null]],
  CallbackSecretResealed: [
    ['InteractionOpened'],
    ({ opening }) => opening?.consumer,
    {
      kind: 'http_subscriber',
      http_subscriber: {
        callback_url: 'https://example.com/hook',
        sealed_secret: 's1.k2.c2VhbGVkIGFuZXc',
        secret_version: 1,
      },
    },
  ],
  CallbackRedriven: [
    [...ended, 'CallbackAbandoned'],
    ({ callback }) => [callback?.status, callback?.last_error],
    ['pending', 'timeout'],
  ],
};

describe('recorded events of interactions', () => {
  it('are all kept, at every version', () => {
    for (const [type, { version }] of Object.entries(interactionEvents)) {
      for (let older = 1; older <= version; older += 1) {
        expect(golden.filter((event) => event.type === type && event.schema_version === older)).toHaveLength(1);
      }
    }
  });

  it.each(golden)('reads $type version $schema_version as it was meant', ({ type }) => {
    const [before, said, expected] = meanings[type];
    const state = foldFrozen(interactionKind, [...before, type].map(recorded));
    expect(said(state)).toEqual(expected);
    expect(JSON.stringify(interactionWire(state, null))).not.toContain('sealed');
  });
});
