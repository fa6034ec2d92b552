import { expectGoldenStates, goldenEvents } from '@aos/kernel/testing';
import { expectComplete, foldGolden, goldenHistory } from '../testing/golden.fixture.js';
import { agentKind } from './agent.state.js';

const events = goldenEvents(__dirname);

describe('recorded events of agents', () => {
  it('are all kept', () => {
    expectComplete(agentKind, events);
  });

  it.each(events)('reads $file as the state it left', (event) => {
    expect(foldGolden(agentKind, event)).toEqual({ record: event.data.record });
  });

  it('fold to the states that snapshots of this version hold', () => {
    const history = goldenHistory(
      agentKind,
      events,
      'AgentCreated',
      'AgentConfigured',
      'AgentSkillsAssigned',
      'AgentInboxProvisioned',
      'BindingAttached',
      'ProtectionSet',
      'BindingDetached',
      'AgentDeleted',
      'AgentCustodyChanged',
      'AgentFollowUpDone',
    );
    expectGoldenStates(__dirname, agentKind, history);
  });
});
