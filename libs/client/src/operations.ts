// Made from contract/openapi.yaml by tools/contract-types.mjs.
import type { CallOptions, Frame, ItemOf, Query, Reply, RequestBody } from './wire.js';
import type { Pages } from './pages.js';

/**
 * Method, path and flags of each operation: `b` body, `q` query, `i` `k` `h` the place of a retry key, `c` `s`
 * `a` `w` pages, `e` frames, `o` bytes, `t` text.
 */
export const operations: Record<string, Record<string, string>> = {
  actionInvocations: { list: 'GET /v1/action-invocations qc' },
  actions: {
    list: 'GET /v1/actions qc',
    create: 'POST /v1/actions b',
    get: 'GET /v1/actions/{action_name}',
    update: 'PATCH /v1/actions/{action_name} b',
    delete: 'DELETE /v1/actions/{action_name}',
    rotateSecret: 'POST /v1/actions/{action_name}/secret/rotate',
    invoke: 'POST /v1/actions/{action_name}/invoke bh',
  },
  agents: {
    invoke: 'POST /v1/agents/invoke bi',
    list: 'GET /v1/agents qc',
    create: 'POST /v1/agents b',
    get: 'GET /v1/agents/{agent_id}',
    update: 'PATCH /v1/agents/{agent_id} b',
    delete: 'DELETE /v1/agents/{agent_id}',
    listSkillAssignments: 'GET /v1/agents/{agent_id}/skill-assignments w',
    replaceSkillAssignments: 'PUT /v1/agents/{agent_id}/skill-assignments b',
    provisionInbox: 'POST /v1/agents/{agent_id}/inbox',
    getTools: 'GET /v1/agents/{agent_id}/tools q',
    getMemory: 'GET /v1/agents/{agent_id}/memory',
    listMemoryEntries: 'GET /v1/agents/{agent_id}/memory/entries qc',
    getMemoryEntry: 'GET /v1/agents/{agent_id}/memory/entries/{memory_key} q',
    saveMemoryEntry: 'PUT /v1/agents/{agent_id}/memory/entries/{memory_key} b',
    deleteMemoryEntry: 'DELETE /v1/agents/{agent_id}/memory/entries/{memory_key} q',
    eraseMemoryPartition: 'DELETE /v1/agents/{agent_id}/memory/partitions/{user_id}',
    listMemoryChanges: 'GET /v1/agents/{agent_id}/memory/changes qa',
    listMembers: 'GET /v1/agents/{agent_id}/members w',
    addMembers: 'POST /v1/agents/{agent_id}/members b',
    replaceMembers: 'PUT /v1/agents/{agent_id}/members b',
    removeMember: 'DELETE /v1/agents/{agent_id}/members/{principal_id}',
    previewVisibilityChange: 'GET /v1/agents/{agent_id}/visibility-impact q',
    listMessagingBindings: 'GET /v1/agents/{agent_id}/messaging-bindings w',
    saveMessagingBinding: 'PUT /v1/agents/{agent_id}/messaging-bindings b',
    deleteMessagingBinding: 'DELETE /v1/agents/{agent_id}/messaging-bindings/{binding_id}',
    promoteMemoryEntry: 'POST /v1/agents/{agent_id}/memory/entries/{memory_key}/promotion b',
    revertMemoryPromotion: 'DELETE /v1/agents/{agent_id}/memory/entries/{memory_key}/promotion',
  },
  apiKeys: {
    list: 'GET /v1/api-keys qc',
    create: 'POST /v1/api-keys b',
    get: 'GET /v1/api-keys/{api_key_id}',
    delete: 'DELETE /v1/api-keys/{api_key_id}',
  },
  artifacts: {
    list: 'GET /v1/artifacts qc',
    create: 'POST /v1/artifacts bh',
    get: 'GET /v1/artifacts/{artifact_id}',
    delete: 'DELETE /v1/artifacts/{artifact_id}',
    getContent: 'GET /v1/artifacts/{artifact_id}/content o',
    createSignedUrl: 'POST /v1/artifacts/{artifact_id}/signed-url q',
    getStorageQuota: 'GET /v1/settings/artifact-storage/quota',
  },
  audit: { list: 'GET /v1/audit qc' },
  billing: { listUsageEvents: 'GET /v1/billing/usage-events qc' },
  blueprints: {
    apply: 'POST /v1/blueprints/apply b',
    listBindings: 'GET /v1/blueprints/bindings qw',
    setProtection: 'PUT /v1/blueprints/{blueprint_key}/protection bq',
    delete: 'DELETE /v1/blueprints/{blueprint_key} q',
  },
  catalog: {
    listEvents: 'GET /v1/catalog/events w',
    listActions: 'GET /v1/catalog/actions w',
    getAction: 'GET /v1/catalog/actions/{action_name}',
    listModels: 'GET /v1/catalog/models w',
    listWorkerModels: 'GET /v1/catalog/worker-models w',
  },
  events: {
    list: 'GET /v1/events qc',
    stream: 'GET /v1/events/stream qe',
    receiveEmail: 'POST /v1/inbound/email b',
    receiveProviderEvent: 'POST /v1/inbound/events b',
  },
  interactions: {
    list: 'GET /v1/interactions qc',
    create: 'POST /v1/interactions b',
    get: 'GET /v1/interactions/{interaction_id}',
    delete: 'DELETE /v1/interactions/{interaction_id}',
    respond: 'POST /v1/interactions/{interaction_id}/respond b',
    review: 'POST /v1/interactions/{interaction_id}/review b',
    cancel: 'POST /v1/interactions/{interaction_id}/cancel b',
  },
  me: { get: 'GET /v1/me' },
  nudges: { cancel: 'POST /v1/sessions/{session_id}/nudges/{nudge_id}/cancel' },
  operations: {
    interactionInboxPage: 'GET /interactions t',
    interactionAnswerPage: 'GET /interactions/{interaction_id} t',
    welcome: 'GET / t',
    healthz: 'GET /healthz',
    readyz: 'GET /readyz',
    metrics: 'GET /metrics t',
    openapiJson: 'GET /openapi.json',
    openapiYaml: 'GET /openapi.yaml t',
    referencePage: 'GET /docs t',
    referenceProgram: 'GET /docs/reference.js t',
    referenceDocument: 'GET /docs/openapi.json',
  },
  organization: {
    getContext: 'GET /v1/organization/context',
    replaceContext: 'PUT /v1/organization/context b',
    getOAuthReturnOrigins: 'GET /v1/organization/oauth-return-origins',
    replaceOAuthReturnOrigins: 'PUT /v1/organization/oauth-return-origins b',
  },
  ownership: { update: 'PATCH /v1/resources/{resource_type}/{resource_id}/ownership b' },
  permissions: { list: 'GET /v1/permissions w' },
  principals: {
    list: 'GET /v1/principals qc',
    create: 'POST /v1/principals b',
    get: 'GET /v1/principals/{principal_id}',
    update: 'PATCH /v1/principals/{principal_id} b',
    delete: 'DELETE /v1/principals/{principal_id}',
  },
  roleAssignments: {
    list: 'GET /v1/role-assignments qc',
    create: 'POST /v1/role-assignments b',
    delete: 'DELETE /v1/role-assignments/{assignment_id}',
  },
  roles: {
    list: 'GET /v1/roles qc',
    create: 'POST /v1/roles b',
    get: 'GET /v1/roles/{role_id}',
    update: 'PATCH /v1/roles/{role_id} b',
    delete: 'DELETE /v1/roles/{role_id}',
  },
  routines: {
    list: 'GET /v1/routines qc',
    create: 'POST /v1/routines b',
    listOccurrences: 'GET /v1/routines/occurrences qc',
    get: 'GET /v1/routines/{routine_id}',
    update: 'PATCH /v1/routines/{routine_id} b',
    delete: 'DELETE /v1/routines/{routine_id}',
    listChanges: 'GET /v1/routines/{routine_id}/changes qc',
    runNow: 'POST /v1/routines/{routine_id}/run',
    pause: 'POST /v1/routines/{routine_id}/pause',
    resume: 'POST /v1/routines/{routine_id}/resume',
    listPrincipals: 'GET /v1/routines/{routine_id}/principals w',
    addPrincipal: 'POST /v1/routines/{routine_id}/principals b',
    removePrincipal: 'DELETE /v1/routines/{routine_id}/principals/{principal_id} q',
    approveProposal: 'POST /v1/routines/proposals/{proposal_id}/approve',
    dismissProposal: 'POST /v1/routines/proposals/{proposal_id}/dismiss',
  },
  sessions: {
    list: 'GET /v1/sessions qc',
    create: 'POST /v1/sessions b',
    get: 'GET /v1/sessions/{session_id}',
    update: 'PATCH /v1/sessions/{session_id} b',
    delete: 'DELETE /v1/sessions/{session_id}',
    listMessages: 'GET /v1/sessions/{session_id}/messages qs',
    appendMessages: 'POST /v1/sessions/{session_id}/messages b',
    listTurns: 'GET /v1/sessions/{session_id}/turns qc',
    getTurn: 'GET /v1/sessions/{session_id}/turns/{turn_id}',
    getTurnLive: 'GET /v1/sessions/{session_id}/turns/{turn_id}/live',
    cancel: 'POST /v1/sessions/{session_id}/cancel q',
    stream: 'GET /v1/sessions/{session_id}/stream qe',
    getTranscript: 'GET /v1/sessions/{session_id}/transcript q',
    streamTranscript: 'GET /v1/sessions/{session_id}/transcript/stream qe',
    listNudges: 'GET /v1/sessions/{session_id}/nudges qc',
    nudge: 'POST /v1/sessions/{session_id}/nudges bk',
    getNudge: 'GET /v1/sessions/{session_id}/nudges/{nudge_id}',
    compact: 'POST /v1/sessions/{session_id}/compact',
    createAttachment: 'POST /v1/sessions/{session_id}/attachments bh',
    deleteAttachment: 'DELETE /v1/sessions/{session_id}/attachments/{artifact_id}',
  },
  skills: {
    list: 'GET /v1/skills qc',
    create: 'POST /v1/skills b',
    import: 'POST /v1/skills/import b',
    get: 'GET /v1/skills/{skill_id}',
    update: 'PUT /v1/skills/{skill_id} b',
    delete: 'DELETE /v1/skills/{skill_id}',
  },
  tables: {
    list: 'GET /v1/tables qc',
    create: 'POST /v1/tables b',
    get: 'GET /v1/tables/{table_id}',
    update: 'PATCH /v1/tables/{table_id} b',
    delete: 'DELETE /v1/tables/{table_id}',
    getStats: 'GET /v1/tables/{table_id}/stats',
    createRow: 'POST /v1/tables/{table_id}/rows b',
    getRow: 'GET /v1/tables/{table_id}/rows/{row_id}',
    updateRow: 'PATCH /v1/tables/{table_id}/rows/{row_id} b',
    deleteRow: 'DELETE /v1/tables/{table_id}/rows/{row_id}',
    queryRows: 'POST /v1/tables/{table_id}/query bc',
    searchRows: 'POST /v1/tables/{table_id}/search bc',
    upsertRow: 'POST /v1/tables/{table_id}/upsert b',
    bulkCreateTableRows: 'POST /v1/tables/{table_id}/bulk b',
  },
  turns: {
    list: 'GET /v1/turns qc',
    listMessages: 'GET /v1/turns/{turn_id}/messages qs',
    start: 'POST /v1/sessions/{session_id}/turns bi',
    cancel: 'POST /v1/sessions/{session_id}/turns/{turn_id}/cancel',
  },
};

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
    apply(body: RequestBody<'applyBlueprint'>, options?: CallOptions): Promise<Reply<'applyBlueprint'>>;
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
  declare readonly events: Resources['events'];
  declare readonly interactions: Resources['interactions'];
  declare readonly me: Resources['me'];
  declare readonly nudges: Resources['nudges'];
  declare readonly operations: Resources['operations'];
  declare readonly organization: Resources['organization'];
  declare readonly ownership: Resources['ownership'];
  declare readonly permissions: Resources['permissions'];
  declare readonly principals: Resources['principals'];
  declare readonly roleAssignments: Resources['roleAssignments'];
  declare readonly roles: Resources['roles'];
  declare readonly routines: Resources['routines'];
  declare readonly sessions: Resources['sessions'];
  declare readonly skills: Resources['skills'];
  declare readonly tables: Resources['tables'];
  declare readonly turns: Resources['turns'];
}
