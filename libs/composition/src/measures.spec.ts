import { Metrics, type WriteObserver } from '@aos/platform';
import { measureWrites } from './measures.js';

async function measured(write: (observer: WriteObserver) => void): Promise<string> {
  const metrics = new Metrics();
  measureWrites({ observe: write }, metrics);
  return metrics.text();
}

const turn = {
  id: 'turn_1',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.200Z',
  completed_at: '2026-01-01T00:00:04.000Z',
};

it('measures turns, tokens, outcomes and conflicts from what was recorded, and names nobody', async () => {
  const text = await measured(({ recorded, conflicted }) => {
    recorded(
      'session',
      [
        { type: 'TurnClaimed', data: { turn, epoch: 1 } },
        { type: 'TurnClaimed', data: { turn, epoch: 1, active_ms: 15_000 } },
        { type: 'TurnClaimed', data: { turn, epoch: 2 } },
        { type: 'TurnCompleted', data: { turn } },
        {
          type: 'ModelAnswered',
          data: {
            turn_id: 'turn_1',
            provider: 'anthropic',
            usage: { input_tokens: 70, output_tokens: 5, cache_read_input_tokens: 0 },
            active_ms: 1,
          },
        },
        { type: 'ToolCallFinished', data: { outcome: { tool_call_id: 'call_1', status: 'error' } } },
      ],
      'org_1',
    );
    recorded('invocation', [{ type: 'InvocationFinished', data: { end: { status: 'success' } } }], 'org_1');
    recorded(
      'interaction',
      [
        { type: 'CallbackAbandoned', data: {} },
        { type: 'CallbackDelivered', data: {} },
      ],
      'org_1',
    );
    conflicted('session');
  });
  for (const line of [
    'turn_duration_seconds_sum{status="completed"} 4',
    'turn_queue_seconds_count 1',
    'turn_queue_seconds_sum 0.2',
    'model_tokens_total{provider="anthropic",kind="input"} 70',
    'model_tokens_total{provider="anthropic",kind="output"} 5',
    'model_calls_total{provider="anthropic"} 1',
    'tool_calls_total{status="error"} 1',
    'action_invocations_total{status="success"} 1',
    'callback_attempts_total{outcome="abandoned"} 1',
    'append_conflicts_total{category="session"} 1',
    'events_recorded_total{category="session",type="TurnClaimed"} 3',
  ])
    expect(text).toContain(line);
  for (const hidden of ['turn_1', 'call_1', 'kind="cache_read"']) expect(text).not.toContain(hidden);
});

it('tells at most twenty providers apart', async () => {
  const text = await measured(({ recorded }) => {
    for (let index = 0; index < 30; index += 1)
      recorded('session', [{ type: 'ModelAnswered', data: { provider: `p${index}`, usage: {} } }], 'org_1');
  });
  expect(text).toContain('model_calls_total{provider="other"} 10');
  expect(text).not.toContain('"p20"');
});
