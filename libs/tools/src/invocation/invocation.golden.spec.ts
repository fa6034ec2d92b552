import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { upcast, type JsonObject } from '@aos/kernel';
import { foldFrozen } from '@aos/kernel/testing';
import { invocationEntry } from './invocation.projection.js';
import { invocationEvents, type InvocationEvent } from './invocation.events.js';
import { invocationKind, type InvocationState } from './invocation.state.js';

interface Golden {
  type: InvocationEvent['type'];
  schema_version: number;
  data: JsonObject;
}

const folder = join(__dirname, 'golden');
const golden = readdirSync(folder)
  .sort()
  .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Golden);

function recorded(type: string): InvocationEvent {
  const found = golden.find((event) => event.type === type);
  if (!found) throw new Error(`${type} has no golden file`);
  return upcast(invocationEvents, found.type, structuredClone(found.data), found.schema_version) as InvocationEvent;
}

/** What must have happened before each, and what the state then says. */
const meanings: Record<InvocationEvent['type'], [string[], (state: InvocationState) => unknown, unknown]> = {
  InvocationStarted: [
    [],
    ({ opening, digest, runs, end }) => [opening?.delivery_id, digest, runs, end],
    ['dlv_0000000000000000000001', 'd1', 1, null],
  ],
  InvocationTakenOver: [['InvocationStarted'], ({ runs, end }) => [runs, end], [2, null]],
  InvocationFinished: [
    ['InvocationStarted'],
    ({ end }) => [end?.status, end?.http_status, end?.retry_count],
    ['success', 200, 1],
  ],
  InvocationRecorded: [
    [],
    ({ opening, end }) => [opening?.call?.tool_call_id, end?.error?.code],
    ['toolu_a', 'not_found'],
  ],
};

describe('recorded events of invocations', () => {
  it('are all kept, in every version', () => {
    for (const [type, { version }] of Object.entries(invocationEvents)) {
      expect(golden.filter((event) => event.type === type).map((event) => event.schema_version)).toEqual(
        Array.from({ length: version }, (_, older) => older + 1),
      );
    }
  });

  it.each(Object.entries(meanings))('%s still means what it did', (type, [before, read, meaning]) => {
    expect(read(foldFrozen(invocationKind, [...before, type].map(recorded)))).toEqual(meaning);
  });

  it('keep neither input nor output in the state', () => {
    const state = foldFrozen(invocationKind, ['InvocationStarted', 'InvocationFinished'].map(recorded));
    expect(Object.keys(state).sort()).toEqual(['digest', 'end', 'opening', 'runs']);
  });

  it('show as records', () => {
    const entryOf = (...types: string[]) => {
      const { opening, end } = foldFrozen(invocationKind, types.map(recorded));
      if (!opening || !end) throw new Error('not over');
      return invocationEntry(opening, end);
    };
    expect(entryOf('InvocationStarted', 'InvocationFinished')).toEqual({
      id: 'inv_0000000000000000000001',
      job_id: 'job_0000000000000000000001',
      delivery_id: 'dlv_0000000000000000000001',
      source: 'direct_action_invoke',
      action_id: 'act_a',
      action_name: 'mail.send',
      definition_scope: 'custom',
      invocation_format: 'signed_context_v1',
      schema_version: 1,
      actor_principal_id: 'svc_backend',
      actor_principal_type: 'service',
      correlation_id: 'req-1',
      parameters: { to: 'ü' },
      output_summary: { bytes: 13, preview: '{"sent":true}', truncated: false },
      status: 'success',
      http_status: 200,
      retry_count: 1,
      secret_version: 2,
      started_at: '2026-01-01T00:00:00.000Z',
      finished_at: '2026-01-01T00:00:02.000Z',
    });
    expect(entryOf('InvocationRecorded')).toMatchObject({
      source: 'agent_tool_call',
      agent_id: 'agent_a',
      session_id: 'ses_a',
      agent_turn_id: 'turn_a',
      tool_call_id: 'toolu_a',
      status: 'failed',
      error_type: 'not_found',
      error_message: 'no such row',
    });
  });
});
