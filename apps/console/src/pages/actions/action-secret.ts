/** What the signing secret of an action is for. */
export const secretOfAction = "The action's server checks with it that a call comes from this service.";
