import { createHmac } from 'node:crypto';
import { backoffMs, fold } from '@aos/kernel';
import { given } from '@aos/kernel/testing';
import { signedHeaders } from '@aos/platform';
import type { InteractionEvent } from '../interaction/interaction.events.js';
import { callbackTriesMax } from '../interaction/interaction.limits.js';
import { interactionKind, type InteractionState } from '../interaction/interaction.state.js';
import { at, atMs, creator, opened, orgId, subscriber } from '../testing/interactions.fixture.js';
import { newSigningSecret } from './callback-signing.js';
import { endAttempt, redrive, startAttempt } from './callbacks.decide.js';

const owed: InteractionEvent[] = [
  opened({ consumer: subscriber }),
  { type: 'InteractionCancelled', data: { by: creator, reason: null, delivery_id: null, at } },
  { type: 'CallbackQueued', data: { delivery_id: 'dlv_1', at } },
];
const start = (nowMs: number) => (state: InteractionState) => startAttempt({ nowMs, givenUpAfterMs: 30_000 }, state);
const end =
  (attempt: number, error: string | null, statusCode: number | null = null, nowMs = atMs) =>
  (state: InteractionState) =>
    endAttempt({ attempt, nowMs, random: 0.5, statusCode, error }, state);

describe('tries of a callback (I35)', () => {
  it('begin in the stream, and come up again should their process fall', () => {
    given(interactionKind, ...owed)
      .when(start(atMs))
      .thenEvents({
        type: 'CallbackAttemptStarted',
        data: { attempt: 1, at, due_again_at: '2026-01-01T00:00:30.000Z' },
      });
    const begun = start(atMs)(fold(interactionKind, owed));
    given(interactionKind, ...owed, ...begun)
      .when(start(atMs + 29_999))
      .thenNothing();
    given(interactionKind, ...owed, ...begun)
      .when(start(atMs + 30_000))
      .thenTypes('CallbackAttemptStarted');
  });

  it('are at most twenty, over about 27 hours, under one delivery id', () => {
    let state = fold(interactionKind, owed);
    let revision = owed.length - 1;
    let nowMs = atMs;
    const types: string[] = [];
    const take = (events: InteractionEvent[]) => {
      for (const event of events) {
        revision += 1;
        types.push(event.type);
        state = interactionKind.evolve(state, event, revision);
      }
    };
    for (let tries = 0; tries < 25 && state.callback?.status === 'pending'; tries += 1) {
      nowMs = Math.max(nowMs, Date.parse(state.callback.next_attempt_at ?? at));
      take(start(nowMs)(state));
      take(end(state.callback.attempts, 'timeout', null, nowMs)(state));
    }
    expect(types.filter((type) => type === 'CallbackAttemptStarted')).toHaveLength(callbackTriesMax);
    expect(types.at(-1)).toBe('CallbackAbandoned');
    expect((nowMs - atMs) / 3_600_000).toBeCloseTo(26.7, 1);
    expect(state.callback).toMatchObject({
      status: 'abandoned',
      attempts: 20,
      next_attempt_at: null,
      last_error: 'timeout',
      delivery_id: 'dlv_1',
    });
    take(redrive({ orgId, by: 'operator', now: at }, state));
    expect(state.callback).toMatchObject({ status: 'pending', delivery_id: 'dlv_1' });
    take(start(nowMs)(state));
    take(end(21, null, 204)(state));
    expect(state.callback).toMatchObject({
      status: 'delivered',
      attempts: 21,
      last_status_code: 204,
      last_error: null,
      next_attempt_at: null,
    });
    expect(() => redrive({ orgId, by: 'operator', now: at }, state)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
  });

  it('that fell with their process still end: the twentieth is the last', () => {
    let state = fold(interactionKind, owed);
    let nowMs = atMs;
    for (let tries = 0; tries < 20; tries += 1, nowMs += 30_000)
      for (const event of start(nowMs)(state)) state = interactionKind.evolve(state, event, tries + 3);
    expect(start(nowMs)(state)).toMatchObject([{ type: 'CallbackAbandoned', data: { error: 'interrupted' } }]);
  });

  it('that end late: a success counts, a failure does not', () => {
    const twice: InteractionEvent[] = [
      ...owed,
      ...[1, 2].map((attempt): InteractionEvent => ({
        type: 'CallbackAttemptStarted',
        data: { attempt, at, due_again_at: at },
      })),
    ];
    given(interactionKind, ...twice)
      .when(end(1, 'timeout'))
      .thenNothing();
    given(interactionKind, ...twice)
      .when(end(1, null, 200))
      .thenTypes('CallbackDelivered');
    given(interactionKind, ...twice, { type: 'CallbackDelivered', data: { attempt: 2, status_code: 200, at } })
      .when(end(1, null, 200))
      .thenNothing();
  });

  it('wait 5 s doubling to 3 h, with jitter', () => {
    expect([1, 2, 3, 11, 12, 19].map((tried) => backoffMs(tried, 0.5) / 1000)).toEqual([
      5, 10, 20, 5120, 10_240, 10_800,
    ]);
    expect([backoffMs(1, 0), backoffMs(1, 1)]).toEqual([4500, 5500]);
  });
});

describe('the signature (I34)', () => {
  const body = Buffer.from('{"a":"ü"}', 'utf8');
  const signed = (secret: string, token = 'svc') =>
    signedHeaders({
      token,
      secret,
      secretVersion: 1,
      deliveryId: 'dlv_1',
      eventType: 'interaction.resolved',
      timestamp: 1_767_225_600,
      body,
    });

  it('covers version, delivery, time and raw body with the decoded secret', () => {
    const bytes = Buffer.alloc(32, 7);
    const secret = newSigningSecret(bytes);
    expect(secret).toMatch(/^whsec_[A-Za-z0-9_-]{43}$/);
    const expected = createHmac('sha256', bytes)
      .update(Buffer.concat([Buffer.from('v1.dlv_1.1767225600.'), body]))
      .digest('hex');
    expect(signed(secret)).toEqual({
      'Content-Type': 'application/json',
      'Idempotency-Key': 'dlv_1',
      'X-Svc-Signature': `sha256=${expected}`,
      'X-Svc-Signature-Version': 'v1',
      'X-Svc-Timestamp': '1767225600',
      'X-Svc-Delivery-Id': 'dlv_1',
      'X-Svc-Secret-Version': '1',
      'X-Svc-Event-Type': 'interaction.resolved',
    });
  });

  it("uses any other secret as text, and the deployment's token", () => {
    const expected = createHmac('sha256', 'a secret of mine').update('v1.dlv_1.1767225600.').update(body).digest('hex');
    expect(signed('a secret of mine', 'acme')['X-Acme-Signature']).toBe(`sha256=${expected}`);
  });
});
