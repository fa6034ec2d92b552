// Made from contract/openapi.yaml by tools/contract-types.mjs.
import type { CallOptions, Frame, ItemOf, Query, Reply, RequestBody } from './wire.js';
import type { Pages } from './pages.js';

/**
 * Each noun with the path that its operations begin with, and a line for each of them: name, method (its first two
 * letters), path (`*` for an id, `^` before one that begins otherwise) and flags: `b` body, `q` query, `i` `k` `h`
 * the place of a retry key, `c` `s` `a` `w` pages, `e` frames, `o` bytes, `t` text.
 */
export const operations: string = `actionInvocations /v1/action-invocations
list GE qc

actions /v1/actions
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*
rotateSecret PO/*/secret/rotate
invoke PO/*/invoke bh

agents /v1/agents
invoke PO/invoke bi
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*
listSkillAssignments GE/*/skill-assignments w
replaceSkillAssignments PU/*/skill-assignments b
provisionInbox PO/*/inbox
getTools GE/*/tools q
getMemory GE/*/memory
listMemoryEntries GE/*/memory/entries qc
getMemoryEntry GE/*/memory/entries/* q
saveMemoryEntry PU/*/memory/entries/* b
deleteMemoryEntry DE/*/memory/entries/* q
eraseMemoryPartition DE/*/memory/partitions/*
listMemoryChanges GE/*/memory/changes qa
listMembers GE/*/members w
addMembers PO/*/members b
replaceMembers PU/*/members b
removeMember DE/*/members/*
previewVisibilityChange GE/*/visibility-impact q
listMessagingBindings GE/*/messaging-bindings w
saveMessagingBinding PU/*/messaging-bindings b
deleteMessagingBinding DE/*/messaging-bindings/*
promoteMemoryEntry PO/*/memory/entries/*/promotion b
revertMemoryPromotion DE/*/memory/entries/*/promotion

apiKeys /v1/api-keys
list GE qc
create PO b
get GE/*
delete DE/*

artifacts /v1/artifacts
list GE qc
create PO bh
get GE/*
delete DE/*
getContent GE/*/content o
createSignedUrl PO/*/signed-url q
getStorageQuota GE^/v1/settings/artifact-storage/quota

audit /v1/audit
list GE qc

billing /v1/billing
listUsageEvents GE/usage-events qc

blueprints /v1/blueprints
apply PO/apply bq
listBindings GE/bindings qw
setProtection PU/*/protection bq
delete DE/* q

catalog /v1/catalog
listEvents GE/events w
listActions GE/actions w
getAction GE/actions/*
listModels GE/models w
listWorkerModels GE/worker-models w

connections /v1/connections
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*
rotate PO/*/rotate b
replaceGrants PU/*/grants b
authorize PO/*/authorize b
completeAuthorization PO/*/authorize/complete b
listProviders GE^/v1/providers qc
getProvider GE^/v1/providers/*
saveProvider PU^/v1/providers/* b
deleteProvider DE^/v1/providers/*

console /v1/console
firstKey PO/first-key b

events /v1/events
list GE qc
stream GE/stream qe
receiveEmail PO^/v1/inbound/email b
receiveProviderEvent PO^/v1/inbound/events b

interactions /v1/interactions
list GE qc
create PO b
get GE/*
delete DE/*
respond PO/*/respond b
review PO/*/review b
cancel PO/*/cancel b

me /v1/me
get GE

messaging /v1/inbound
receiveMessage PO/messages b

nudges /v1/sessions
cancel PO/*/nudges/*/cancel

operations /interactions
interactionInboxPage GE t
interactionAnswerPage GE/* t
welcome GE^/ t
healthz GE^/healthz
readyz GE^/readyz
metrics GE^/metrics t
openapiJson GE^/openapi.json
openapiYaml GE^/openapi.yaml t
referencePage GE^/docs t
referenceProgram GE^/docs/reference.js t
referenceDocument GE^/docs/openapi.json
consolePage GE^/console t
consolePath GE^/console/* t
getSignedContent GE^/v1/signed/* o
receiveOAuthCallback GE^/v1/oauth/callback q
finishDelivery PO^/v1/deliveries/*/result b
reportDelivery PO^/v1/deliveries/*/progress b

organization /v1/organization
getContext GE/context
replaceContext PU/context b
getOAuthReturnOrigins GE/oauth-return-origins
replaceOAuthReturnOrigins PU/oauth-return-origins b

overview /v1/overview
get GE

ownership /v1/resources
update PA/*/*/ownership b

permissions /v1/permissions
list GE w

principals /v1/principals
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*

roleAssignments /v1/role-assignments
list GE qc
create PO b
delete DE/*

roles /v1/roles
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*

routines /v1/routines
list GE qc
create PO b
listOccurrences GE/occurrences qc
get GE/*
update PA/* b
delete DE/*
listChanges GE/*/changes qc
runNow PO/*/run
pause PO/*/pause
resume PO/*/resume
listPrincipals GE/*/principals w
addPrincipal PO/*/principals b
removePrincipal DE/*/principals/* q
listProposals GE/proposals qc
approveProposal PO/proposals/*/approve
dismissProposal PO/proposals/*/dismiss

sessions /v1/sessions
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*
listMessages GE/*/messages qs
appendMessages PO/*/messages b
listTurns GE/*/turns qc
getTurn GE/*/turns/*
getTurnLive GE/*/turns/*/live
cancel PO/*/cancel q
stream GE/*/stream qe
getTranscript GE/*/transcript q
streamTranscript GE/*/transcript/stream qe
listNudges GE/*/nudges qc
nudge PO/*/nudges bk
getNudge GE/*/nudges/*
compact PO/*/compact
createAttachment PO/*/attachments bh
deleteAttachment DE/*/attachments/*

skills /v1/skills
list GE qc
create PO b
import PO/import b
get GE/*
update PU/* b
delete DE/*

tables /v1/tables
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*
getStats GE/*/stats
createRow PO/*/rows b
getRow GE/*/rows/*
updateRow PA/*/rows/* b
deleteRow DE/*/rows/*
queryRows PO/*/query bc
searchRows PO/*/search bc
upsertRow PO/*/upsert b
bulkCreateTableRows PO/*/bulk b

tokens /v1/tokens
create PO b

turns /v1/turns
list GE qc
listMessages GE/*/messages qs
start PO^/v1/sessions/*/turns bi
cancel PO^/v1/sessions/*/turns/*/cancel

webhooks /v1/webhooks
list GE qc
create PO b
get GE/*
update PA/* b
delete DE/*
rotateSecret PO/*/rotate
ping PO/*/ping
enable PO/*/enable b
redeliverEvents PO/*/redeliver b
listDeliveries GE/*/deliveries w

workers /v1/workers
list GE w`;

/** The operations of the contract, by noun and verb. */
export interface Resources {
  actionInvocations: {
    list(
      query?: Query<'listActionInvocations'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listActionInvocations'>, Reply<'listActionInvocations'>>;
  };
  actions: {
    list(query?: Query<'listActions'>, options?: CallOptions): Pages<ItemOf<'listActions'>, Reply<'listActions'>>;
    create(body: RequestBody<'createAction'>, options?: CallOptions): Promise<Reply<'createAction'>>;
    get(actionName: string, options?: CallOptions): Promise<Reply<'getAction'>>;
    update(
      actionName: string,
      body: RequestBody<'updateAction'>,
      options?: CallOptions,
    ): Promise<Reply<'updateAction'>>;
    delete(actionName: string, options?: CallOptions): Promise<Reply<'deleteAction'>>;
    rotateSecret(actionName: string, options?: CallOptions): Promise<Reply<'rotateActionSecret'>>;
    invoke(
      actionName: string,
      body: RequestBody<'invokeAction'>,
      options?: CallOptions,
    ): Promise<Reply<'invokeAction'>>;
  };
  agents: {
    invoke(body: RequestBody<'invokeAgent'>, options?: CallOptions): Promise<Reply<'invokeAgent'>>;
    list(query?: Query<'listAgents'>, options?: CallOptions): Pages<ItemOf<'listAgents'>, Reply<'listAgents'>>;
    create(body: RequestBody<'createAgent'>, options?: CallOptions): Promise<Reply<'createAgent'>>;
    get(agentId: string, options?: CallOptions): Promise<Reply<'getAgent'>>;
    update(agentId: string, body: RequestBody<'updateAgent'>, options?: CallOptions): Promise<Reply<'updateAgent'>>;
    delete(agentId: string, options?: CallOptions): Promise<Reply<'deleteAgent'>>;
    listSkillAssignments(
      agentId: string,
      options?: CallOptions,
    ): Pages<ItemOf<'listAgentSkillAssignments'>, Reply<'listAgentSkillAssignments'>>;
    replaceSkillAssignments(
      agentId: string,
      body: RequestBody<'replaceAgentSkillAssignments'>,
      options?: CallOptions,
    ): Promise<Reply<'replaceAgentSkillAssignments'>>;
    provisionInbox(agentId: string, options?: CallOptions): Promise<Reply<'provisionAgentInbox'>>;
    getTools(agentId: string, query?: Query<'getAgentTools'>, options?: CallOptions): Promise<Reply<'getAgentTools'>>;
    getMemory(agentId: string, options?: CallOptions): Promise<Reply<'getAgentMemory'>>;
    listMemoryEntries(
      agentId: string,
      query?: Query<'listAgentMemoryEntries'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listAgentMemoryEntries'>, Reply<'listAgentMemoryEntries'>>;
    getMemoryEntry(
      agentId: string,
      memoryKey: string,
      query?: Query<'getAgentMemoryEntry'>,
      options?: CallOptions,
    ): Promise<Reply<'getAgentMemoryEntry'>>;
    saveMemoryEntry(
      agentId: string,
      memoryKey: string,
      body: RequestBody<'saveAgentMemoryEntry'>,
      options?: CallOptions,
    ): Promise<Reply<'saveAgentMemoryEntry'>>;
    deleteMemoryEntry(
      agentId: string,
      memoryKey: string,
      query?: Query<'deleteAgentMemoryEntry'>,
      options?: CallOptions,
    ): Promise<Reply<'deleteAgentMemoryEntry'>>;
    eraseMemoryPartition(
      agentId: string,
      userId: string,
      options?: CallOptions,
    ): Promise<Reply<'eraseAgentMemoryPartition'>>;
    listMemoryChanges(
      agentId: string,
      query?: Query<'listAgentMemoryChanges'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listAgentMemoryChanges'>, Reply<'listAgentMemoryChanges'>>;
    listMembers(agentId: string, options?: CallOptions): Pages<ItemOf<'listAgentMembers'>, Reply<'listAgentMembers'>>;
    addMembers(
      agentId: string,
      body: RequestBody<'addAgentMembers'>,
      options?: CallOptions,
    ): Promise<Reply<'addAgentMembers'>>;
    replaceMembers(
      agentId: string,
      body: RequestBody<'replaceAgentMembers'>,
      options?: CallOptions,
    ): Promise<Reply<'replaceAgentMembers'>>;
    removeMember(agentId: string, principalId: string, options?: CallOptions): Promise<Reply<'removeAgentMember'>>;
    previewVisibilityChange(
      agentId: string,
      query: Query<'previewAgentVisibilityChange'>,
      options?: CallOptions,
    ): Promise<Reply<'previewAgentVisibilityChange'>>;
    listMessagingBindings(
      agentId: string,
      options?: CallOptions,
    ): Pages<ItemOf<'listAgentMessagingBindings'>, Reply<'listAgentMessagingBindings'>>;
    saveMessagingBinding(
      agentId: string,
      body: RequestBody<'saveAgentMessagingBinding'>,
      options?: CallOptions,
    ): Promise<Reply<'saveAgentMessagingBinding'>>;
    deleteMessagingBinding(
      agentId: string,
      bindingId: string,
      options?: CallOptions,
    ): Promise<Reply<'deleteAgentMessagingBinding'>>;
    promoteMemoryEntry(
      agentId: string,
      memoryKey: string,
      body: RequestBody<'promoteAgentMemoryEntry'>,
      options?: CallOptions,
    ): Promise<Reply<'promoteAgentMemoryEntry'>>;
    revertMemoryPromotion(
      agentId: string,
      memoryKey: string,
      options?: CallOptions,
    ): Promise<Reply<'revertAgentMemoryPromotion'>>;
  };
  apiKeys: {
    list(query?: Query<'listAPIKeys'>, options?: CallOptions): Pages<ItemOf<'listAPIKeys'>, Reply<'listAPIKeys'>>;
    create(body: RequestBody<'createAPIKey'>, options?: CallOptions): Promise<Reply<'createAPIKey'>>;
    get(apiKeyId: string, options?: CallOptions): Promise<Reply<'getAPIKey'>>;
    delete(apiKeyId: string, options?: CallOptions): Promise<Reply<'deleteAPIKey'>>;
  };
  artifacts: {
    list(query?: Query<'listArtifacts'>, options?: CallOptions): Pages<ItemOf<'listArtifacts'>, Reply<'listArtifacts'>>;
    create(body: RequestBody<'createArtifact'>, options?: CallOptions): Promise<Reply<'createArtifact'>>;
    get(artifactId: string, options?: CallOptions): Promise<Reply<'getArtifact'>>;
    delete(artifactId: string, options?: CallOptions): Promise<Reply<'deleteArtifact'>>;
    getContent(artifactId: string, options?: CallOptions): Promise<Response>;
    createSignedUrl(
      artifactId: string,
      query?: Query<'createArtifactSignedUrl'>,
      options?: CallOptions,
    ): Promise<Reply<'createArtifactSignedUrl'>>;
    getStorageQuota(options?: CallOptions): Promise<Reply<'getArtifactStorageQuota'>>;
  };
  audit: {
    list(
      query?: Query<'listAuditEntries'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listAuditEntries'>, Reply<'listAuditEntries'>>;
  };
  billing: {
    listUsageEvents(
      query?: Query<'listBillingUsageEvents'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listBillingUsageEvents'>, Reply<'listBillingUsageEvents'>>;
  };
  blueprints: {
    apply(
      body: RequestBody<'applyBlueprint'>,
      query?: Query<'applyBlueprint'>,
      options?: CallOptions,
    ): Promise<Reply<'applyBlueprint'>>;
    listBindings(
      query?: Query<'listBlueprintBindings'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listBlueprintBindings'>, Reply<'listBlueprintBindings'>>;
    setProtection(
      blueprintKey: string,
      body: RequestBody<'setBlueprintProtection'>,
      query?: Query<'setBlueprintProtection'>,
      options?: CallOptions,
    ): Promise<Reply<'setBlueprintProtection'>>;
    delete(
      blueprintKey: string,
      query?: Query<'deleteBlueprint'>,
      options?: CallOptions,
    ): Promise<Reply<'deleteBlueprint'>>;
  };
  catalog: {
    listEvents(options?: CallOptions): Pages<ItemOf<'listCatalogEvents'>, Reply<'listCatalogEvents'>>;
    listActions(options?: CallOptions): Pages<ItemOf<'listCatalogActions'>, Reply<'listCatalogActions'>>;
    getAction(actionName: string, options?: CallOptions): Promise<Reply<'getCatalogAction'>>;
    listModels(options?: CallOptions): Pages<ItemOf<'listCatalogModels'>, Reply<'listCatalogModels'>>;
    listWorkerModels(options?: CallOptions): Pages<ItemOf<'listCatalogWorkerModels'>, Reply<'listCatalogWorkerModels'>>;
  };
  connections: {
    list(
      query?: Query<'listConnections'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listConnections'>, Reply<'listConnections'>>;
    create(body: RequestBody<'createConnection'>, options?: CallOptions): Promise<Reply<'createConnection'>>;
    get(connectionId: string, options?: CallOptions): Promise<Reply<'getConnection'>>;
    update(
      connectionId: string,
      body: RequestBody<'updateConnection'>,
      options?: CallOptions,
    ): Promise<Reply<'updateConnection'>>;
    delete(connectionId: string, options?: CallOptions): Promise<Reply<'deleteConnection'>>;
    rotate(
      connectionId: string,
      body?: RequestBody<'rotateConnection'>,
      options?: CallOptions,
    ): Promise<Reply<'rotateConnection'>>;
    replaceGrants(
      connectionId: string,
      body: RequestBody<'replaceConnectionGrants'>,
      options?: CallOptions,
    ): Promise<Reply<'replaceConnectionGrants'>>;
    authorize(
      connectionId: string,
      body: RequestBody<'authorizeConnection'>,
      options?: CallOptions,
    ): Promise<Reply<'authorizeConnection'>>;
    completeAuthorization(
      connectionId: string,
      body: RequestBody<'completeConnectionAuthorization'>,
      options?: CallOptions,
    ): Promise<Reply<'completeConnectionAuthorization'>>;
    listProviders(
      query?: Query<'listProviders'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listProviders'>, Reply<'listProviders'>>;
    getProvider(provider: string, options?: CallOptions): Promise<Reply<'getProvider'>>;
    saveProvider(
      provider: string,
      body: RequestBody<'saveProvider'>,
      options?: CallOptions,
    ): Promise<Reply<'saveProvider'>>;
    deleteProvider(provider: string, options?: CallOptions): Promise<Reply<'deleteProvider'>>;
  };
  console: { firstKey(body: RequestBody<'createFirstKey'>, options?: CallOptions): Promise<Reply<'createFirstKey'>> };
  events: {
    list(
      query?: Query<'listSourceEvents'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listSourceEvents'>, Reply<'listSourceEvents'>>;
    stream(query?: Query<'streamSourceEvents'>, options?: CallOptions): AsyncIterable<Frame>;
    receiveEmail(body: RequestBody<'receiveEmail'>, options?: CallOptions): Promise<Reply<'receiveEmail'>>;
    receiveProviderEvent(
      body: RequestBody<'receiveProviderEvent'>,
      options?: CallOptions,
    ): Promise<Reply<'receiveProviderEvent'>>;
  };
  interactions: {
    list(
      query?: Query<'listInteractions'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listInteractions'>, Reply<'listInteractions'>>;
    create(body: RequestBody<'createInteraction'>, options?: CallOptions): Promise<Reply<'createInteraction'>>;
    get(interactionId: string, options?: CallOptions): Promise<Reply<'getInteraction'>>;
    delete(interactionId: string, options?: CallOptions): Promise<Reply<'deleteInteraction'>>;
    respond(
      interactionId: string,
      body: RequestBody<'respondToInteraction'>,
      options?: CallOptions,
    ): Promise<Reply<'respondToInteraction'>>;
    review(
      interactionId: string,
      body: RequestBody<'reviewInteraction'>,
      options?: CallOptions,
    ): Promise<Reply<'reviewInteraction'>>;
    cancel(
      interactionId: string,
      body?: RequestBody<'cancelInteraction'>,
      options?: CallOptions,
    ): Promise<Reply<'cancelInteraction'>>;
  };
  me: { get(options?: CallOptions): Promise<Reply<'getMe'>> };
  messaging: {
    receiveMessage(body: RequestBody<'receiveMessage'>, options?: CallOptions): Promise<Reply<'receiveMessage'>>;
  };
  nudges: { cancel(sessionId: string, nudgeId: string, options?: CallOptions): Promise<Reply<'cancelNudge'>> };
  operations: {
    interactionInboxPage(options?: CallOptions): Promise<string>;
    interactionAnswerPage(interactionId: string, options?: CallOptions): Promise<string>;
    welcome(options?: CallOptions): Promise<string>;
    healthz(options?: CallOptions): Promise<Reply<'healthz'>>;
    readyz(options?: CallOptions): Promise<Reply<'readyz'>>;
    metrics(options?: CallOptions): Promise<string>;
    openapiJson(options?: CallOptions): Promise<Reply<'openapiJson'>>;
    openapiYaml(options?: CallOptions): Promise<string>;
    referencePage(options?: CallOptions): Promise<string>;
    referenceProgram(options?: CallOptions): Promise<string>;
    referenceDocument(options?: CallOptions): Promise<Reply<'referenceDocument'>>;
    consolePage(options?: CallOptions): Promise<string>;
    consolePath(path: string, options?: CallOptions): Promise<string>;
    getSignedContent(token: string, options?: CallOptions): Promise<Response>;
    receiveOAuthCallback(
      query?: Query<'receiveOAuthCallback'>,
      options?: CallOptions,
    ): Promise<Reply<'receiveOAuthCallback'>>;
    finishDelivery(
      deliveryId: string,
      body: RequestBody<'finishDelivery'>,
      options?: CallOptions,
    ): Promise<Reply<'finishDelivery'>>;
    reportDelivery(
      deliveryId: string,
      body: RequestBody<'reportDelivery'>,
      options?: CallOptions,
    ): Promise<Reply<'reportDelivery'>>;
  };
  organization: {
    getContext(options?: CallOptions): Promise<Reply<'getOrgContext'>>;
    replaceContext(body: RequestBody<'replaceOrgContext'>, options?: CallOptions): Promise<Reply<'replaceOrgContext'>>;
    getOAuthReturnOrigins(options?: CallOptions): Promise<Reply<'getOAuthReturnOrigins'>>;
    replaceOAuthReturnOrigins(
      body: RequestBody<'replaceOAuthReturnOrigins'>,
      options?: CallOptions,
    ): Promise<Reply<'replaceOAuthReturnOrigins'>>;
  };
  overview: { get(options?: CallOptions): Promise<Reply<'getOverview'>> };
  ownership: {
    update(
      resourceType: string,
      resourceId: string,
      body: RequestBody<'updateResourceOwnership'>,
      options?: CallOptions,
    ): Promise<Reply<'updateResourceOwnership'>>;
  };
  permissions: { list(options?: CallOptions): Pages<ItemOf<'listOrgPermissions'>, Reply<'listOrgPermissions'>> };
  principals: {
    list(
      query?: Query<'listPrincipals'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listPrincipals'>, Reply<'listPrincipals'>>;
    create(body: RequestBody<'createPrincipal'>, options?: CallOptions): Promise<Reply<'createPrincipal'>>;
    get(principalId: string, options?: CallOptions): Promise<Reply<'getPrincipal'>>;
    update(
      principalId: string,
      body: RequestBody<'updatePrincipal'>,
      options?: CallOptions,
    ): Promise<Reply<'updatePrincipal'>>;
    delete(principalId: string, options?: CallOptions): Promise<Reply<'deletePrincipal'>>;
  };
  roleAssignments: {
    list(
      query?: Query<'listRoleAssignments'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listRoleAssignments'>, Reply<'listRoleAssignments'>>;
    create(body: RequestBody<'createRoleAssignment'>, options?: CallOptions): Promise<Reply<'createRoleAssignment'>>;
    delete(assignmentId: string, options?: CallOptions): Promise<Reply<'deleteRoleAssignment'>>;
  };
  roles: {
    list(query?: Query<'listRoles'>, options?: CallOptions): Pages<ItemOf<'listRoles'>, Reply<'listRoles'>>;
    create(body: RequestBody<'createRole'>, options?: CallOptions): Promise<Reply<'createRole'>>;
    get(roleId: string, options?: CallOptions): Promise<Reply<'getRole'>>;
    update(roleId: string, body: RequestBody<'updateRole'>, options?: CallOptions): Promise<Reply<'updateRole'>>;
    delete(roleId: string, options?: CallOptions): Promise<Reply<'deleteRole'>>;
  };
  routines: {
    list(query?: Query<'listRoutines'>, options?: CallOptions): Pages<ItemOf<'listRoutines'>, Reply<'listRoutines'>>;
    create(body: RequestBody<'createRoutine'>, options?: CallOptions): Promise<Reply<'createRoutine'>>;
    listOccurrences(
      query?: Query<'listRoutineOccurrences'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listRoutineOccurrences'>, Reply<'listRoutineOccurrences'>>;
    get(routineId: string, options?: CallOptions): Promise<Reply<'getRoutine'>>;
    update(
      routineId: string,
      body: RequestBody<'updateRoutine'>,
      options?: CallOptions,
    ): Promise<Reply<'updateRoutine'>>;
    delete(routineId: string, options?: CallOptions): Promise<Reply<'deleteRoutine'>>;
    listChanges(
      routineId: string,
      query?: Query<'listRoutineChanges'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listRoutineChanges'>, Reply<'listRoutineChanges'>>;
    runNow(routineId: string, options?: CallOptions): Promise<Reply<'runRoutineNow'>>;
    pause(routineId: string, options?: CallOptions): Promise<Reply<'pauseRoutine'>>;
    resume(routineId: string, options?: CallOptions): Promise<Reply<'resumeRoutine'>>;
    listPrincipals(
      routineId: string,
      options?: CallOptions,
    ): Pages<ItemOf<'listRoutinePrincipals'>, Reply<'listRoutinePrincipals'>>;
    addPrincipal(
      routineId: string,
      body: RequestBody<'addRoutinePrincipal'>,
      options?: CallOptions,
    ): Promise<Reply<'addRoutinePrincipal'>>;
    removePrincipal(
      routineId: string,
      principalId: string,
      query?: Query<'removeRoutinePrincipal'>,
      options?: CallOptions,
    ): Promise<Reply<'removeRoutinePrincipal'>>;
    listProposals(
      query?: Query<'listRoutineProposals'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listRoutineProposals'>, Reply<'listRoutineProposals'>>;
    approveProposal(proposalId: string, options?: CallOptions): Promise<Reply<'approveRoutineProposal'>>;
    dismissProposal(proposalId: string, options?: CallOptions): Promise<Reply<'dismissRoutineProposal'>>;
  };
  sessions: {
    list(query?: Query<'listSessions'>, options?: CallOptions): Pages<ItemOf<'listSessions'>, Reply<'listSessions'>>;
    create(body: RequestBody<'createSession'>, options?: CallOptions): Promise<Reply<'createSession'>>;
    get(sessionId: string, options?: CallOptions): Promise<Reply<'getSession'>>;
    update(
      sessionId: string,
      body: RequestBody<'updateSession'>,
      options?: CallOptions,
    ): Promise<Reply<'updateSession'>>;
    delete(sessionId: string, options?: CallOptions): Promise<Reply<'deleteSession'>>;
    listMessages(
      sessionId: string,
      query?: Query<'listSessionMessages'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listSessionMessages'>, Reply<'listSessionMessages'>>;
    appendMessages(
      sessionId: string,
      body: RequestBody<'appendSessionMessages'>,
      options?: CallOptions,
    ): Promise<Reply<'appendSessionMessages'>>;
    listTurns(
      sessionId: string,
      query?: Query<'listSessionTurns'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listSessionTurns'>, Reply<'listSessionTurns'>>;
    getTurn(sessionId: string, turnId: string, options?: CallOptions): Promise<Reply<'getSessionTurn'>>;
    getTurnLive(sessionId: string, turnId: string, options?: CallOptions): Promise<Reply<'getSessionTurnLive'>>;
    cancel(sessionId: string, query?: Query<'cancelSession'>, options?: CallOptions): Promise<Reply<'cancelSession'>>;
    stream(sessionId: string, query?: Query<'streamSession'>, options?: CallOptions): AsyncIterable<Frame>;
    getTranscript(
      sessionId: string,
      query?: Query<'getSessionTranscript'>,
      options?: CallOptions,
    ): Promise<Reply<'getSessionTranscript'>>;
    streamTranscript(
      sessionId: string,
      query?: Query<'streamSessionTranscript'>,
      options?: CallOptions,
    ): AsyncIterable<Frame>;
    listNudges(
      sessionId: string,
      query?: Query<'listSessionNudges'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listSessionNudges'>, Reply<'listSessionNudges'>>;
    nudge(sessionId: string, body: RequestBody<'nudgeSession'>, options?: CallOptions): Promise<Reply<'nudgeSession'>>;
    getNudge(sessionId: string, nudgeId: string, options?: CallOptions): Promise<Reply<'getSessionNudge'>>;
    compact(sessionId: string, options?: CallOptions): Promise<Reply<'compactSession'>>;
    createAttachment(
      sessionId: string,
      body: RequestBody<'createSessionAttachment'>,
      options?: CallOptions,
    ): Promise<Reply<'createSessionAttachment'>>;
    deleteAttachment(
      sessionId: string,
      artifactId: string,
      options?: CallOptions,
    ): Promise<Reply<'deleteSessionAttachment'>>;
  };
  skills: {
    list(query?: Query<'listSkills'>, options?: CallOptions): Pages<ItemOf<'listSkills'>, Reply<'listSkills'>>;
    create(body: RequestBody<'createSkill'>, options?: CallOptions): Promise<Reply<'createSkill'>>;
    import(body: RequestBody<'importSkill'>, options?: CallOptions): Promise<Reply<'importSkill'>>;
    get(skillId: string, options?: CallOptions): Promise<Reply<'getSkill'>>;
    update(skillId: string, body: RequestBody<'updateSkill'>, options?: CallOptions): Promise<Reply<'updateSkill'>>;
    delete(skillId: string, options?: CallOptions): Promise<Reply<'deleteSkill'>>;
  };
  tables: {
    list(query?: Query<'listTables'>, options?: CallOptions): Pages<ItemOf<'listTables'>, Reply<'listTables'>>;
    create(body: RequestBody<'createTable'>, options?: CallOptions): Promise<Reply<'createTable'>>;
    get(tableId: string, options?: CallOptions): Promise<Reply<'getTable'>>;
    update(tableId: string, body: RequestBody<'updateTable'>, options?: CallOptions): Promise<Reply<'updateTable'>>;
    delete(tableId: string, options?: CallOptions): Promise<Reply<'deleteTable'>>;
    getStats(tableId: string, options?: CallOptions): Promise<Reply<'getTableStats'>>;
    createRow(
      tableId: string,
      body: RequestBody<'createTableRow'>,
      options?: CallOptions,
    ): Promise<Reply<'createTableRow'>>;
    getRow(tableId: string, rowId: string, options?: CallOptions): Promise<Reply<'getTableRow'>>;
    updateRow(
      tableId: string,
      rowId: string,
      body: RequestBody<'updateTableRow'>,
      options?: CallOptions,
    ): Promise<Reply<'updateTableRow'>>;
    deleteRow(tableId: string, rowId: string, options?: CallOptions): Promise<Reply<'deleteTableRow'>>;
    queryRows(
      tableId: string,
      body?: RequestBody<'queryTableRows'>,
      options?: CallOptions,
    ): Pages<ItemOf<'queryTableRows'>, Reply<'queryTableRows'>>;
    searchRows(
      tableId: string,
      body: RequestBody<'searchTableRows'>,
      options?: CallOptions,
    ): Pages<ItemOf<'searchTableRows'>, Reply<'searchTableRows'>>;
    upsertRow(
      tableId: string,
      body: RequestBody<'upsertTableRow'>,
      options?: CallOptions,
    ): Promise<Reply<'upsertTableRow'>>;
    bulkCreateTableRows(
      tableId: string,
      body: RequestBody<'bulkCreateTableRows'>,
      options?: CallOptions,
    ): Promise<Reply<'bulkCreateTableRows'>>;
  };
  tokens: { create(body: RequestBody<'createToken'>, options?: CallOptions): Promise<Reply<'createToken'>> };
  turns: {
    list(query?: Query<'listTurns'>, options?: CallOptions): Pages<ItemOf<'listTurns'>, Reply<'listTurns'>>;
    listMessages(
      turnId: string,
      query?: Query<'listTurnMessages'>,
      options?: CallOptions,
    ): Pages<ItemOf<'listTurnMessages'>, Reply<'listTurnMessages'>>;
    start(sessionId: string, body: RequestBody<'startTurn'>, options?: CallOptions): Promise<Reply<'startTurn'>>;
    cancel(sessionId: string, turnId: string, options?: CallOptions): Promise<Reply<'cancelTurn'>>;
  };
  webhooks: {
    list(query?: Query<'listWebhooks'>, options?: CallOptions): Pages<ItemOf<'listWebhooks'>, Reply<'listWebhooks'>>;
    create(body: RequestBody<'createWebhook'>, options?: CallOptions): Promise<Reply<'createWebhook'>>;
    get(webhookId: string, options?: CallOptions): Promise<Reply<'getWebhook'>>;
    update(
      webhookId: string,
      body: RequestBody<'updateWebhook'>,
      options?: CallOptions,
    ): Promise<Reply<'updateWebhook'>>;
    delete(webhookId: string, options?: CallOptions): Promise<Reply<'deleteWebhook'>>;
    rotateSecret(webhookId: string, options?: CallOptions): Promise<Reply<'rotateWebhookSecret'>>;
    ping(webhookId: string, options?: CallOptions): Promise<Reply<'pingWebhook'>>;
    enable(
      webhookId: string,
      body?: RequestBody<'enableWebhook'>,
      options?: CallOptions,
    ): Promise<Reply<'enableWebhook'>>;
    redeliverEvents(
      webhookId: string,
      body: RequestBody<'redeliverWebhookEvents'>,
      options?: CallOptions,
    ): Promise<Reply<'redeliverWebhookEvents'>>;
    listDeliveries(
      webhookId: string,
      options?: CallOptions,
    ): Pages<ItemOf<'listWebhookDeliveries'>, Reply<'listWebhookDeliveries'>>;
  };
  workers: { list(options?: CallOptions): Pages<ItemOf<'listWorkers'>, Reply<'listWorkers'>> };
}

/** What a client has for each noun. */
export abstract class ResourceGroups {
  declare readonly actionInvocations: Resources['actionInvocations'];
  declare readonly actions: Resources['actions'];
  declare readonly agents: Resources['agents'];
  declare readonly apiKeys: Resources['apiKeys'];
  declare readonly artifacts: Resources['artifacts'];
  declare readonly audit: Resources['audit'];
  declare readonly billing: Resources['billing'];
  declare readonly blueprints: Resources['blueprints'];
  declare readonly catalog: Resources['catalog'];
  declare readonly connections: Resources['connections'];
  declare readonly console: Resources['console'];
  declare readonly events: Resources['events'];
  declare readonly interactions: Resources['interactions'];
  declare readonly me: Resources['me'];
  declare readonly messaging: Resources['messaging'];
  declare readonly nudges: Resources['nudges'];
  declare readonly operations: Resources['operations'];
  declare readonly organization: Resources['organization'];
  declare readonly overview: Resources['overview'];
  declare readonly ownership: Resources['ownership'];
  declare readonly permissions: Resources['permissions'];
  declare readonly principals: Resources['principals'];
  declare readonly roleAssignments: Resources['roleAssignments'];
  declare readonly roles: Resources['roles'];
  declare readonly routines: Resources['routines'];
  declare readonly sessions: Resources['sessions'];
  declare readonly skills: Resources['skills'];
  declare readonly tables: Resources['tables'];
  declare readonly tokens: Resources['tokens'];
  declare readonly turns: Resources['turns'];
  declare readonly webhooks: Resources['webhooks'];
  declare readonly workers: Resources['workers'];
}
