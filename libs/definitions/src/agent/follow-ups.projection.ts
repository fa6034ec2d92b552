import { dueRow } from '@aos/kernel';
import type { StreamProjection } from '@aos/platform';
import type { DefinitionState } from '../definition/definition.state.js';
import { followUpDelayMs } from './agent.limits.js';
import type { AgentDefinition, AgentEvent } from './agent.events.js';
import { agentKind } from './agent.state.js';

export const followUpHandler = 'agent_follow_up';

/** The timer that takes up what a process left that died while it carried out a change of custody (rule TE11). */
export const followUpsProjection: StreamProjection<DefinitionState<AgentDefinition>, AgentEvent> = {
  name: 'agent_follow_ups',
  version: 1,
  kind: agentKind,
  on: new Set(['AgentCustodyChanged', 'AgentFollowUpDone']),
  rows({ state: { record }, id, revision }) {
    if (!record) return [];
    const [first] = record.follow_ups ?? [];
    return [
      dueRow({
        stream: `agent-${id}`,
        revision,
        name: 'follow_up',
        at: first ? Date.parse(first.at) + followUpDelayMs : null,
        handler: followUpHandler,
        details: { org_id: record.org_id, agent_id: record.id },
      }),
    ];
  },
};
