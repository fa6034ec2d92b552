import { resealSecrets } from './action/resealing.decide.js';
import { actionKind } from './action/action.state.js';
import { changeAction, rotateSecret } from './action/action.decide.js';
import { changeCustody, deleteDefinition } from './definition/definition.decide.js';
import { definitionDecider } from './definition/definition.decider.js';
import { ofLive } from './definition/live.decide.js';

/** What can happen to an action; `creationDecider` has its creation. */
export const actionDecider = definitionDecider(actionKind, {
  changeAction: ofLive(changeAction),
  rotateSecret: ofLive(rotateSecret),
  changeActionCustody: ofLive(changeCustody(actionKind)),
  deleteAction: ofLive(deleteDefinition(actionKind)),
  resealSecrets,
});
