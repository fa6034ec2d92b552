import { agentKind } from './agent/agent.state.js';
import {
  assignSkills,
  changeAgent,
  changeAgentCustody,
  changeMembers,
  finishFollowUp,
  provisionInbox,
  takeSkillOff,
} from './agent/agent.decide.js';
import { deleteDefinition } from './definition/definition.decide.js';
import { definitionDecider } from './definition/definition.decider.js';
import { ofLive } from './definition/live.decide.js';

/** What can happen to an agent; `creationDecider` has its creation. */
export const agentDecider = definitionDecider(agentKind, {
  changeAgent: ofLive(changeAgent),
  changeAgentCustody: ofLive(changeAgentCustody),
  finishFollowUp,
  changeMembers: ofLive(changeMembers),
  assignSkills: ofLive(assignSkills),
  provisionInbox: ofLive(provisionInbox),
  takeSkillOff: ofLive(takeSkillOff),
  deleteAgent: ofLive(deleteDefinition(agentKind)),
});
