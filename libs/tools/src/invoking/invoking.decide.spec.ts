import { given } from '@aos/kernel/testing';
import type {
  InvocationEnd,
  InvocationEvent,
  InvocationOpening,
  InvokingCaller,
} from '../invocation/invocation.events.js';
import { runsMax } from '../invocation/invocation.limits.js';
import { invocationKind } from '../invocation/invocation.state.js';
import { shownOutput, shownParameters } from '../invocation/shown.decide.js';
import { finishInvocation, requestDigest, startInvocation, takeInvocationOver } from './invoking.decide.js';
import { recordToolCall } from '../invocation/tool-call.decide.js';

const now = '2026-01-01T00:00:09.000Z';
const opening: InvocationOpening = {
  id: 'inv_a',
  org_id: 'org_a',
  job_id: 'job_a',
  delivery_id: 'dlv_a',
  source: 'direct_action_invoke',
  call: null,
  correlation_id: 'req',
  parameters: {},
  started_at: '2026-01-01T00:00:00.000Z',
  action: { id: 'act_a', name: 'pay', definition_scope: 'custom', endpoint_kind: 'http', invocation_format: 'legacy' },
  actor: { principal_id: 'svc_a', kind: 'service' },
};
const caller: InvokingCaller = { api_key_id: null, permissions: [], roles: [], cap: null, ip: null };
const end: InvocationEnd = {
  status: 'success',
  error: null,
  output_summary: null,
  http_status: 200,
  retry_count: 0,
  secret_version: 1,
  finished_at: now,
};
const started = (digest = 'd'): InvocationEvent => ({
  type: 'InvocationStarted',
  data: { opening, caller, input: {}, digest },
});
const takenOver = (run: number): InvocationEvent => ({ type: 'InvocationTakenOver', data: { run, at: now } });
const finished: InvocationEvent = { type: 'InvocationFinished', data: { end, output: {} } };
const start =
  (digest = 'd') =>
  (state: Parameters<typeof startInvocation>[1]) =>
    startInvocation({ opening, caller, input: {}, digest }, state);

describe('direct invocations', () => {
  it('G18: a key begins one request, and is answered for the same one again', () => {
    given(invocationKind).when(start()).thenEvents(started());
    given(invocationKind, started()).when(start()).thenNothing();
    given(invocationKind, started(), finished).when(start()).thenNothing();
    given(invocationKind, started()).when(start('other')).thenRefuses('idempotency_conflict', { job_id: 'job_a' });
    given(invocationKind, started(), finished)
      .when(start('other'))
      .thenRefuses('idempotency_conflict', { job_id: 'job_a' });
  });

  it('the same request is the same whatever the order of its members', () => {
    expect(requestDigest('pay', { a: 1, b: { c: 1, d: 2 } })).toBe(requestDigest('pay', { b: { d: 2, c: 1 }, a: 1 }));
    expect(
      new Set([requestDigest('pay', { a: 1 }), requestDigest('pay', { a: 2 }), requestDigest('pays', { a: 1 })]).size,
    ).toBe(3);
  });

  it('R24: a run that fell is taken over once, by one process, and not for ever', () => {
    given(invocationKind, started())
      .when((state) => takeInvocationOver({ deadRun: 1, now }, state))
      .thenEvents(takenOver(2));
    given(invocationKind, started(), takenOver(2))
      .when((state) => takeInvocationOver({ deadRun: 1, now }, state))
      .thenNothing();
    given(invocationKind, started(), finished)
      .when((state) => takeInvocationOver({ deadRun: 1, now }, state))
      .thenNothing();
    given(invocationKind)
      .when((state) => takeInvocationOver({ deadRun: 0, now }, state))
      .thenNothing();
    given(invocationKind, started(), takenOver(runsMax))
      .when((state) => takeInvocationOver({ deadRun: runsMax, now }, state))
      .thenState((state) => {
        expect(state.end).toMatchObject({ status: 'failed', error: { code: 'interrupted' }, finished_at: now });
      });
  });

  it('invariant 26: the first result stands', () => {
    given(invocationKind, started())
      .when((state) => finishInvocation({ end, output: {} }, state))
      .thenEvents(finished);
    given(invocationKind, started(), takenOver(2))
      .when((state) => finishInvocation({ end, output: {} }, state))
      .thenEvents(finished);
    given(invocationKind, started(), finished)
      .when((state) => finishInvocation({ end, output: { late: true } }, state))
      .thenNothing();
    given(invocationKind)
      .when((state) => finishInvocation({ end, output: {} }, state))
      .thenNothing();
  });

  it('a tool call that is made again after a crash is recorded once', () => {
    const recorded: InvocationEvent = { type: 'InvocationRecorded', data: { opening, end } };
    given(invocationKind)
      .when((state) => recordToolCall({ opening, end }, state))
      .thenEvents(recorded);
    given(invocationKind, recorded)
      .when((state) => recordToolCall({ opening, end }, state))
      .thenNothing();
  });
});

describe('what records show', () => {
  it('small inputs whole, large ones by their beginning', () => {
    expect(shownParameters({ a: 1 })).toEqual({ a: 1 });
    expect(shownParameters({ s: '€'.repeat(2700) })).toHaveProperty('s');
    const shown = shownParameters({ s: '€'.repeat(2731) });
    expect(shown).toMatchObject({
      truncated: true,
      bytes: 8201,
      preview: expect.stringMatching(/^\{"s":"€{10}/) as string,
    });
    expect(String(shown.preview)).toHaveLength(1000);
  });

  it('outputs by their beginning, with what was left out of a reply', () => {
    expect(shownOutput({ a: 1 }, null)).toEqual({ bytes: 7, preview: '{"a":1}', truncated: false });
    expect(shownOutput({}, 'context is over its limits')).toEqual({
      bytes: 2,
      preview: '{}',
      truncated: false,
      warnings: ['context is over its limits'],
    });
  });
});
