// Which words of the command line mean which operation. The rule serves most of them; the table names the rest, and
// what neither knows has the operation's own id as its second word.
const named = {
  applyBlueprint: 'blueprints apply',
  listBlueprintBindings: 'blueprints bindings',
  setBlueprintProtection: 'blueprints protect',
  listSessionMessages: 'sessions messages',
  appendSessionMessages: 'sessions append',
  streamSessionTranscript: 'sessions transcript-stream',
  createSessionAttachment: 'sessions attach',
  deleteSessionAttachment: 'sessions detach',
  startTurn: 'turns create',
  listSessionTurns: 'turns list',
  getSessionTurn: 'turns get',
  getSessionTurnLive: 'turns live',
  cancelTurn: 'turns cancel',
  listTurnMessages: 'turns messages',
  nudgeSession: 'nudges create',
  listSessionNudges: 'nudges list',
  getSessionNudge: 'nudges get',
  cancelNudge: 'nudges cancel',
  invokeAgent: 'agents invoke',
  listAgentSkillAssignments: 'agents skills',
  replaceAgentSkillAssignments: 'agents set-skills',
  listAgentMembers: 'agents members',
  replaceAgentMembers: 'agents set-members',
  addAgentMembers: 'agents add-members',
  removeAgentMember: 'agents remove-member',
  listAgentMessagingBindings: 'agents messaging-bindings',
  saveAgentMessagingBinding: 'agents save-messaging-binding',
  deleteAgentMessagingBinding: 'agents delete-messaging-binding',
  getAgentMemory: 'memory summary',
  listAgentMemoryEntries: 'memory list',
  getAgentMemoryEntry: 'memory get',
  saveAgentMemoryEntry: 'memory update',
  deleteAgentMemoryEntry: 'memory delete',
  eraseAgentMemoryPartition: 'memory erase',
  listAgentMemoryChanges: 'memory changes',
  promoteAgentMemoryEntry: 'memory promote',
  revertAgentMemoryPromotion: 'memory revert-promotion',
  listOrgPermissions: 'roles permissions',
  listRoleAssignments: 'roles assignments',
  createRoleAssignment: 'roles assign',
  deleteRoleAssignment: 'roles unassign',
  getMe: 'principals me',
  getOrgContext: 'organization context',
  replaceOrgContext: 'organization set-context',
  getOAuthReturnOrigins: 'organization oauth-return-origins',
  replaceOAuthReturnOrigins: 'organization set-oauth-return-origins',
  rotateActionSecret: 'actions rotate-secret',
  listActionInvocations: 'actions invocations',
  listCatalogEvents: 'catalog events',
  listCatalogActions: 'catalog actions',
  getCatalogAction: 'catalog action',
  listCatalogModels: 'catalog models',
  listCatalogWorkerModels: 'catalog worker-models',
  createTableRow: 'rows create',
  getTableRow: 'rows get',
  updateTableRow: 'rows update',
  deleteTableRow: 'rows delete',
  queryTableRows: 'rows list',
  searchTableRows: 'rows search',
  upsertTableRow: 'rows upsert',
  bulkCreateTableRows: 'rows bulk',
  streamSourceEvents: 'events stream',
  receiveEmail: 'events receive-email',
  receiveProviderEvent: 'events receive',
  receiveMessage: 'events receive-message',
  completeConnectionAuthorization: 'connections complete',
  saveProvider: 'providers save',
  updateResourceOwnership: 'ownership update',
  getArtifactStorageQuota: 'artifacts quota',
  listBillingUsageEvents: 'billing usage-events',
  listRoutineOccurrences: 'routines occurrences',
  addRoutinePrincipal: 'routines add-principal',
  removeRoutinePrincipal: 'routines remove-principal',
  approveRoutineProposal: 'routines approve-proposal',
  dismissRoutineProposal: 'routines dismiss-proposal',
  createFirstKey: 'service first-key',
  getOverview: 'service overview',
  replaceConnectionGrants: 'connections set-grants',
  openWorkerSocket: 'workers socket',
  interactionInboxPage: 'service interactions-page',
  interactionAnswerPage: 'service interaction-page',
  welcome: 'service welcome',
};

const groups = { 'api-keys': 'keys' };
const verbs = {
  'get 0': 'list',
  'post 0': 'create',
  'get 1': 'get',
  'put 1': 'update',
  'patch 1': 'update',
  'delete 1': 'delete',
};

/** Takes an operation's id, path and method; gives its words, a group and a verb. */
export function wordsOf({ id, path, method }) {
  if (named[id] !== undefined) return named[id];
  const parts = path.split('/').filter((part) => part !== '' && part !== 'v1');
  if (!path.startsWith('/v1/')) return `service ${kebab(id)}`;
  const [collection = '', ...rest] = parts;
  const group = groups[collection] ?? collection;
  const isId = (part) => part.startsWith('{');
  const verb = verbs[`${method} ${rest.length}`];
  if (verb !== undefined && rest.every(isId)) return `${group} ${verb}`;
  const [last = ''] = rest.slice(-1);
  const shape = rest.map((part) => (isId(part) ? 'id' : 'word')).join(' ');
  if (shape === 'id word' || shape === 'word') return `${group} ${last}`;
  return `${group} ${kebab(id)}`;
}

function kebab(id) {
  return id.replace(/[A-Z]+/g, (letters) => `-${letters.toLowerCase()}`);
}
