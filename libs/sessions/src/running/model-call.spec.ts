import type { ModelEvent } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import type { AgentRecord } from '@aos/definitions/published';
import type { ToolCalls } from '../calls/tool-calls.js';
import type { ToolContext } from '../calls/toolbox.js';
import type { Compactor } from '../compaction/compactor.js';
import type { ModelInput } from '../model/model-input.js';
import type { ModelRoutes } from '../model/model-routes.js';
import type { SessionState } from '../session/session.state.js';
import { sessionId } from '../testing/session.fixture.js';
import type { OutputContract } from '../turn/output-contract.js';
import { ModelCall } from './model-call.js';
import type { RunningAgents } from './running-agents.js';
import type { TurnRun } from './turn-run.js';

/** Makes one model call; gives how often the agent was looked at before the answer was recorded. */
async function looksDuring(during: { request?: (clock: ManualClock) => void; answer?: (clock: ManualClock) => void }) {
  const clock = new ManualClock();
  const usage = { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 };
  async function* answer(): AsyncGenerator<ModelEvent> {
    during.answer?.(clock);
    yield { type: 'block_start', index: 0, block: { type: 'text' } };
    yield { type: 'block_stop', index: 0, block: { type: 'text', text: 'hi' } };
    yield { type: 'done', stop: 'end', usage: { ...usage, reasoning_tokens: 0 }, model: 'm', provider: 'p' };
  }
  const models = {
    of: () => ({ option: { id: 'm', contextWindowTokens: 1000, plans: null }, stream: answer }),
    isAllowed: () => Promise.resolve(true),
  } as unknown as ModelRoutes;
  const input = {
    gather: () => Promise.resolve({ contextTokens: 1 }),
    request: () => {
      during.request?.(clock);
      return Promise.resolve({ model: 'm' });
    },
  } as unknown as ModelInput;
  const compactor = { dueInTurn: () => null } as unknown as Compactor;
  const tools = { resolve: () => Promise.resolve([]) } as unknown as ToolCalls;
  const agents = { agent: jest.fn(() => Promise.resolve()) };
  const call = new ModelCall(
    models,
    input,
    compactor,
    tools,
    {} as OutputContract,
    agents as unknown as RunningAgents,
    clock,
  );
  const commit = jest.fn(() => Promise.resolve([]));
  const live = { startRow: () => undefined, show: () => undefined, endRow: () => undefined };
  const { signal } = new AbortController();
  const run = { finished: [], passTriedAt: null, activeMs: 0, signal, live, commit } as unknown as TurnRun;
  const turn = { turn: { id: 'turn_1' }, ordinal: 0, nextIndex: 1, calls: 0, input: {} };
  const agent = { id: 'agent_1', wire: {} } as AgentRecord;
  const context = { orgId: 'org_a', sessionId, turn, agent } as unknown as ToolContext;
  await call.make(run, context, {} as SessionState, 3);
  expect(commit).toHaveBeenCalledTimes(1);
  return agents.agent.mock.calls.length;
}

describe('rules N12, R16, A32: before a last answer completes the turn, its agent is looked at', () => {
  it('when the answer took a second, and not when it came sooner: the agent was looked at before it', async () => {
    expect(await looksDuring({ answer: (clock) => clock.advance(999) })).toBe(0);
    expect(await looksDuring({ answer: (clock) => clock.advance(1000) })).toBe(1);
  });

  it('also when the clock of the machine was set back meanwhile', async () => {
    const answer = (clock: ManualClock) => {
      clock.advance(5000);
      clock.jump(-60_000);
    };
    expect(await looksDuring({ answer })).toBe(1);
  });

  it('also when what took long was its input, such as media at a slow address', async () => {
    expect(await looksDuring({ request: (clock) => clock.advance(5000) })).toBe(1);
  });
});
