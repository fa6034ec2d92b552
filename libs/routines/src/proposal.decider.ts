import { decider } from '@aos/kernel';
import { proposalKind } from './proposal/proposal.state.js';
import { approveProposal, dismissProposal, proposeRoutine } from './proposals/proposals.decide.js';

/** All that can happen to the proposals to a person. */
export const proposalDecider = decider(proposalKind, { proposeRoutine, approveProposal, dismissProposal });
