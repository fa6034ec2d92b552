import type { Identity } from '@aos/kernel';
import { CountingIds, ManualClock } from '@aos/kernel/testing';
import { MemoryEventStore } from '@aos/adapters/memory';
import type { Execution, OrganizationSalts } from '@aos/access/published';
import type { ActionCatalog, SchemaChecker } from '@aos/definitions/published';
import type { Readiness } from '@aos/platform';
import { memoryDecisions, soundBus } from '@aos/platform/testing';
import type { ActionCarrier } from './action-carrier.js';
import { CallableActions } from './callable-actions.js';
import { InvocationAnswers } from './invocation-answers.js';
import type { InvocationRuns } from './invocation-runs.js';
import { InvokeAction } from './invoking.commands.js';
import { InvokeActionHandler } from './invoking.handlers.js';

const action = {
  name: 'pay',
  source: 'custom',
  annotations: {},
  visibility: 'organization',
  definition_scope: 'custom',
  endpoint_kind: 'http',
  input_schema: {},
};
const who = {
  orgId: 'org_a',
  principalId: 'svc_a',
  kind: 'service',
  permissions: new Set(),
  roles: [],
  cap: null,
  apiKeyId: null,
  ip: null,
  requestId: 'req',
} as unknown as Identity;

/** A handler whose action never ends, and whose schema check takes a while; gives how long its answer was held. */
async function held(timeoutSeconds: number | undefined, checkMs = 0): Promise<{ heldMs: number; answer: object }> {
  const clock = new ManualClock();
  const bus = soundBus(clock);
  const decisions = memoryDecisions({ store: new MemoryEventStore({ clock }), clock, bus });
  const checking = {
    fault: async () => {
      clock.advance(checkMs);
      return null;
    },
  } as unknown as SchemaChecker;
  const runs = {
    begin: async (_orgId: string, _id: string, begun: () => Promise<unknown>) => {
      await begun();
    },
  } as unknown as InvocationRuns;
  const readiness = { onStop: () => ({ close: () => undefined }) } as unknown as Readiness;
  const handler = new InvokeActionHandler(
    decisions,
    new CallableActions(
      { action: async () => action } as unknown as ActionCatalog,
      { mayExecute: async () => true } as unknown as Execution,
      checking,
      { unready: async () => null } as unknown as ActionCarrier,
    ),
    {} as OrganizationSalts,
    runs,
    new InvocationAnswers(decisions, runs, bus, clock, readiness),
    clock,
    new CountingIds(),
  );
  const begun = clock.monotonic();
  let answer: object | null = null;
  const asked = handler
    .execute(
      new InvokeAction(who, {
        action_name: 'pay',
        body: timeoutSeconds === undefined ? {} : { timeout_seconds: timeoutSeconds },
        key: null,
      }),
    )
    .then((given) => {
      answer = given;
    });
  for (let seconds = 0; seconds < 130 && answer === null; seconds += 1) {
    for (let turn = 0; turn < 50 && answer === null; turn += 1)
      await new Promise<void>((resolve) => {
        setImmediate(resolve);
      });
    if (answer === null) clock.advance(1000);
  }
  await asked;
  return { heldMs: clock.monotonic() - begun, answer: answer ?? {} };
}

describe('rule L7: how long the answer of a direct invocation is held', () => {
  it.each([
    [undefined, 30_000],
    [1, 1000],
    [49, 49_000],
    [50, 50_000],
    [120, 50_000],
  ])('asked for %s s: %s ms, then it is active', async (seconds, heldMs) => {
    expect(await held(seconds)).toEqual({
      heldMs,
      answer: { isOver: false, body: { status: 'active', job_id: expect.stringMatching(/^job_/) as string } },
    });
  });

  it('what comes before the wait counts', async () => {
    expect((await held(120, 20_000)).heldMs).toBe(50_000);
  });
});
