// Made from contract/openapi.yaml by tools/contract-types.mjs.
import type { Json, JsonObject } from './json.js';

export type components = {
  schemas: {
    ActionEndpointKind: 'http' | 'worker';
    ActionInvocationActionV1: { id: string; name: string } & JsonObject;
    ActionInvocationActorV1: {
      principal_id: string;
      principal_type: 'human' | 'agent' | 'service' | 'system';
      agent_id?: string | null;
    } & JsonObject;
    ActionInvocationContextV1: {
      schema_version: 1;
      scope: components['schemas']['ActionInvocationScopeV1'];
      action: components['schemas']['ActionInvocationActionV1'];
      actor: components['schemas']['ActionInvocationActorV1'];
      origin: components['schemas']['ActionInvocationOriginV1'];
    } & JsonObject;
    ActionInvocationOriginV1: {
      kind: 'agent_tool_call' | 'loop_action_step' | 'direct_action_invoke' | 'server_internal';
      channel_exchange_id?: string | null;
      step_key?: string | null;
      agent_turn_id?: string | null;
      session_id?: string | null;
      tool_call_id?: string | null;
    } & JsonObject;
    ActionInvocationScopeV1: { org_id: string } & JsonObject;
    ActionInvocationV1: {
      svc: components['schemas']['ActionInvocationContextV1'];
      parameters: JsonObject;
    } & JsonObject;
    ActionPermissionGroup: {
      id: string;
      label: string;
      source: 'platform' | 'integration' | 'custom';
      children: string[];
    };
    ActionProgressLine: { progress?: JsonObject; output?: Json } & JsonObject;
    ActionResponseEnvelope: { output?: Json; context?: components['schemas']['RuntimeContext'] } & JsonObject;
    ActionSelector: { selector_type?: components['schemas']['ActionSelectorType']; selector: string };
    ActionSelectorType: 'exact' | 'group' | 'platform' | 'custom' | 'wildcard';
    Agent: {
      id: string;
      principal_id: string;
      owner: components['schemas']['Owner'];
      posture: components['schemas']['ResourcePosture'];
      name: string;
      external_ref?: string;
      description?: string;
      color?: string;
      model?: string;
      model_route?: components['schemas']['AgentModelRoute'];
      tool_presentation?: components['schemas']['AgentToolPresentation'];
      action_selectors?: components['schemas']['ActionSelector'][];
      tool_selectors?: components['schemas']['ActionSelector'][];
      integration_access?: components['schemas']['AgentIntegrationAccess'][];
      system_prompt?: string;
      timeout_seconds?: number;
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      memory_enabled: boolean;
      thinking_effort?: components['schemas']['ThinkingEffort'];
      tags?: components['schemas']['TagMap'];
      memory_context?: components['schemas']['MemoryContextPolicy'];
      skill_ids?: string[];
      status: components['schemas']['AgentStatus'];
      visibility: components['schemas']['AgentVisibility'];
      member_count?: number;
      email_address?: string;
      created_by?: string;
      updated_by?: string;
      created_at: string;
      updated_at: string;
    };
    AgentAudienceResourceDisposition: {
      resource_type: 'artifact' | 'session' | 'skill' | 'table';
      resource_id: string;
      action: 'revoke' | 'make_private' | 'keep_and_widen';
    };
    AgentIntegrationAccess: { provider: string; act_as_user?: boolean; pin?: string };
    AgentMemoryChangeOperation: 'created' | 'updated' | 'deleted';
    AgentMemoryChangeReason: 'remembered' | 'api' | 'soft_cap' | 'promoted' | 'promotion_reverted';
    AgentMessagePayload: {
      event_type: 'agent.message';
      session_id: string;
      message_id: string;
      sequence: number;
      role: 'assistant';
      content: components['schemas']['ContentBlock'][];
      turn_id?: string;
      agent_id?: string;
      entry_type?: string;
      metadata?: JsonObject;
      created_at?: string;
    } & JsonObject;
    AgentModelRoute: { mode: 'managed' | 'worker'; environment_id?: string; provider?: string; model?: string };
    AgentRef: { id?: string; name?: string } & JsonObject;
    AgentStatus: 'active' | 'inactive';
    AgentToolConsumer: { invocation_id: string; tool_call_id: string; session_id?: string };
    AgentToolPresentation: 'flat' | 'meta';
    AgentTurn: {
      id: string;
      agent_id: string;
      session_id: string;
      channel_exchange_id?: string;
      attempt: number;
      status: components['schemas']['TurnStatus'];
      phase?: 'queued' | 'running' | 'waiting' | null;
      seq?: number;
      error_type?: string;
      error_message?: string;
      error_scope?: 'agent_turn';
      usage?: components['schemas']['TurnUsage'];
      output?: JsonObject;
      output_source?: 'tool' | 'text';
      wait?: components['schemas']['TurnWait'];
      deferrable?: boolean;
      routine_name?: string;
      effective_timeout_seconds?: number;
      created_at: string;
      updated_at: string;
      completed_at?: string;
    };
    AgentTurnListResponse: {
      items: components['schemas']['AgentTurn'][];
      has_more: boolean;
      next_cursor?: string | null;
    };
    AgentVisibility: 'private' | 'organization' | 'restricted';
    ApplyBlueprintRequest: {
      namespace?: string;
      blueprint_key?: string;
      blueprint_version?: string;
      mode?: 'preview' | 'apply';
      protect_resources?: boolean;
      resources: components['schemas']['BlueprintResources'];
    };
    BlueprintActionAnnotations: {
      idempotent?: boolean;
      destructive?: boolean;
      read_only?: boolean;
      long_running?: boolean;
    };
    BlueprintActionInput: {
      key: string;
      name: string;
      type?: components['schemas']['ActionEndpointKind'];
      endpoint?: string;
      title?: string;
      description?: string;
      input_schema?: JsonObject;
      output_schema?: JsonObject;
      annotations?: components['schemas']['BlueprintActionAnnotations'];
      tags?: components['schemas']['TagMap'];
    };
    BlueprintAgentInput: {
      key: string;
      name: string;
      description?: string;
      color?: string;
      model?: string;
      model_route?: components['schemas']['AgentModelRoute'];
      tool_presentation?: components['schemas']['AgentToolPresentation'];
      action_selectors?: components['schemas']['ActionSelector'][];
      system_prompt?: string;
      timeout_seconds?: number;
      status?: components['schemas']['AgentStatus'];
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      thinking_effort?: components['schemas']['ThinkingEffort'];
      tags?: components['schemas']['TagMap'];
      skills?: components['schemas']['BlueprintResourceRef'][];
    };
    BlueprintApplyResult: {
      status: 'applied' | 'previewed';
      namespace?: string;
      blueprint_key?: string;
      blueprint_version?: string;
      changes: components['schemas']['BlueprintChange'][];
      bindings: components['schemas']['BlueprintBinding'][];
    };
    BlueprintBinding: {
      resource_type: components['schemas']['BlueprintResourceType'];
      key: string;
      resource_id: string;
      protected: boolean;
      delete_on_destroy: boolean;
      namespace?: string;
      blueprint_key?: string;
      blueprint_version?: string;
    };
    BlueprintBindingListResponse: { items: components['schemas']['BlueprintBinding'][]; has_more?: boolean };
    BlueprintChange: {
      resource_type: components['schemas']['BlueprintResourceType'];
      key: string;
      action: 'created' | 'updated' | 'adopted' | 'unchanged';
      resource_id?: string;
      name?: string;
      fields?: string[];
      values?: components['schemas']['BlueprintFieldChange'][];
    };
    BlueprintDeleteResult: {
      status: 'deleted';
      namespace?: string;
      blueprint_key: string;
      deleted: components['schemas']['BlueprintBinding'][];
      retained: components['schemas']['BlueprintBinding'][];
    };
    BlueprintFieldChange: { field: string; before?: Json; after?: Json };
    BlueprintProtectionResult: {
      protected: boolean;
      namespace?: string;
      blueprint_key: string;
      items: components['schemas']['BlueprintBinding'][];
    };
    BlueprintRef: { namespace?: string; key: string };
    BlueprintResourceRef: { id?: string; key?: string; blueprint_ref?: components['schemas']['BlueprintRef'] };
    BlueprintResources: {
      actions?: components['schemas']['BlueprintActionInput'][];
      skills?: components['schemas']['BlueprintSkillInput'][];
      agents?: components['schemas']['BlueprintAgentInput'][];
      tables?: components['schemas']['BlueprintTableInput'][];
    };
    BlueprintResourceType: 'action' | 'skill' | 'agent' | 'table';
    BlueprintSkillInput: {
      key: string;
      name: string;
      title?: string;
      description?: string;
      instructions?: string;
      allowed_actions?: string[];
      required_actions?: string[];
      recommended_actions?: string[];
      allowed_tools?: string[];
      tags?: components['schemas']['TagMap'];
    };
    BlueprintTableInput: {
      key: string;
      name: string;
      description?: string;
      instructions?: string;
      schema: components['schemas']['TableSchema'];
    };
    CancelInteractionRequest: { reason?: string } & JsonObject;
    ChannelContext: { provider?: string; workspace_id?: string; channel_id?: string; thread_id?: string } & JsonObject;
    ColumnDef: {
      name: string;
      type: components['schemas']['ColumnType'];
      required?: boolean;
      indexed?: boolean;
      default?: Json;
      description?: string;
      deprecated?: boolean;
    };
    ColumnType: 'string' | 'number' | 'boolean' | 'date' | 'object' | 'array' | 'any';
    CompactionCreatedPayload: {
      event_type: 'compaction.created';
      session_id: string;
      trigger?: 'auto' | 'manual' | 'append';
      from_sequence?: number;
      through_sequence?: number;
      message_id: string;
      sequence: number;
      role: 'compaction';
      content: components['schemas']['ContentBlock'][];
      covers_through_sequence: number;
      message_count?: number;
      summary_model?: string;
      turn_id?: string;
    } & JsonObject;
    CompactionFailedPayload: {
      event_type: 'compaction.failed';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      trigger?: 'auto' | 'manual' | 'append';
      from_sequence?: number;
      through_sequence?: number;
      error_type?: string;
      error_message?: string;
    } & JsonObject;
    CompactionStartedPayload: {
      event_type: 'compaction.started';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      trigger?: 'auto' | 'manual' | 'append';
      from_sequence?: number;
      through_sequence?: number;
      message_count?: number;
      estimated_tokens?: number;
      summary_model?: string;
      deadline?: string;
    } & JsonObject;
    Consumer: {
      kind: 'agent_tool' | 'http_subscriber' | 'none';
      agent_tool?: components['schemas']['AgentToolConsumer'] | null;
      http_subscriber?: components['schemas']['HttpSubscriberConsumer'] | null;
    };
    ConsumerInput: {
      kind: 'agent_tool' | 'http_subscriber' | 'none';
      agent_tool?: components['schemas']['AgentToolConsumer'];
      http_subscriber?: components['schemas']['HttpSubscriberConsumerInput'];
    };
    ContentBlock:
      | components['schemas']['TextBlock']
      | components['schemas']['ThinkingBlock']
      | components['schemas']['ToolUseBlock']
      | components['schemas']['ToolResultBlock']
      | components['schemas']['ImageBlock']
      | components['schemas']['DocumentBlock']
      | components['schemas']['ReminderBlock'];
    CreateInteractionRequest: {
      kind: components['schemas']['InteractionKind'];
      title: string;
      description?: string;
      target_user_ids: string[];
      resolution_policy?: components['schemas']['ResolutionPolicy'];
      require_all?: boolean;
      spec?: components['schemas']['InteractionSpec'];
      consumer?: components['schemas']['ConsumerInput'];
      delivery?: components['schemas']['Delivery'];
      expires_at?: string;
      subject?: components['schemas']['InteractionReference'];
      references?: components['schemas']['InteractionReference'][];
      context?: JsonObject | null;
      tags?: components['schemas']['TagMap'];
      properties?: JsonObject | null;
    } & JsonObject;
    CreateRoleAssignmentRequest: { principal_id: string; role_id?: string; role_name?: string };
    CreateRoleRequest: {
      name: string;
      description?: string;
      permissions: string[];
      tags?: components['schemas']['TagMap'];
    };
    CreateSessionRequest: {
      agent_id: string;
      mode?: 'continue_or_create' | 'continue' | 'new';
      session_key?: string;
      title?: string;
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
      model_override?: string;
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      retention?: components['schemas']['SessionRetentionPolicy'];
      thinking_effort?: components['schemas']['ThinkingEffort'];
      metadata?: JsonObject;
    } & JsonObject;
    Delivery: { channels: components['schemas']['DeliveryChannel'][] };
    DeliveryChannel: { kind: 'inbox_only' | 'email'; email?: components['schemas']['EmailDelivery'] | null };
    DocumentBlock: {
      type: 'document';
      source: components['schemas']['DocumentSource'];
      title?: string;
      media_type?: string;
      size_bytes?: number;
      page_count?: number;
      context?: string;
      citations?: JsonObject;
    } & JsonObject;
    DocumentSource: { type: 'url' | 'base64' | 'text'; url?: string; media_type?: string; data?: string } & JsonObject;
    DroppedFileBlock: { type: 'file' } & JsonObject;
    EmailAttachmentInfo: { name: string; mime_type: string; size_bytes: number };
    EmailDelivery: { to: string[] };
    EmailReceivedEvent: {
      email_id: string;
      agent_id: string;
      message_id?: string;
      from: string;
      to: string[];
      cc?: string[];
      reply_to?: string;
      subject: string;
      text?: string;
      html?: string;
      in_reply_to?: string;
      attachments?: components['schemas']['EmailAttachmentInfo'][];
      received_at: string;
    } & JsonObject;
    ErrorResponse: { error: { code: string; message: string; details?: JsonObject } };
    EventProjection: {
      title: 'Request answered' | 'Request dismissed' | 'Request expired';
      summary?: string;
      excerpt?: string;
    };
    GenerationDeltaFrame: {
      event_type: 'generation.delta';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      job_id?: string | null;
      tool_call_id?: string | null;
      delta_sequence?: number | null;
      delta: JsonObject;
      worker_id?: string | null;
      model?: string | null;
    } & JsonObject;
    CallbackDelivery: {
      delivery_id: string;
      status: 'pending' | 'delivered' | 'abandoned';
      attempts: number;
      last_attempt_at?: string | null;
      next_attempt_at?: string | null;
      last_status_code?: number | null;
      last_error?: string | null;
    };
    HttpSubscriberConsumer: {
      callback_url: string;
      signing_secret?: string;
      delivery?: components['schemas']['CallbackDelivery'] | null;
    };
    HttpSubscriberConsumerInput: { callback_url: string; signing_secret?: string };
    ImageBlock: {
      type: 'image';
      source: components['schemas']['UrlOrBase64ImageSource'];
      title?: string;
      media_type?: string;
      size_bytes?: number;
    } & JsonObject;
    IndexDef: { name: string; columns: string[] };
    InputContentBlock:
      | components['schemas']['TextBlock']
      | components['schemas']['ImageBlock']
      | components['schemas']['DocumentBlock']
      | components['schemas']['DroppedFileBlock'];
    Interaction: {
      id: string;
      created_by?: string | null;
      owner: components['schemas']['Owner'];
      visibility: 'private' | 'organization';
      container?: components['schemas']['ResourceContainer'] | null;
      posture: components['schemas']['ResourcePosture'];
      kind: components['schemas']['InteractionKind'];
      status: components['schemas']['InteractionStatus'];
      title: string;
      description?: string | null;
      subject?: components['schemas']['InteractionReference'] | null;
      references?: components['schemas']['InteractionReference'][];
      context?: JsonObject | null;
      tags?: components['schemas']['TagMap'];
      properties?: JsonObject | null;
      spec: components['schemas']['InteractionSpec'];
      target_user_ids: string[];
      responder?: components['schemas']['InteractionResponder'] | null;
      resolving_response_id?: string | null;
      responses?: components['schemas']['InteractionResponse'][];
      expires_at?: string | null;
      completed_at?: string | null;
      created_at: string;
      updated_at: string;
      require_all?: boolean;
      resolution_policy?: components['schemas']['ResolutionPolicy'] | null;
      consumer?: components['schemas']['Consumer'] | null;
      delivery?: components['schemas']['Delivery'] | null;
      outcome?: components['schemas']['InteractionOutcome'] | null;
      resolved_by?: string | null;
      cancel_reason?: string | null;
      review_round?: number | null;
      submitted_at?: string | null;
      review_feedback?: string | null;
      reviewer?: components['schemas']['InteractionResponder'] | null;
      session_id?: string | null;
      lifecycle?: components['schemas']['InteractionLifecycleEvent'][];
    };
    InteractionAnswer: { question_id: string; value?: string; values?: string[]; other?: string; text?: string };
    InteractionCallback: {
      event_type: 'interaction.resolved';
      interaction_id: string;
      kind: components['schemas']['InteractionKind'];
      status: 'completed' | 'cancelled' | 'expired';
      title: string;
      outcome?: components['schemas']['InteractionOutcome'] | null;
      comment?: string | null;
      responder?: components['schemas']['InteractionResponder'] | null;
      resolving_response_id?: string | null;
      resolved_by?: string | null;
      cancel_reason?: string | null;
      resolved_at: string;
    };
    InteractionCreatedEvent: {
      interaction_id: string;
      kind: components['schemas']['InteractionKind'];
      status: components['schemas']['InteractionStatus'];
      title: string;
      description?: string | null;
      target_user_ids: string[];
      consumer_kind: string;
      resolution_policy?: components['schemas']['ResolutionPolicy'] | null;
      session_id?: string | null;
      agent_id?: string | null;
      created_by?: string | null;
      expires_at?: string | null;
      created_at: string;
    } & JsonObject;
    InteractionKind: 'request_information' | 'request_approval' | 'request_review' | 'assign_work';
    InteractionLifecycleEvent: {
      at: string;
      status: components['schemas']['InteractionStatus'];
      action:
        'created' | 'submitted_for_review' | 'accepted' | 'changes_requested' | 'resolved' | 'cancelled' | 'expired';
      actor_id?: string | null;
      comment?: string | null;
      round?: number | null;
    };
    InteractionListResponse: { items: components['schemas']['Interaction'][]; has_more: boolean; next_cursor?: string };
    InteractionMode: 'confirm' | 'select' | 'multi_select' | 'input';
    InteractionOption: { value: string; label: string; description?: string };
    InteractionOutcome: {
      answers: components['schemas']['InteractionAnswer'][];
      comment?: string;
      responses: components['schemas']['InteractionOutcomeResponse'][];
    };
    InteractionOutcomeResponse: {
      response_id: string;
      responder_id: string;
      answers: components['schemas']['InteractionAnswer'][];
      comment?: string;
    };
    InteractionQuestion: {
      id: string;
      prompt: string;
      required?: boolean;
      mode: components['schemas']['InteractionMode'];
      default_confirmed?: boolean;
      options?: components['schemas']['InteractionOption'][];
      min_selections?: number;
      max_selections?: number;
      allow_other?: boolean;
      default_value?: string;
      default_values?: string[];
      default_text?: string;
      placeholder?: string;
      multiline?: boolean;
    };
    InteractionReference: {
      kind: 'external_url' | 'svc_entity';
      url?: string;
      entity_type?: string;
      entity_id?: string;
      relation?: string;
      label?: string;
    };
    InteractionResolvedEvent: {
      interaction_id: string;
      kind: components['schemas']['InteractionKind'];
      status: 'completed' | 'cancelled' | 'expired';
      title: string;
      consumer_kind: string;
      target_user_ids: string[];
      responder_id?: string | null;
      resolving_response_id?: string | null;
      outcome?: components['schemas']['InteractionOutcome'] | null;
      comment?: string | null;
      resolved_by: string;
      cancel_reason?: string | null;
      session_id?: string | null;
      created_at: string;
      resolved_at: string;
    } & JsonObject;
    InteractionResponder: { user_id: string };
    InteractionResponse: {
      id: string;
      interaction_id: string;
      response_kind: 'response';
      state: 'submitted';
      responder_user_id: string;
      answers: components['schemas']['InteractionAnswer'][];
      value: components['schemas']['InteractionValue'];
      comment?: string | null;
      responded_at: string;
      attempt?: number | null;
      created_at: string;
      updated_at: string;
    };
    InteractionSpec: {
      questions?: components['schemas']['InteractionQuestion'][];
      mode?: components['schemas']['InteractionMode'];
      options?: components['schemas']['InteractionOption'][];
      default_confirmed?: boolean;
      default_value?: string;
      default_values?: string[];
      default_text?: string;
      placeholder?: string;
      multiline?: boolean;
    };
    InteractionStatus: 'pending' | 'in_review' | 'completed' | 'expired' | 'cancelled';
    InteractionUpsertFrame: components['schemas']['Interaction'] & { event_type: 'interaction.upsert' } & {
      event_type: 'interaction.upsert';
    };
    InteractionValue: Json;
    InvokeAgentRequest: {
      agent_ref: components['schemas']['AgentRef'];
      session?: components['schemas']['InvokeSessionSpec'];
      input: components['schemas']['TurnInput'];
      operation?: components['schemas']['TurnOperationPolicy'];
      output?: components['schemas']['TurnOutputSpec'];
      channel_context?: components['schemas']['ChannelContext'];
    } & JsonObject;
    InvokeSessionSpec: {
      mode?: 'continue_or_create' | 'continue' | 'new';
      session_key?: string;
      title?: string;
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
      model_override?: string;
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      retention?: components['schemas']['SessionRetentionPolicy'];
      thinking_effort?: components['schemas']['ThinkingEffort'];
      metadata?: JsonObject;
    } & JsonObject;
    LegacyActionInvocation: { step_key?: string; parameters: JsonObject } & JsonObject;
    MemoryContextMode: 'index' | 'full' | 'off';
    MemoryContextPolicy: { mode: components['schemas']['MemoryContextMode']; max_bytes?: number };
    MemoryEntryEvent: {
      agent_id: string;
      user_id: string;
      memory_entry_id: string;
      memory_key: string;
      version: number;
      operation: components['schemas']['AgentMemoryChangeOperation'];
      reason: components['schemas']['AgentMemoryChangeReason'];
      kind: components['schemas']['MemoryKind'];
      actor_id?: string | null;
    } & JsonObject;
    MemoryKind: 'fact' | 'preference' | 'episode' | 'summary';
    MessageBlockFrame: {
      event_type: 'message.block';
      session_id: string;
      message_id: string;
      content_index: number;
      block: components['schemas']['ContentBlock'];
    };
    MessageBlockPatchFrame: {
      event_type: 'message.block.patch';
      session_id: string;
      message_id: string;
      content_index: number;
      status?: string;
      progress?: JsonObject | null;
      resolved_action?: components['schemas']['ResolvedAction'];
    };
    MessageDeltaFrame: {
      event_type: 'message.delta';
      session_id: string;
      message_id: string;
      content_index: number;
      text?: string;
      thinking?: string;
    };
    MessageChannel: { id: string; kind: 'dm' | 'channel'; thread_id?: string };
    MessageSender: { id: string; name?: string; is_bot?: boolean };
    MessageMetadata: {
      session_nudge_id?: string;
      event_type?: string;
      event_projection?: components['schemas']['EventProjection'];
      interaction_id?: string;
      response_message_index?: number;
      partial?: boolean;
      terminal_outcome?: 'failed' | 'cancelled';
      channel_context?: components['schemas']['ChannelContext'];
    } & JsonObject;
    MessageUpsertFrame: components['schemas']['SessionTranscriptMessage'] & { event_type: 'message.upsert' } & {
      event_type: 'message.upsert';
    };
    NudgeDelivery: 'current_turn' | 'new_turn';
    NudgeEventPayload: {
      event_type: 'nudge.queued' | 'nudge.delivered' | 'nudge.cancelled';
      session_id: string;
      nudge_id: string;
      turn_id: string;
      delivery: components['schemas']['NudgeDelivery'];
      status: components['schemas']['NudgeStatus'];
    } & JsonObject;
    NudgeSessionRequest: {
      content: string;
      idempotency_key?: string;
      metadata?: JsonObject;
      wake?: boolean;
    } & JsonObject;
    NudgeStatus: 'pending' | 'delivered' | 'cancelled';
    NudgeTurn: { id: string; status: components['schemas']['TurnStatus'] };
    Owner: { kind: 'person' | 'team'; id?: string | null };
    PermissionCatalogResponse: {
      items: components['schemas']['PermissionDefinition'][];
      presets: components['schemas']['PermissionPreset'][];
      action_groups: components['schemas']['ActionPermissionGroup'][];
    };
    PermissionDefinition: {
      id: string;
      label: string;
      description: string;
      scope: 'org' | 'platform' | 'action';
      category: 'resource' | 'org' | 'job' | 'billing' | 'platform';
      risk: 'low' | 'medium' | 'high' | 'critical';
      assignable: boolean;
      user_kinds: components['schemas']['PrincipalKind'][];
    };
    PermissionPreset: {
      id: string;
      label: string;
      description: string;
      scope: 'org' | 'platform' | 'action';
      permissions: string[];
    };
    PrincipalKind: 'human' | 'service' | 'worker' | 'agent' | 'system';
    ReminderBlock: { type: 'reminder'; name: string; tier: 'contextual' | 'operator'; content: string } & JsonObject;
    ResolutionPolicy: {
      type: 'any_of' | 'all_of' | 'quorum';
      threshold?: number;
      review?: components['schemas']['ReviewPolicy'] | null;
    };
    ResolvedAction: { name: string; input: JsonObject };
    ResourceContainer: { kind: 'agent'; id: string };
    ResourcePosture: 'only_you' | 'shared_by_you' | 'shared_with_group' | 'team' | 'someone_else';
    ResourceVisibility: 'private' | 'organization' | 'restricted';
    RespondToInteractionRequest: {
      action?: 'submit';
      answers?: components['schemas']['InteractionAnswer'][];
      value?: components['schemas']['InteractionValue'];
      comment?: string;
    } & JsonObject;
    ReviewPolicy: { reviewer_user_ids?: string[] };
    Role: {
      id: string;
      name: string;
      description?: string;
      permissions: string[];
      system_defined: boolean;
      tags?: components['schemas']['TagMap'];
      created_at: string;
      updated_at: string;
    };
    RoleAssignment: {
      id: string;
      principal_id: string;
      role_id: string;
      role_name: string;
      granted_by?: string;
      created_at: string;
    };
    RoleAssignmentListResponse: {
      items: components['schemas']['RoleAssignment'][];
      has_more?: boolean;
      next_cursor?: string;
    };
    RoleListResponse: { items: components['schemas']['Role'][]; has_more: boolean; next_cursor?: string };
    RuntimeContext: components['schemas']['RuntimeContextItem'][];
    RuntimeContextItem: { name: string; content: string };
    Session: {
      id: string;
      owner: components['schemas']['Owner'];
      agent_id: string;
      container?: components['schemas']['ResourceContainer'] | null;
      title: string;
      status: components['schemas']['SessionStatus'];
      origin: string;
      scope: 'agent';
      scope_ref_id: string;
      scope_name: string;
      session_key: string;
      visibility: 'private' | 'organization';
      posture: components['schemas']['ResourcePosture'];
      model_override?: string;
      model?: string;
      model_provider?: string;
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      retention?: components['schemas']['SessionRetentionPolicy'];
      expires_at?: string | null;
      thinking_effort?: components['schemas']['ThinkingEffort'];
      latest_compaction?: components['schemas']['SessionCompactionBoundary'] | null;
      compaction?: components['schemas']['SessionCompactionProgress'];
      latest_compaction_failure?: components['schemas']['SessionCompactionFailure'];
      message_count: number;
      token_input_total: number;
      token_output_total: number;
      cache_read_input_total: number;
      cache_creation_input_total: number;
      version: number;
      last_message_at?: string | null;
      forked_from_session_id?: string;
      forked_from_sequence?: number;
      created_by?: string;
      metadata?: JsonObject;
      created_at: string;
      updated_at: string;
    };
    SessionCompactionBoundary: { message_id: string; sequence: number; covers_through_sequence: number };
    SessionCompactionFailure: { error_type: string; at: string };
    SessionCompactionPolicy: {
      strategy?: 'auto' | 'manual' | 'disabled' | 'none';
      threshold?: components['schemas']['SessionCompactionThreshold'];
      threshold_tokens?: number;
      summary_model?: string;
    };
    SessionCompactionProgress: {
      in_progress: boolean;
      started_at?: string;
      deadline?: string;
      from_sequence?: number;
      through_sequence?: number;
      message_count?: number;
      threshold_tokens?: number;
    };
    SessionCompactionThreshold: 'xs' | 'sm' | 'md' | 'lg' | 'xl';
    SessionListResponse: { items: components['schemas']['Session'][]; has_more: boolean; next_cursor?: string | null };
    SessionLiveSnapshot: {
      session_id: string;
      turn_id: string;
      frames: JsonObject[];
      last_live_sequence: number;
      updated_at: string;
    };
    SessionMessage: {
      id: string;
      session_id: string;
      agent_id: string;
      role: components['schemas']['SessionMessageRole'];
      content: components['schemas']['ContentBlock'][];
      entry_type: string;
      covers_through_sequence?: number;
      sequence: number;
      turn_id?: string;
      metadata?: components['schemas']['MessageMetadata'];
      created_at: string;
    };
    SessionMessageCreatedEvent: {
      session_id: string;
      agent_id: string;
      message_id: string;
      role: components['schemas']['SessionMessageRole'];
      sequence: number;
      turn_id?: string | null;
      entry_type: string;
      session_key: string;
      content: components['schemas']['ContentBlock'][];
      created_at: string;
    } & JsonObject;
    SessionMessageListResponse: {
      items: components['schemas']['SessionMessage'][];
      has_more: boolean;
      next_sequence?: number;
      prev_sequence?: number;
    };
    SessionMessagePreviewFrame: {
      event_type: 'session.message.preview';
      session_id: string;
      turn_id: string;
      live_sequence?: number;
      emitted_at?: string;
      id: string;
      agent_id?: string;
      role: components['schemas']['SessionMessageRole'];
      entry_type: string;
      content: components['schemas']['ContentBlock'][];
      metadata: JsonObject;
    } & JsonObject;
    SessionMessageRole: 'system' | 'user' | 'assistant' | 'tool' | 'compaction';
    SessionNudge: {
      id: string;
      status: components['schemas']['NudgeStatus'];
      delivery: components['schemas']['NudgeDelivery'];
      content: string;
      wake?: boolean;
      turn: components['schemas']['NudgeTurn'];
      sender_principal_id: string;
      metadata?: JsonObject;
      created_at: string;
      delivered_at?: string | null;
      cancelled_at?: string | null;
    };
    SessionNudgeAck: {
      nudge_id: string;
      delivery: components['schemas']['NudgeDelivery'];
      woke_turn: boolean;
      status: components['schemas']['NudgeStatus'];
      session: components['schemas']['Session'];
      turn: components['schemas']['AgentTurn'];
      after_sequence: number;
      deduped: boolean;
    };
    SessionNudgeListResponse: {
      items: components['schemas']['SessionNudge'][];
      has_more: boolean;
      next_cursor?: string | null;
    };
    SessionResyncFrame: {
      event_type: 'session.resync';
      session_id: string;
      turn_id?: string;
      reason: string;
    } & JsonObject;
    SessionRetentionPolicy: { mode: 'standard' | 'bounded'; ttl_seconds?: number } & JsonObject;
    SessionStatus: 'active' | 'archived' | 'deleted';
    SessionStreamFrame:
      | components['schemas']['SessionUserMessagePayload']
      | components['schemas']['AgentMessagePayload']
      | components['schemas']['CompactionCreatedPayload']
      | components['schemas']['TurnUpsertFrame']
      | components['schemas']['TurnStartedPayload']
      | components['schemas']['TurnWaitingPayload']
      | components['schemas']['TurnCompletedPayload']
      | components['schemas']['TurnFailedPayload']
      | components['schemas']['TurnCancelledPayload']
      | components['schemas']['GenerationDeltaFrame']
      | components['schemas']['SessionMessagePreviewFrame']
      | components['schemas']['ToolCallPayload']
      | components['schemas']['ToolResultPayload']
      | components['schemas']['CompactionStartedPayload']
      | components['schemas']['CompactionFailedPayload']
      | components['schemas']['NudgeEventPayload']
      | components['schemas']['SessionResyncFrame']
      | components['schemas']['StreamEndFrame'];
    SessionTranscriptFrame:
      | components['schemas']['MessageUpsertFrame']
      | components['schemas']['MessageBlockFrame']
      | components['schemas']['MessageBlockPatchFrame']
      | components['schemas']['MessageDeltaFrame']
      | components['schemas']['TurnUpsertFrame']
      | components['schemas']['InteractionUpsertFrame']
      | components['schemas']['StreamReadyFrame']
      | components['schemas']['StreamEndFrame'];
    SessionTranscriptMessage: {
      id: string;
      session_id: string;
      agent_id: string;
      role: components['schemas']['SessionMessageRole'];
      content: components['schemas']['ContentBlock'][];
      turn_id?: string | null;
      entry_type: string;
      status: string;
      turn_index: number | null;
      sequence: number | null;
      covers_through_sequence?: number | null;
      metadata?: components['schemas']['MessageMetadata'];
      created_at: string;
    };
    SessionTranscriptSnapshot: {
      messages: components['schemas']['SessionTranscriptMessage'][];
      turns: components['schemas']['SessionTranscriptTurn'][];
      interactions: components['schemas']['Interaction'][];
      has_more: boolean;
      resume_cursor: string;
      next_page_token?: string;
    };
    SessionTranscriptTurn: {
      id: string;
      agent_id: string;
      session_id: string;
      channel_exchange_id?: string;
      attempt: number;
      status: components['schemas']['TurnStatus'];
      phase?: 'queued' | 'running' | 'waiting' | null;
      seq?: number;
      error_type?: string;
      error_message?: string;
      error_scope?: 'agent_turn';
      usage?: components['schemas']['TurnUsage'];
      output?: JsonObject;
      output_source?: 'tool' | 'text';
      wait?: components['schemas']['TurnWait'];
      created_at: string;
      updated_at: string;
      completed_at?: string;
    };
    SessionUserMessagePayload: {
      event_type: 'user.message';
      session_id: string;
      message_id: string;
      sequence: number;
      role: components['schemas']['SessionMessageRole'];
      content: components['schemas']['ContentBlock'][];
      turn_id?: string;
      agent_id?: string;
      entry_type?: string;
      metadata?: JsonObject;
      created_at?: string;
    } & JsonObject;
    SetBlueprintProtectionRequest: { protected: boolean };
    Webhook: {
      id: string;
      org_id: string;
      url: string;
      event_types: string[];
      source_kinds?: string[];
      description?: string;
      status: 'active' | 'disabled';
      disabled: components['schemas']['WebhookDisabled'] | null;
      created_by: string;
      created_at: string;
      updated_at: string;
    };
    WebhookDisabled: { reason: 'gone' | 'down' | 'fell_behind'; at: string };
    WebhookWithSecret: {
      id: string;
      org_id: string;
      url: string;
      event_types: string[];
      source_kinds?: string[];
      description?: string;
      status: 'active' | 'disabled';
      disabled: components['schemas']['WebhookDisabled'] | null;
      created_by: string;
      created_at: string;
      updated_at: string;
      signing_secret: string;
    };
    WebhookList: { items: components['schemas']['Webhook'][]; has_more: boolean; next_cursor?: string };
    WebhookEventType: string;
    WebhookCreateRequest: {
      url: string;
      event_types: components['schemas']['WebhookEventType'][];
      source_kinds?: string[];
      description?: string;
    };
    WebhookUpdateRequest: {
      url?: string;
      event_types?: components['schemas']['WebhookEventType'][];
      source_kinds?: string[] | null;
      description?: string | null;
    };
    WebhookPing: { status?: number; error?: string };
    WebhookEnableRequest: { from?: 'latest' };
    WebhookRedeliverRequest: { event_id?: string; since?: string; until?: string };
    WebhookRedelivery: { events: number };
    WebhookDelivery: {
      event_id: string;
      tries: number;
      status: 'waiting' | 'given_up';
      next_at: string | null;
      last_status?: number | null;
      last_error?: string | null;
    };
    WebhookDeliveryList: { items: components['schemas']['WebhookDelivery'][] };
    SourceEvent: {
      event_type: string;
      source_kind: string;
      source_id: string;
      event:
        | components['schemas']['EmailReceivedEvent']
        | components['schemas']['InteractionCreatedEvent']
        | components['schemas']['InteractionResolvedEvent']
        | components['schemas']['MemoryEntryEvent']
        | components['schemas']['SessionMessageCreatedEvent']
        | components['schemas']['TableRowEvent']
        | JsonObject;
      meta: components['schemas']['SourceEventMeta'];
    };
    SourceEventMeta: {
      event_type: string;
      id: string;
      source_kind: string;
      source_id: string;
      occurred_at: string;
      received_at: string;
      provider?: string;
      integration_id?: string;
      truncated?: string[];
      agent_id?: string;
      user_id?: string;
      session_id?: string;
      message_id?: string;
      role?: string;
      interaction_id?: string;
      kind?: string;
      status?: string;
      target_user_ids?: string[];
      consumer_kind?: string;
      responder_id?: string | null;
      resolving_response_id?: string | null;
      memory_entry_id?: string;
      memory_key?: string;
      version?: number;
      table_id?: string;
      table_name?: string;
      row_id?: string;
    } & JsonObject;
    StartTurnRequest: {
      input?: components['schemas']['TurnInput'];
      operation?: components['schemas']['TurnOperationPolicy'];
      output?: components['schemas']['TurnOutputSpec'];
      role?: 'user';
      content?: components['schemas']['InputContentBlock'][];
      idempotency_key?: string;
      context?: components['schemas']['RuntimeContext'];
      metadata?: JsonObject;
    } & JsonObject;
    StreamEndFrame: { event_type: 'stream.end'; session_id: string; reason: 'idle' | 'rotate' };
    StreamReadyFrame: { event_type: 'stream.ready'; session_id: string; resume_cursor: string };
    TableRowEvent: {
      table_id: string;
      table_name: string;
      row_id: string;
      identity: string;
      data: JsonObject;
      previous_data?: JsonObject;
      changed_columns?: string[];
      version: number;
      actor_id?: string | null;
    } & JsonObject;
    TableSchema: {
      identity_column: string;
      secondary_key_column?: string;
      columns: components['schemas']['ColumnDef'][];
      indexes?: components['schemas']['IndexDef'][];
      open?: boolean;
    };
    TagMap: { [key: string]: string };
    TextBlock: { type: 'text'; text: string } & JsonObject;
    ThinkingBlock: { type: 'thinking'; thinking: string; signature?: string } & JsonObject;
    ThinkingEffort: 'inherit' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';
    TokenCreateResult: { token: string; expires_at: string };
    TokenVerb: 'read' | 'invoke' | 'nudge' | 'answer';
    ToolCallPayload: {
      event_type: 'tool.call';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      tool_call_id?: string;
      tool_name?: string;
      input?: JsonObject;
      resolved_action?: components['schemas']['ResolvedAction'];
      progress?: JsonObject;
    } & JsonObject;
    ToolResultBlock: {
      type: 'tool_result';
      tool_use_id: string;
      content?: string | components['schemas']['ContentBlock'][];
      is_error?: boolean;
    } & JsonObject;
    ToolResultPayload: {
      event_type: 'tool.result';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      tool_call_id?: string;
      tool_name?: string;
      content?: components['schemas']['ContentBlock'][];
      display?: string;
      is_error?: boolean;
      error?: string;
      progress?: JsonObject;
    } & JsonObject;
    ToolUseBlock: {
      type: 'tool_use';
      id: string;
      name: string;
      input: JsonObject;
      status?: string;
      progress?: JsonObject;
      resolved_action?: components['schemas']['ResolvedAction'];
    } & JsonObject;
    TurnAck: {
      session: components['schemas']['Session'];
      turn: components['schemas']['AgentTurn'];
      session_id: string;
      turn_id: string;
      status: components['schemas']['TurnStatus'];
      user_message?: components['schemas']['SessionTranscriptMessage'];
      resume_cursor: string;
      after_sequence: number;
      deduped: boolean;
      dropped_blocks?: number;
    };
    TurnCancelledPayload: {
      event_type: 'turn.cancelled';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      reason?: string;
      dedupe_key?: string;
    } & JsonObject;
    TurnCompletedPayload: {
      event_type: 'turn.completed';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      usage?: components['schemas']['TurnUsage'];
      dedupe_key: string;
    } & JsonObject;
    TurnFailedPayload: {
      event_type: 'turn.failed';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      error?: string;
      error_type?: string;
      error_scope?: string;
      dedupe_key?: string;
    } & JsonObject;
    TurnInput: {
      content: components['schemas']['InputContentBlock'][];
      idempotency_key?: string;
      context?: components['schemas']['RuntimeContext'];
      metadata?: JsonObject;
    } & JsonObject;
    TurnOperationPolicy: { timeout_seconds?: number } & JsonObject;
    TurnOutputSpec: { schema: JsonObject } & JsonObject;
    TurnStartedPayload: {
      event_type: 'turn.started';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
    } & JsonObject;
    TurnStatus: 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
    TurnUpsertFrame: components['schemas']['SessionTranscriptTurn'] & { event_type: 'turn.upsert' } & {
      event_type: 'turn.upsert';
    };
    TurnUsage: {
      input_tokens?: number;
      output_tokens?: number;
      cache_read_input_tokens?: number;
      cache_creation_input_tokens?: number;
      reasoning_tokens?: number;
      calls?: number;
    } & JsonObject;
    TurnWait: { kind: string; interaction_id?: string; tool_call_id: string; event_type?: string; expires_at?: string };
    TurnWaitingPayload: {
      event_type: 'turn.waiting';
      session_id: string;
      turn_id?: string;
      live_sequence?: number;
      emitted_at?: string;
      reason?: string;
      wait?: components['schemas']['TurnWait'];
    } & JsonObject;
    UpdateAgentRequest: {
      name?: string;
      external_ref?: string;
      description?: string;
      color?: string;
      model?: string;
      model_route?: components['schemas']['AgentModelRoute'];
      tool_presentation?: components['schemas']['AgentToolPresentation'];
      action_selectors?: components['schemas']['ActionSelector'][];
      tool_selectors?: components['schemas']['ActionSelector'][];
      integration_access?: components['schemas']['AgentIntegrationAccess'][];
      system_prompt?: string;
      timeout_seconds?: number;
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      memory_enabled?: boolean;
      thinking_effort?: components['schemas']['ThinkingEffort'];
      tags?: components['schemas']['TagMap'];
      memory_context?: components['schemas']['UpdateMemoryContextPolicy'];
      status?: components['schemas']['AgentStatus'];
      skill_ids?: string[];
      visibility?: components['schemas']['AgentVisibility'];
      members?: string[];
      confirm_visibility_change?: boolean;
      affected_resource_dispositions?: components['schemas']['AgentAudienceResourceDisposition'][];
      stranded_disposition?: 'retain' | 'delete';
    };
    UpdateMemoryContextPolicy: { mode?: components['schemas']['MemoryContextMode']; max_bytes?: number };
    UpdateRoleRequest: { description?: string; permissions?: string[]; tags?: components['schemas']['TagMap'] };
    UrlOrBase64ImageSource: {
      type: 'url' | 'base64';
      url?: string;
      media_type?: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
      data?: string;
    } & JsonObject;
    Action: {
      id: string;
      owner: components['schemas']['Owner'];
      visibility: 'private' | 'organization';
      container?: components['schemas']['ResourceContainer'] | null;
      posture: components['schemas']['ResourcePosture'];
      name: string;
      title?: string;
      description?: string;
      endpoint_kind: components['schemas']['ActionEndpointKind'];
      invocation_format: components['schemas']['ActionInvocationFormat'];
      endpoint_url?: string;
      provider?: string;
      input_schema?: JsonObject;
      output_schema?: JsonObject;
      annotations?: components['schemas']['ActionAnnotations'];
      tags?: components['schemas']['TagMap'];
      signing_secret?: string;
      created_at: string;
      updated_at: string;
    };
    ActionAnnotations: { idempotent?: boolean; destructive?: boolean; read_only?: boolean } & JsonObject;
    ActionAnnotationsRequest: { idempotent?: boolean; destructive?: boolean; read_only?: boolean };
    ActionCatalogEntry: {
      id?: string;
      name: string;
      title?: string;
      description?: string;
      endpoint_kind: 'builtin' | 'http' | 'worker';
      integration?: string;
      provider?: string;
      source: 'platform' | 'custom';
      definition_scope: 'platform' | 'custom';
      readiness: components['schemas']['CapabilityReadiness'];
      readiness_reason?: components['schemas']['CapabilityReadinessReason'];
      risk: 'low' | 'medium' | 'high' | 'critical';
      annotations: components['schemas']['ActionAnnotations'];
      input_schema?: JsonObject;
      output_schema?: JsonObject;
      endpoint_url?: string;
      invocation_format?: components['schemas']['ActionInvocationFormat'];
      execution?: components['schemas']['ActionExecutionMetadata'];
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
      container?: components['schemas']['ResourceContainer'] | null;
      posture?: components['schemas']['ResourcePosture'];
    };
    ActionCatalogListResponse: { items: components['schemas']['ActionCatalogEntry'][] };
    ActionExecutionMetadata: {
      supported_locations: ('managed' | 'worker' | 'environment')[];
      default_location: 'managed' | 'worker' | 'environment';
      required_worker_capabilities?: string[];
      queue?: string;
    };
    ActionInvocationEntry: {
      id: string;
      job_id?: string;
      environment_id?: string;
      step_name?: string;
      action_id?: string;
      action_name: string;
      definition_scope?: 'platform' | 'custom';
      invocation_format?: components['schemas']['ActionInvocationFormat'];
      schema_version?: number;
      actor_principal_id?: string;
      actor_principal_type?: 'human' | 'agent' | 'service' | 'system';
      agent_id?: string;
      channel_exchange_id?: string;
      agent_turn_id?: string;
      session_id?: string;
      tool_call_id?: string;
      delivery_id?: string;
      correlation_id?: string;
      secret_version?: number;
      http_status?: number;
      source: string;
      parameters?: JsonObject;
      output_summary?: JsonObject;
      status: string;
      retry_count: number;
      started_at: string;
      finished_at: string;
      error_type?: string;
      error_message?: string;
    };
    ActionInvocationFormat: 'legacy' | 'signed_context_v1';
    ActionInvocationListResponse: {
      items: components['schemas']['ActionInvocationEntry'][];
      has_more: boolean;
      next_cursor?: string;
    };
    ActionInvocationResult: {
      status: 'active' | 'completed' | 'failed';
      job_id?: string;
      output?: JsonObject;
      error?: string;
    };
    ActionListResponse: { items: components['schemas']['Action'][]; has_more: boolean; next_cursor?: string };
    AgentListResponse: { items: components['schemas']['Agent'][]; has_more: boolean; next_cursor?: string };
    AgentManifestWarning: { code: string; message: string; skill_id?: string; tool?: string; action?: string };
    AgentMemory: {
      agent_id: string;
      entry_count: number;
      counts_by_kind: { [key: string]: number };
      updated_at?: string;
    };
    AgentMemoryErasure: { agent_id: string; user_id: string; erased_count: number; has_more: boolean };
    AgentMemoryChange: {
      id: string;
      agent_id: string;
      user_id: string;
      memory_entry_id: string;
      memory_key: string;
      operation: components['schemas']['AgentMemoryChangeOperation'];
      version: number;
      reason: components['schemas']['AgentMemoryChangeReason'];
      actor_id?: string;
      created_at: string;
    };
    AgentMemoryChangeListResponse: {
      items: components['schemas']['AgentMemoryChange'][];
      has_more: boolean;
      next_cursor: string;
    };
    AgentMemoryEntry: {
      key: string;
      user_id: string;
      kind: components['schemas']['MemoryKind'];
      summary?: string;
      content?: string;
      metadata?: JsonObject;
      importance: number;
      pinned: boolean;
      entry_id: string;
      version: number;
      created_at: string;
      updated_at: string;
    };
    AgentMemoryEntryListResponse: {
      items: components['schemas']['AgentMemoryEntry'][];
      has_more: boolean;
      next_cursor?: string;
      search_coverage?: components['schemas']['MemorySearchCoverage'];
    };
    AgentToolManifest: {
      agent_id: string;
      policy_hash: string;
      tools: components['schemas']['ActionCatalogEntry'][];
      groups_resolved?: components['schemas']['ResolvedActionGroup'][];
      skills: components['schemas']['SkillManifestEntry'][];
      warnings: components['schemas']['AgentManifestWarning'][];
    };
    APIKey: {
      id: string;
      name: string;
      key_prefix: string;
      principal_id: string;
      scope_role_id?: string;
      org_role?: string;
      expires_at?: string;
      last_used_at?: string;
      tags?: components['schemas']['TagMap'];
      created_at: string;
      updated_at: string;
    };
    APIKeyCreateResult: {
      id: string;
      name: string;
      key_prefix: string;
      principal_id: string;
      scope_role_id?: string;
      org_role?: string;
      expires_at?: string;
      last_used_at?: string;
      tags?: components['schemas']['TagMap'];
      created_at: string;
      updated_at: string;
      key: string;
    };
    APIKeyListResponse: { items: components['schemas']['APIKey'][]; has_more: boolean; next_cursor?: string };
    AppendSessionMessage: {
      role: components['schemas']['SessionMessageRole'];
      content: JsonObject[];
      metadata?: JsonObject;
      created_at?: string;
    } & JsonObject;
    AppendSessionMessagesRequest: {
      messages: components['schemas']['AppendSessionMessage'][];
      token_input_total?: number;
      token_output_total?: number;
      cache_read_input_total?: number;
      cache_creation_input_total?: number;
      model?: string;
      model_provider?: string;
    } & JsonObject;
    AuditEntry: {
      id: string;
      action: string;
      actor: {
        principal_id: string;
        principal_kind: components['schemas']['PrincipalKind'];
        api_key_id?: string | null;
        ip?: string | null;
      };
      resource: { type: string; id: string; name?: string | null };
      request_id: string | null;
      changed_fields?: string[];
      before_hash?: string | null;
      after_hash?: string | null;
      occurred_at: string;
    };
    AuditEntryListResponse: {
      items: components['schemas']['AuditEntry'][];
      has_more: boolean;
      next_cursor?: string | null;
    };
    BulkInsertRowsRequest: { rows: JsonObject[] };
    BulkInsertRowsResult: { inserted: number; items: components['schemas']['TableRow'][] };
    CapabilityReadiness: 'ready' | 'needs_setup';
    CapabilityReadinessReason:
      | 'not_configured'
      | 'inactive'
      | 'expired'
      | 'provider_unavailable'
      | 'permission_missing'
      | 'not_implemented'
      | 'credentials_unreadable'
      | 'agent_owned_only';
    CreateActionRequest: {
      name: string;
      title?: string;
      description?: string;
      endpoint_url?: string;
      provider?: string;
      invocation_format?: components['schemas']['ActionInvocationFormat'];
      input_schema?: JsonObject;
      output_schema?: JsonObject;
      endpoint_kind?: components['schemas']['ActionEndpointKind'];
      annotations?: components['schemas']['ActionAnnotationsRequest'];
      tags?: components['schemas']['TagMap'];
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
    };
    CreateAgentRequest: {
      name: string;
      external_ref?: string;
      if_exists?: components['schemas']['IfExists'];
      description?: string;
      color?: string;
      model?: string;
      model_route?: components['schemas']['AgentModelRoute'];
      tool_presentation?: components['schemas']['AgentToolPresentation'];
      action_selectors?: components['schemas']['ActionSelector'][];
      tool_selectors?: components['schemas']['ActionSelector'][];
      integration_access?: components['schemas']['AgentIntegrationAccess'][];
      system_prompt?: string;
      timeout_seconds?: number;
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      memory_enabled?: boolean;
      thinking_effort?: components['schemas']['ThinkingEffort'];
      tags?: components['schemas']['TagMap'];
      memory_context?: components['schemas']['MemoryContextPolicy'];
      status?: components['schemas']['AgentStatus'];
      skill_ids?: string[];
      owner?: components['schemas']['Owner'];
      visibility?: components['schemas']['AgentVisibility'];
      members?: string[];
    };
    CreateAPIKeyRequest: {
      name: string;
      principal_id?: string;
      scope_role_id?: string;
      allow_unassigned_principal?: boolean;
      role?: 'Owner' | 'Admin' | 'User' | 'Viewer';
      expires_at?: string;
      tags?: components['schemas']['TagMap'];
    };
    CreateTokenRequest: {
      session_ids?: string[];
      agent_id?: string;
      end_user?: string;
      verbs: components['schemas']['TokenVerb'][];
      ttl_seconds: number;
      origins?: string[];
    };
    CreatePrincipalRequest: {
      name: string;
      kind?: 'service' | 'worker' | 'human';
      description?: string;
      email?: string;
      owner_id?: string;
      metadata?: JsonObject;
      role_ids?: string[];
      tags?: components['schemas']['TagMap'];
    };
    CreateTableRequest: {
      name: string;
      description?: string;
      instructions?: string;
      schema: components['schemas']['TableSchema'];
      tags?: components['schemas']['TagMap'];
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
    };
    EventCatalogEventType: { name: string; description?: string; event_schema?: JsonObject; meta_schema?: JsonObject };
    EventCatalogReservedPrefix: { prefix: string; kind: 'capability' | 'utility' };
    EventCatalogResponse: {
      items: components['schemas']['EventCatalogSource'][];
      reserved_prefixes: components['schemas']['EventCatalogReservedPrefix'][];
    };
    EventCatalogSource: {
      prefix: string;
      kind: 'integration' | 'capability';
      display_name: string;
      description?: string;
      readiness: components['schemas']['CapabilityReadiness'];
      readiness_reason?: components['schemas']['CapabilityReadinessReason'];
      event_types: components['schemas']['EventCatalogEventType'][];
    };
    Health: {
      status: 'ok' | 'degraded' | 'down';
      service?: string;
      version?: string;
      checks?: { [key: string]: string };
    };
    IfExists: 'error' | 'adopt';
    ImportSkillRequest: { content: string; name?: string };
    InboundEmail: {
      message_id?: string;
      from: string;
      to: string[];
      cc?: string[];
      reply_to?: string;
      subject?: string;
      text?: string;
      html?: string;
      in_reply_to?: string;
      envelope_from?: string;
      references?: string | string[];
      headers?: { [key: string]: string | string[] };
      attachments?: components['schemas']['EmailAttachmentInfo'][];
      received_at?: string;
    } & JsonObject;
    InboundEmailResult: { email_id: string; agent_ids: string[]; deduped: boolean };
    InboundEvent: {
      id: string;
      event_type: string;
      integration_id: string;
      occurred_at?: string;
      event: JsonObject;
    } & JsonObject;
    InboundEventResult: { event_id: string; deduped: boolean };
    InboundMessage: {
      id: string;
      provider: 'slack' | 'telegram' | 'linear' | 'webhook';
      integration_id: string;
      channel: components['schemas']['MessageChannel'];
      sender: components['schemas']['MessageSender'];
      text: string;
      mentions_agent?: boolean;
    };
    InboundMessageResult: {
      exchange_id: string;
      status: 'accepted' | 'ignored';
      reason?: string;
      turn_id?: string;
      deduped: boolean;
    };
    InsertRowRequest: { data: JsonObject } & JsonObject;
    InvokeActionRequest: { input?: JsonObject; timeout_seconds?: number; dry_run?: boolean } & JsonObject;
    MemorySearchCoverage: { indexed_entries: number; total_entries: number; complete: boolean };
    MemorySearchMode: 'keyword' | 'semantic' | 'hybrid';
    ModelCatalogResponse: {
      default_model: string;
      items: components['schemas']['ModelProviderGroup'][];
      reason?: 'platform_funding_denied' | 'credentials_unavailable';
    };
    ModelOption: {
      id: string;
      provider: string;
      label: string;
      description?: string;
      context_window_tokens: number;
      recommended?: boolean;
    };
    ModelProviderGroup: {
      provider: string;
      display_name: string;
      source: 'byok' | 'platform';
      models: components['schemas']['ModelOption'][];
    };
    OrgContext: { content: string; max_bytes: number; updated_at?: string };
    OrgStreamEndFrame: { event_type: 'stream.end'; reason: 'rotate' };
    Me: {
      principal: components['schemas']['Principal'];
      api_key: { id: string; name: string; expires_at: string | null };
      organization: { id: string; name: string };
      permissions: string[];
    };
    Principal: {
      id: string;
      kind: components['schemas']['PrincipalKind'];
      state: components['schemas']['PrincipalState'];
      name: string;
      description?: string;
      handle?: string;
      email?: string;
      owner_id?: string;
      role_ids?: string[];
      metadata?: JsonObject;
      tags?: components['schemas']['TagMap'];
      created_at: string;
      updated_at: string;
    };
    PrincipalListResponse: { items: components['schemas']['Principal'][]; has_more?: boolean; next_cursor?: string };
    PrincipalState: 'active' | 'disabled' | 'deleted';
    PutOrgContextRequest: { content: string };
    QueryRowsRequest: {
      filter?: JsonObject;
      sort?: components['schemas']['RowSort'][];
      limit?: number;
      cursor?: string;
    };
    ReplaceSkillsRequest: { skill_ids: string[] };
    ResolvedActionGroup: { name: string; members: string[] };
    ReviewInteractionRequest: { action: 'accept' | 'request_changes'; comment?: string } & JsonObject;
    RotateSecretResult: { secret_version: number; signing_secret: string };
    RowSort: { field: string; order?: 'asc' | 'desc' };
    SaveAgentMemoryEntryRequest: {
      user_id?: string;
      content: string;
      summary?: string;
      kind?: components['schemas']['MemoryKind'];
      metadata?: JsonObject;
      importance?: number;
      pinned?: boolean;
    } & JsonObject;
    SearchRowsRequest: {
      query: string;
      mode?: 'keyword' | 'semantic' | 'hybrid';
      filter?: JsonObject;
      limit?: number;
      cursor?: string;
    };
    Skill: {
      id: string;
      name: string;
      title?: string;
      description?: string;
      source: 'system' | 'custom';
      instructions: string;
      owner: components['schemas']['Owner'];
      visibility: 'private' | 'organization';
      container: components['schemas']['ResourceContainer'] | null;
      posture: components['schemas']['ResourcePosture'];
      allowed_actions?: string[];
      required_actions?: string[];
      recommended_actions?: string[];
      allowed_tools?: string[];
      tags?: components['schemas']['TagMap'];
      created_by?: string;
      updated_by?: string;
      created_at: string;
      updated_at: string;
    };
    SkillAssignment: {
      agent_id: string;
      skill_id: string;
      skill?: components['schemas']['Skill'];
      enabled: boolean;
      position: number;
      created_at: string;
    };
    SkillAssignmentListResponse: { items: components['schemas']['SkillAssignment'][] };
    SkillListResponse: { items: components['schemas']['Skill'][]; has_more?: boolean; next_cursor?: string };
    SkillManifestEntry: {
      id: string;
      name: string;
      description?: string;
      active: boolean;
      missing_required?: string[];
      missing_recommended?: string[];
    };
    SkillRequest: {
      name: string;
      title?: string;
      description?: string;
      instructions: string;
      allowed_actions?: string[];
      required_actions?: string[];
      recommended_actions?: string[];
      allowed_tools?: string[];
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
      tags?: components['schemas']['TagMap'];
    };
    SourceEventListResponse: { items: components['schemas']['SourceEvent'][]; has_more: boolean; next_cursor: string };
    SourceEventStreamFrame: components['schemas']['SourceEvent'] | components['schemas']['OrgStreamEndFrame'];
    Table: {
      id: string;
      owner: components['schemas']['Owner'];
      visibility: 'private' | 'organization';
      container?: components['schemas']['ResourceContainer'] | null;
      posture: components['schemas']['ResourcePosture'];
      name: string;
      description?: string;
      instructions?: string;
      schema: components['schemas']['TableSchema'];
      tags?: components['schemas']['TagMap'];
      created_by?: string;
      updated_by?: string;
      created_at: string;
      updated_at: string;
    };
    TableListResponse: { items: components['schemas']['Table'][]; has_more: boolean; next_cursor?: string };
    TableRow: {
      id: string;
      table_id: string;
      data: JsonObject;
      version: number;
      created_at: string;
      updated_at: string;
    };
    TableRowQueryListResponse: {
      items: components['schemas']['TableRow'][];
      has_more: boolean;
      next_cursor?: string;
      limit?: number;
    };
    TableRowSearchListResponse: {
      items: components['schemas']['TableRow'][];
      has_more: boolean;
      next_cursor?: string;
      limit?: number;
    };
    TableStats: {
      table_id: string;
      row_count: number;
      approx_data_bytes: number;
      approx_index_bytes: number;
      indexed_column_count: number;
      declared_index_count: number;
      search_index_present: boolean;
      generated_at: string;
      oldest_row_created_at?: string;
      newest_row_updated_at?: string;
    };
    UpdateActionRequest: {
      title?: string;
      description?: string;
      endpoint_url?: string;
      provider?: string | null;
      invocation_format?: components['schemas']['ActionInvocationFormat'];
      input_schema?: JsonObject;
      output_schema?: JsonObject;
      annotations?: components['schemas']['ActionAnnotationsRequest'] | null;
      tags?: components['schemas']['TagMap'];
    };
    UpdatePrincipalRequest: {
      description?: string;
      state?: 'active' | 'disabled';
      owner_id?: string;
      email?: string;
      metadata?: JsonObject;
      role_ids?: string[];
      tags?: components['schemas']['TagMap'];
    };
    UpdateRowRequest: { data: JsonObject; version?: number } & JsonObject;
    UpdateSessionRequest: {
      title?: string;
      status?: components['schemas']['SessionStatus'];
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      thinking_effort?: components['schemas']['ThinkingEffort'];
      metadata?: JsonObject;
    } & JsonObject;
    UpdateTableRequest: {
      name?: string;
      description?: string;
      instructions?: string;
      schema?: components['schemas']['TableSchema'];
      tags?: components['schemas']['TagMap'];
    };
    UpsertRowRequest: { data: JsonObject } & JsonObject;
    UpsertRowResult: { row: components['schemas']['TableRow']; created: boolean };
    AddAgentMembersRequest: { principal_ids: string[] };
    AddRoutinePrincipalRequest: {
      principal_id: string;
      relationship: components['schemas']['RoutineRelationship'];
      level?: components['schemas']['RoutineFollowLevel'];
    };
    AgentMember: {
      principal_id: string;
      kind: components['schemas']['PrincipalKind'];
      display_name?: string;
      added_at: string;
      added_by?: string;
    };
    AgentMemberListResponse: { items?: components['schemas']['AgentMember'][]; count: number };
    AgentMessagingBinding: {
      id: string;
      agent_id: string;
      provider: 'slack' | 'telegram' | 'linear' | 'email' | 'webhook';
      integration_id: string;
      enabled: boolean;
      dms: boolean;
      mentions: boolean;
      all_messages: boolean;
      channels: string[];
      dm_policy: 'open' | 'allowlist' | 'disabled';
      sender_allow: string[];
      reply_mode: 'auto';
      model_route?: components['schemas']['AgentModelRoute'];
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
      created_at: string;
      updated_at: string;
    };
    AgentMessagingBindingListResponse: { items: components['schemas']['AgentMessagingBinding'][] };
    AgentMessagingBindingRequest: {
      provider: 'slack' | 'telegram' | 'linear' | 'email' | 'webhook';
      integration_id: string;
      enabled?: boolean;
      replace_existing?: boolean;
      dms?: boolean;
      mentions?: boolean;
      all_messages?: boolean;
      channels?: string[];
      dm_policy?: 'open' | 'allowlist' | 'disabled';
      sender_allow?: string[];
      reply_mode?: 'auto';
      model_route?: components['schemas']['AgentModelRoute'];
      compaction_policy?: components['schemas']['SessionCompactionPolicy'];
    };
    AgentVisibilityAffectedResource: {
      resource_type: 'artifact' | 'session' | 'skill' | 'table';
      resource_id: string;
      name?: string;
      resource_class: 'configuration' | 'conversation' | 'output';
      relationship: 'delegation' | 'container';
      visibility: 'private' | 'organization';
      allowed_actions: ('revoke' | 'make_private' | 'keep_and_widen')[];
    };
    AgentVisibilityImpact: {
      agent_id: string;
      from: components['schemas']['AgentVisibility'];
      to: components['schemas']['AgentVisibility'];
      widening: boolean;
      shared_entry_count: number;
      dropped_members?: string[];
      stranded_principals?: string[];
      stranded_partitions?: number;
      stranded_sessions?: number;
      affected_resources: components['schemas']['AgentVisibilityAffectedResource'][];
    };
    Artifact: {
      id: string;
      owner: components['schemas']['Owner'];
      visibility: 'private' | 'organization';
      container?: components['schemas']['ResourceContainer'] | null;
      posture: components['schemas']['ResourcePosture'];
      name: string;
      mime_type: string;
      size_bytes: number;
      sha256?: string;
      created_at: string;
      created_by?: string;
      updated_at?: string;
      updated_by?: string;
      metadata?: JsonObject;
      conversion?: components['schemas']['ArtifactConversionSummary'];
      session_id?: string;
    };
    ArtifactConversionSummary: { state: 'converting' | 'ready' | 'failed'; error?: string };
    ArtifactListResponse: { items: components['schemas']['Artifact'][]; has_more: boolean; next_cursor?: string };
    ArtifactQuotaUsage: {
      used_bytes: number;
      limit_bytes: number;
      artifact_count: number;
      pending_count: number;
      generated_at: string;
    };
    ArtifactSignedUrl: { url: string; method: 'GET'; expires_at: string };
    BillingUsageEvent: {
      id: string;
      api_key_id: string;
      period_start: string;
      counter: string;
      raw_quantity: number;
      credit_cost: number;
      credit_cost_milli: number;
      credit_weight_version: number;
      zero_credits: boolean;
      source_type: string;
      source_id: string;
      idempotency_key: string;
      job_id: string;
      agent_turn_id: string;
      provider: string;
      model: string;
      model_class: string;
      metadata: JsonObject;
      occurred_at: string;
      recorded_at: string;
      created_at: string;
    };
    BillingUsageEventListResponse: {
      items: components['schemas']['BillingUsageEvent'][];
      has_more: boolean;
      next_cursor?: string;
      total_raw_quantity: number;
      total_credit_cost: number;
      total_credit_cost_milli: number;
    };
    AuthorizeConnectionRequest: { return_to: string };
    CompleteConnectionAuthorizationRequest: { receipt: string };
    Connection: {
      id: string;
      name: string;
      kind: components['schemas']['ConnectionKind'];
      provider?: string;
      owner: components['schemas']['Owner'];
      hosts: string[];
      header?: string;
      format?: string;
      username?: string;
      headers?: string[];
      url?: string;
      client_id?: string;
      token_endpoint?: string;
      status: 'active' | 'needs_authorization';
      grants: components['schemas']['ConnectionGrants'];
      created_at: string;
      updated_at: string;
    };
    ConnectionAuthorization: { authorization_url: string; expires_at: string };
    ConnectionGrantedAction: { principal_id: string; name: string; endpoint_url?: string };
    ConnectionGrants: {
      principal_ids: string[];
      everyone: boolean;
      actions: components['schemas']['ConnectionGrantedAction'][];
    };
    ConnectionGrantsRequest: { principal_ids: string[]; everyone: boolean };
    ConnectionHeaders: { [key: string]: string };
    ConnectionKind:
      | 'api_key'
      | 'basic'
      | 'headers'
      | 'oauth2_client_credentials'
      | 'oauth2_authorization_code'
      | 'smtp'
      | 'channel_webhook';
    ConnectionListResponse: { items: components['schemas']['Connection'][]; has_more: boolean; next_cursor?: string };
    ConnectionResult: components['schemas']['Connection'] & { signing_secret?: string };
    CreateArtifactRequest: {
      file: string;
      name: string;
      mime?: string;
      size_bytes?: number;
      metadata?: JsonObject;
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
      convert?: 'true' | 'false';
    };
    CreateConnectionRequest: {
      name: string;
      kind: components['schemas']['ConnectionKind'];
      provider?: string;
      owner?: components['schemas']['Owner'];
      hosts?: string[];
      header?: string;
      format?: string;
      username?: string;
      headers?: components['schemas']['ConnectionHeaders'];
      url?: string;
      client_id?: string;
      token_endpoint?: string;
      secret?: string;
    };
    CreateSessionAttachmentRequest: {
      file: string;
      name?: string;
      mime?: string;
      size_bytes?: number;
      convert?: 'true' | 'false';
    };
    OAuthReturnOrigins: { origins: string[] };
    PromoteAgentMemoryEntryRequest: { user_id: string; replace?: boolean } & JsonObject;
    PutOAuthReturnOriginsRequest: { origins: string[] };
    ReplaceAgentMembersRequest: { principal_ids: string[] };
    ResourceOwnershipState: {
      owner: components['schemas']['Owner'];
      visibility: components['schemas']['ResourceVisibility'];
      container: components['schemas']['ResourceContainer'] | null;
      posture: components['schemas']['ResourcePosture'];
    };
    ResourceOwnershipTransitionRequest: {
      owner?: components['schemas']['Owner'];
      visibility?: 'private' | 'organization';
      detach_container?: boolean;
      confirm_audience_expansion?: boolean;
    };
    Routine: {
      id: string;
      org_id: string;
      agent_id: string;
      origin_session_id?: string;
      owner_id?: string;
      owner_kind: components['schemas']['RoutineOwnerKind'];
      managed_by: components['schemas']['RoutineManagedBy'];
      responsible?: components['schemas']['RoutinePrincipal'][];
      following: boolean;
      unread?: boolean;
      follower_count: number;
      name: string;
      instructions?: string;
      kind: components['schemas']['RoutineKind'];
      trigger: 'schedule' | 'event';
      schedule?: components['schemas']['RoutineSchedule'];
      event?: components['schemas']['RoutineEventTrigger'];
      timezone: string;
      status: components['schemas']['RoutineStatus'];
      pause_reason?: string;
      next_fire_at?: string;
      last_fire_at?: string;
      occurrence_count: number;
      completed_at?: string;
      per_occurrence_ceiling_milli: number;
      daily_ceiling_milli: number;
      act_as_user_providers?: string[];
      created_at: string;
      updated_at: string;
    };
    RoutineChange: {
      id: string;
      action: string;
      actor_name?: string;
      principal_id?: string;
      credential_name?: string;
      changes?: JsonObject;
      status: 'success' | 'failure';
      error_type?: string;
      created_at: string;
    };
    RoutineChangeList: { items: components['schemas']['RoutineChange'][]; has_more: boolean; next_cursor?: string };
    RoutineCreateRequest: {
      agent_id: string;
      instructions: string;
      kind?: components['schemas']['RoutineKind'];
      name?: string;
      schedule?: components['schemas']['RoutineSchedule'];
      event?: components['schemas']['RoutineEventTrigger'];
      session_id?: string;
      per_occurrence_ceiling_milli: number;
      daily_ceiling_milli: number;
      owner_kind?: components['schemas']['RoutineOwnerKind'];
      managed_by?: components['schemas']['RoutineManagedBy'];
      responsible_principal_ids?: string[];
      follower_principal_ids?: string[];
      act_as_user_providers?: string[];
    };
    RoutineEventTrigger: { event_type: string; integration_id?: string; condition?: string };
    RoutineFollowLevel: 'all_results' | 'failures_only';
    RoutineKind: 'invoke' | 'notify';
    RoutineList: { items: components['schemas']['Routine'][]; has_more: boolean; next_cursor?: string };
    RoutineManagedBy: 'team' | 'named';
    RoutineOccurrence: {
      id: string;
      routine_id: string;
      routine_name?: string;
      session_id?: string;
      scheduled_at: string;
      intake_at: string;
      lateness_milliseconds: number;
      trigger: 'schedule' | 'manual' | 'event';
      triggered_by?: string;
      source_event_id?: string;
      event_type?: string;
      status: 'pending' | 'admitted' | 'completed' | 'failed' | 'skipped' | 'missed';
      outcome?: string;
      error_code?: string;
      error_message?: string;
      turn_id?: string;
      credits_spent_milli: number;
      unread?: boolean;
      transcript_url?: string;
    };
    RoutineOccurrenceList: {
      items: components['schemas']['RoutineOccurrence'][];
      has_more: boolean;
      next_cursor?: string;
    };
    RoutineOwnerKind: 'person' | 'team';
    RoutinePrincipal: {
      principal_id: string;
      relationship: components['schemas']['RoutineRelationship'];
      level?: components['schemas']['RoutineFollowLevel'];
      kind: components['schemas']['PrincipalKind'];
      display_name?: string;
      added_by?: string;
      added_at: string;
    };
    RoutinePrincipalList: { items: components['schemas']['RoutinePrincipal'][] };
    RoutineProposal: {
      id: string;
      session_id: string;
      agent_id: string;
      proposed_to: string;
      status: 'pending' | 'approved' | 'dismissed' | 'expired';
      routine_id?: string;
      expires_at: string;
      payload: JsonObject;
      reason?: string;
      created_at?: string;
    };
    DeliveryResultRequest: { output?: Json; error?: string };
    DeliveryProgressRequest: { progress: JsonObject };
    RoutineProposalList: { items: components['schemas']['RoutineProposal'][]; has_more: boolean; next_cursor?: string };
    RoutineRelationship: 'follower' | 'responsible' | 'manager';
    RoutineSchedule: {
      at?: string;
      interval?: string;
      cron?: string;
      timezone?: string;
      starts_at?: string;
      ends_at?: string;
      max_occurrences?: number;
    };
    RoutineStatus: 'active' | 'paused' | 'completed' | 'cancelled';
    RoutineUpdateRequest: {
      name?: string;
      schedule?: components['schemas']['RoutineSchedule'];
      event?: components['schemas']['RoutineEventTrigger'];
      instructions?: string;
      per_occurrence_ceiling_milli?: number;
      daily_ceiling_milli?: number;
      managed_by?: components['schemas']['RoutineManagedBy'];
      act_as_user_providers?: string[];
    };
    SessionAttachmentResponse: {
      artifact: components['schemas']['Artifact'];
      content_block: components['schemas']['ContentBlock'];
    };
    CreateFirstKeyRequest: { code: string };
    FirstKeyResult: { key: string; expires_at: string };
    Overview: {
      waiting_questions: number;
      minutes?: components['schemas']['OverviewMinute'][];
      not_ready?: string[];
      lag?: components['schemas']['OverviewLag'][];
    };
    OverviewLag: { name: string; ms: number };
    OverviewMinute: {
      at: string;
      turns: number;
      failed: number;
      input_tokens: number;
      output_tokens: number;
      p50_ms: number | null;
      p95_ms: number | null;
    };
    Provider: {
      provider: string;
      client_id: string;
      authorization_endpoint: string;
      token_endpoint: string;
      issuer: string;
      scopes: string[];
      hosts: string[];
      resource?: string;
      iss_required: boolean;
      created_at: string;
      updated_at: string;
    };
    ProviderListResponse: {
      items: components['schemas']['ProviderSummary'][];
      has_more: boolean;
      next_cursor?: string;
    };
    ProviderSummary: { provider: string; kinds: components['schemas']['ConnectionKind'][] };
    RotateConnectionRequest: { secret?: string; headers?: components['schemas']['ConnectionHeaders'] };
    SaveProviderRequest: {
      client_id: string;
      client_secret: string;
      authorization_endpoint: string;
      token_endpoint: string;
      issuer: string;
      scopes?: string[];
      hosts: string[];
      resource?: string;
      iss_required?: boolean;
    };
    UpdateConnectionRequest: {
      name?: string;
      hosts?: string[];
      header?: string;
      format?: string;
      username?: string;
      url?: string;
      client_id?: string;
      token_endpoint?: string;
    };
    Worker: {
      worker_instance_id: string;
      name: string | null;
      version: string | null;
      principal_id: string;
      action_names: string[] | null;
      models: components['schemas']['WorkerSocketModelCapability'][];
      concurrency_limit: number | null;
      jobs: number;
      draining: boolean;
      connected_at: string;
    };
    WorkerListResponse: { items: components['schemas']['Worker'][] };
    WorkerModelCatalogItem: {
      provider: string;
      model: string;
      worker_count: number;
      route: components['schemas']['WorkerModelRoute'];
    };
    WorkerModelCatalogListResponse: { items: components['schemas']['WorkerModelCatalogItem'][] };
    WorkerModelRoute: { mode: 'worker'; provider: string; model: string };
    WorkerSocketCancelDirective: { job_id: string; reason?: string; requested_at?: string };
    WorkerSocketClaimedJob: {
      id: string;
      kind: 'action_execution' | 'llm_generation';
      origin:
        | 'loop_action_step'
        | 'agent_tool_call'
        | 'agent_llm_call'
        | 'conversation_tool_call'
        | 'conversation_llm_call'
        | 'direct_action_invoke'
        | 'server_internal';
      executor_kind: 'customer_worker' | 'server_worker';
      queue: string;
      action_name?: string;
      environment_id?: string;
      provider?: string;
      model?: string;
      agent_turn_id?: string;
      session_id?: string;
      tool_call_id?: string;
      spec: JsonObject;
      lease_token: string;
      claim_attempt: number;
      lease_duration_seconds: number;
      heartbeat_cadence_seconds: number;
    };
    WorkerSocketErrorFrame: {
      type: 'error';
      message_id?: string;
      error: components['schemas']['WorkerSocketProtocolError'];
    };
    WorkerSocketFrame:
      | components['schemas']['WorkerSocketRegisterFrame']
      | components['schemas']['WorkerSocketRegisteredFrame']
      | components['schemas']['WorkerSocketReadyFrame']
      | components['schemas']['WorkerSocketJobsClaimFrame']
      | components['schemas']['WorkerSocketJobsClaimedFrame']
      | components['schemas']['WorkerSocketWorkAvailableFrame']
      | components['schemas']['WorkerSocketJobHeartbeatFrame']
      | components['schemas']['WorkerSocketJobHeartbeatAckFrame']
      | components['schemas']['WorkerSocketJobReportFrame']
      | components['schemas']['WorkerSocketJobProgressFrame']
      | components['schemas']['WorkerSocketJobReportAckFrame']
      | components['schemas']['WorkerSocketGenerationDeltaFrame']
      | components['schemas']['WorkerSocketGenerationDeltaAckFrame']
      | components['schemas']['WorkerSocketJobCancelFrame']
      | components['schemas']['WorkerSocketWorkerDrainingFrame']
      | components['schemas']['WorkerSocketWorkerDrainingAckFrame']
      | components['schemas']['WorkerSocketWorkerDrainFrame']
      | components['schemas']['WorkerSocketKeepaliveFrame']
      | components['schemas']['WorkerSocketErrorFrame'];
    WorkerSocketGenerationDeltaAckFrame: {
      type: 'generation.delta.ack';
      message_id?: string;
      job_id: string;
      received_sequence: number;
    };
    WorkerSocketGenerationDeltaFrame: {
      type: 'generation.delta';
      message_id?: string;
      job_id: string;
      lease_token: string;
      sequence: number;
      delta: JsonObject;
    };
    WorkerSocketJobCancelFrame: {
      type: 'job.cancel';
      message_id?: string;
      job_id: string;
      reason?: string;
      requested_at?: string;
    };
    WorkerSocketJobHeartbeatAckFrame: {
      type: 'job.heartbeat.ack';
      message_id?: string;
      job_id: string;
      cancel?: components['schemas']['WorkerSocketCancelDirective'];
    };
    WorkerSocketJobHeartbeatFrame: { type: 'job.heartbeat'; message_id?: string; job_id: string; lease_token: string };
    WorkerSocketJobProgressFrame: {
      type: 'job.progress';
      message_id?: string;
      job_id: string;
      lease_token: string;
      progress: JsonObject;
    };
    WorkerSocketJobReportAckFrame: { type: 'job.report.ack'; message_id?: string; job_id: string; duplicate?: boolean };
    WorkerSocketJobReportFrame: {
      type: 'job.report';
      message_id?: string;
      job_id: string;
      lease_token: string;
      status?: 'completed' | 'failed' | 'cancelled';
      result?: JsonObject;
      error_type?: string;
      error_message?: string;
    };
    WorkerSocketJobsClaimedFrame: {
      type: 'jobs.claimed';
      message_id?: string;
      jobs: components['schemas']['WorkerSocketClaimedJob'][];
    };
    WorkerSocketJobsClaimFrame: {
      type: 'jobs.claim';
      message_id?: string;
      available_slots?: number;
      queues?: string[];
      action_names?: string[];
      models?: components['schemas']['WorkerSocketModelCapability'][];
    };
    WorkerSocketKeepaliveFrame: { type: 'keepalive'; message_id?: string };
    WorkerSocketLeaseConfig: { lease_duration_seconds: number; heartbeat_cadence_seconds: number };
    WorkerSocketModelCapability: { provider: string; model: string };
    WorkerSocketProtocolError: { code: string; message: string };
    WorkerSocketReadyFrame: {
      type: 'worker.ready';
      message_id?: string;
      available_slots?: number;
      queues?: string[];
      action_names?: string[];
      models?: components['schemas']['WorkerSocketModelCapability'][];
    };
    WorkerSocketRegisteredFrame: {
      type: 'worker.registered';
      message_id?: string;
      worker_session_token: string;
      lease: components['schemas']['WorkerSocketLeaseConfig'];
      takes_all_actions?: boolean;
      ignored?: string[];
    };
    WorkerSocketRegisterFrame: {
      type: 'worker.register';
      message_id?: string;
      worker_instance_id: string;
      worker_session_token?: string;
      concurrency_limit?: number;
      name?: string;
      version?: string;
      environment_id?: string;
      capabilities?: string[];
      available_slots?: number;
      queues?: string[];
      action_names?: string[];
      models?: components['schemas']['WorkerSocketModelCapability'][];
    };
    WorkerSocketWorkAvailableFrame: { type: 'work.available' };
    WorkerSocketWorkerDrainFrame: { type: 'worker.drain'; message_id?: string };
    WorkerSocketWorkerDrainingAckFrame: { type: 'worker.draining.ack'; message_id?: string };
    WorkerSocketWorkerDrainingFrame: { type: 'worker.draining'; message_id?: string };
  };
  responses: {
    BadRequest: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    Unauthorized: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    Forbidden: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    NotFound: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    Conflict: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    Gone: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    PayloadTooLarge: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    UnsupportedMediaType: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    TooManyRequests: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    InternalError: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
    ServiceUnavailable: { content: { 'application/json': components['schemas']['ErrorResponse'] } };
  };
  parameters: {
    limit: number;
    cursor: string;
    order: 'asc' | 'desc';
    after_sequence: number;
    before_sequence: number;
    include_context: 'context';
    include_terminal_partials: boolean;
    memory_user_id: string;
    last_event_id_seq: number;
    last_event_id: string;
    idempotency_key: string;
    path_connection_id: string;
    path_provider: string;
    path_blueprint_key: string;
    path_session_id: string;
    path_turn_id: string;
    path_nudge_id: string;
    path_agent_id: string;
    path_interaction_id: string;
    path_role_id: string;
    path_assignment_id: string;
    path_principal_id: string;
    path_api_key_id: string;
    path_skill_id: string;
    path_action_name: string;
    path_table_id: string;
    path_row_id: string;
    path_memory_key: string;
    path_memory_user_id: string;
    byte_range: string;
    path_signed_token: string;
    path_artifact_id: string;
    path_webhook_id: string;
    path_routine_id: string;
    path_delivery_id: string;
    path_proposal_id: string;
    path_binding_id: string;
    path_resource_id: string;
    path_resource_type:
      | 'action'
      | 'agent'
      | 'artifact'
      | 'environment'
      | 'routine'
      | 'secret'
      | 'session'
      | 'skill'
      | 'table'
      | 'webhook';
  };
  requestBodies: never;
  headers: {
    'X-Request-Id': string;
    'X-Svc-Ignored': string;
    'X-Svc-Warning': string;
    'X-Svc-Session-Id': string;
    'X-Svc-Turn-Id': string;
    'Retry-After': number;
    ETag: string;
    'Content-Range': string;
    'X-RateLimit-Limit': number;
    'X-RateLimit-Remaining': number;
    'X-RateLimit-Reset': number;
    'X-RateLimit-Scope': 'key' | 'org';
    'X-RateLimit-Policy': string;
  };
  pathItems: never;
};
export interface operations {
  applyBlueprint: {
    parameters: { query?: { include?: 'values' }; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['ApplyBlueprintRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['BlueprintApplyResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listBlueprintBindings: {
    parameters: {
      query?: { namespace?: string; blueprint_key?: string };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['BlueprintBindingListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  setBlueprintProtection: {
    parameters: {
      query?: { namespace?: string };
      header?: never;
      path: { blueprint_key: components['parameters']['path_blueprint_key'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SetBlueprintProtectionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['BlueprintProtectionResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteBlueprint: {
    parameters: {
      query?: { namespace?: string; delete_retained?: boolean };
      header?: never;
      path: { blueprint_key: components['parameters']['path_blueprint_key'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['BlueprintDeleteResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listSessions: {
    parameters: {
      query?: {
        session_key?: string;
        agent_id?: string;
        agent_name?: string;
        status?: components['schemas']['SessionStatus'];
        scope?: 'agent';
        provider?: string;
        integration_id?: string;
        since?: string;
        q?: string;
        owner_id?: string;
        metadata?: string[];
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createSession: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateSessionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Session'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSession: {
    parameters: {
      query?: never;
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Session'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteSession: {
    parameters: {
      query?: never;
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateSession: {
    parameters: {
      query?: never;
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdateSessionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Session'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listSessionMessages: {
    parameters: {
      query?: {
        after_sequence?: components['parameters']['after_sequence'];
        before_sequence?: components['parameters']['before_sequence'];
        order?: components['parameters']['order'];
        limit?: components['parameters']['limit'];
        include?: components['parameters']['include_context'];
        include_terminal_partials?: components['parameters']['include_terminal_partials'];
      };
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionMessageListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  appendSessionMessages: {
    parameters: {
      query?: never;
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['AppendSessionMessagesRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Session'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listTurns: {
    parameters: {
      query?: {
        status?: components['schemas']['TurnStatus'][];
        agent_id?: string;
        since?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentTurnListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listTurnMessages: {
    parameters: {
      query?: {
        after_sequence?: components['parameters']['after_sequence'];
        limit?: components['parameters']['limit'];
        include?: components['parameters']['include_context'];
        include_terminal_partials?: components['parameters']['include_terminal_partials'];
      };
      header?: never;
      path: { turn_id: components['parameters']['path_turn_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionMessageListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listSessionTurns: {
    parameters: {
      query?: {
        ids?: string[];
        order?: components['parameters']['order'];
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentTurnListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  startTurn: {
    parameters: {
      query?: never;
      header?: { 'Idempotency-Key'?: components['parameters']['idempotency_key'] };
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['StartTurnRequest'] } };
    responses: {
      200: { content: { 'text/event-stream': components['schemas']['SessionStreamFrame'] } };
      202: { content: { 'application/json': components['schemas']['TurnAck'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSessionTurn: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        session_id: components['parameters']['path_session_id'];
        turn_id: components['parameters']['path_turn_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentTurn'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSessionTurnLive: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        session_id: components['parameters']['path_session_id'];
        turn_id: components['parameters']['path_turn_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionLiveSnapshot'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  cancelTurn: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        session_id: components['parameters']['path_session_id'];
        turn_id: components['parameters']['path_turn_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentTurn'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  cancelSession: {
    parameters: {
      query?: { force?: boolean };
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Session'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  streamSession: {
    parameters: {
      query?: { after_sequence?: components['parameters']['after_sequence'] };
      header?: { 'Last-Event-ID'?: components['parameters']['last_event_id_seq'] };
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'text/event-stream': components['schemas']['SessionStreamFrame'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSessionTranscript: {
    parameters: {
      query?: { cursor?: string; page_token?: string; limit?: components['parameters']['limit'] };
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionTranscriptSnapshot'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  streamSessionTranscript: {
    parameters: {
      query?: { cursor?: string };
      header?: { 'Last-Event-ID'?: components['parameters']['last_event_id'] };
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'text/event-stream': components['schemas']['SessionTranscriptFrame'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listSessionNudges: {
    parameters: {
      query?: {
        status?: components['schemas']['NudgeStatus'][];
        order?: components['parameters']['order'];
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionNudgeListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  nudgeSession: {
    parameters: {
      query?: never;
      header?: { 'Idempotency-Key'?: components['parameters']['idempotency_key'] };
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['NudgeSessionRequest'] } };
    responses: {
      202: { content: { 'application/json': components['schemas']['SessionNudgeAck'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSessionNudge: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        session_id: components['parameters']['path_session_id'];
        nudge_id: components['parameters']['path_nudge_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionNudge'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  cancelNudge: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        session_id: components['parameters']['path_session_id'];
        nudge_id: components['parameters']['path_nudge_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionNudge'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  compactSession: {
    parameters: {
      query?: never;
      header?: never;
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Session'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  invokeAgent: {
    parameters: {
      query?: never;
      header?: { 'Idempotency-Key'?: components['parameters']['idempotency_key'] };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['InvokeAgentRequest'] } };
    responses: {
      200: { content: { 'text/event-stream': components['schemas']['SessionStreamFrame'] } };
      202: { content: { 'application/json': components['schemas']['TurnAck'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAgents: {
    parameters: {
      query?: {
        name?: string;
        external_ref?: string;
        principal_id?: string;
        status?: components['schemas']['AgentStatus'];
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createAgent: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateAgentRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Agent'] } };
      201: { content: { 'application/json': components['schemas']['Agent'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAgent: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Agent'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteAgent: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateAgent: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdateAgentRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Agent'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAgentSkillAssignments: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SkillAssignmentListResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  replaceAgentSkillAssignments: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['ReplaceSkillsRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['SkillAssignmentListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  provisionAgentInbox: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Agent'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAgentTools: {
    parameters: {
      query?: { skill_name?: string; allowed_tools?: string };
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentToolManifest'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAgentMemory: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemory'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAgentMemoryEntries: {
    parameters: {
      query?: {
        query?: string;
        search_mode?: components['schemas']['MemorySearchMode'];
        kind?: components['schemas']['MemoryKind'];
        user_id?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemoryEntryListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAgentMemoryEntry: {
    parameters: {
      query?: { user_id?: components['parameters']['memory_user_id'] };
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        memory_key: components['parameters']['path_memory_key'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemoryEntry'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  saveAgentMemoryEntry: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        memory_key: components['parameters']['path_memory_key'];
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SaveAgentMemoryEntryRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemoryEntry'] } };
      201: { content: { 'application/json': components['schemas']['AgentMemoryEntry'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteAgentMemoryEntry: {
    parameters: {
      query?: { user_id?: components['parameters']['memory_user_id'] };
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        memory_key: components['parameters']['path_memory_key'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  eraseAgentMemoryPartition: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        user_id: components['parameters']['path_memory_user_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemoryErasure'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAgentMemoryChanges: {
    parameters: {
      query?: { after?: string; limit?: components['parameters']['limit'] };
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemoryChangeListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listInteractions: {
    parameters: {
      query?: {
        status?: components['schemas']['InteractionStatus'];
        kind?: components['schemas']['InteractionKind'];
        session_id?: string;
        target_user_id?: string;
        inbox?: boolean;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['InteractionListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createInteraction: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateInteractionRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Interaction'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getInteraction: {
    parameters: {
      query?: never;
      header?: never;
      path: { interaction_id: components['parameters']['path_interaction_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Interaction'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteInteraction: {
    parameters: {
      query?: never;
      header?: never;
      path: { interaction_id: components['parameters']['path_interaction_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  respondToInteraction: {
    parameters: {
      query?: never;
      header?: never;
      path: { interaction_id: components['parameters']['path_interaction_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['RespondToInteractionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Interaction'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  reviewInteraction: {
    parameters: {
      query?: never;
      header?: never;
      path: { interaction_id: components['parameters']['path_interaction_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['ReviewInteractionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Interaction'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  cancelInteraction: {
    parameters: {
      query?: never;
      header?: never;
      path: { interaction_id: components['parameters']['path_interaction_id'] };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': components['schemas']['CancelInteractionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Interaction'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listOrgPermissions: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['PermissionCatalogResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getMe: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Me'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listRoles: {
    parameters: {
      query?: { limit?: components['parameters']['limit']; cursor?: components['parameters']['cursor'] };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoleListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createRole: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateRoleRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Role'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getRole: {
    parameters: {
      query?: never;
      header?: never;
      path: { role_id: components['parameters']['path_role_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Role'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteRole: {
    parameters: {
      query?: never;
      header?: never;
      path: { role_id: components['parameters']['path_role_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateRole: {
    parameters: {
      query?: never;
      header?: never;
      path: { role_id: components['parameters']['path_role_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdateRoleRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Role'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listRoleAssignments: {
    parameters: {
      query?: {
        principal_id?: string;
        role_id?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoleAssignmentListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createRoleAssignment: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateRoleAssignmentRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['RoleAssignment'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteRoleAssignment: {
    parameters: {
      query?: never;
      header?: never;
      path: { assignment_id: components['parameters']['path_assignment_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listPrincipals: {
    parameters: {
      query?: {
        kind?: components['schemas']['PrincipalKind'];
        include_disabled?: boolean;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['PrincipalListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createPrincipal: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreatePrincipalRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Principal'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getPrincipal: {
    parameters: {
      query?: never;
      header?: never;
      path: { principal_id: components['parameters']['path_principal_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Principal'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deletePrincipal: {
    parameters: {
      query?: never;
      header?: never;
      path: { principal_id: components['parameters']['path_principal_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updatePrincipal: {
    parameters: {
      query?: never;
      header?: never;
      path: { principal_id: components['parameters']['path_principal_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdatePrincipalRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Principal'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAPIKeys: {
    parameters: {
      query?: { limit?: components['parameters']['limit']; cursor?: components['parameters']['cursor'] };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['APIKeyListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createAPIKey: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateAPIKeyRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['APIKeyCreateResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAPIKey: {
    parameters: {
      query?: never;
      header?: never;
      path: { api_key_id: components['parameters']['path_api_key_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['APIKey'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteAPIKey: {
    parameters: {
      query?: never;
      header?: never;
      path: { api_key_id: components['parameters']['path_api_key_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createToken: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateTokenRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['TokenCreateResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getOverview: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Overview'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getOrgContext: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['OrgContext'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  replaceOrgContext: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['PutOrgContextRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['OrgContext'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listSkills: {
    parameters: {
      query?: {
        include_system?: boolean;
        name?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SkillListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createSkill: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['SkillRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Skill'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  importSkill: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['ImportSkillRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Skill'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSkill: {
    parameters: {
      query?: never;
      header?: never;
      path: { skill_id: components['parameters']['path_skill_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Skill'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateSkill: {
    parameters: {
      query?: never;
      header?: never;
      path: { skill_id: components['parameters']['path_skill_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SkillRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Skill'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteSkill: {
    parameters: {
      query?: never;
      header?: never;
      path: { skill_id: components['parameters']['path_skill_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listActions: {
    parameters: {
      query?: { name?: string; limit?: components['parameters']['limit']; cursor?: components['parameters']['cursor'] };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ActionListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createAction: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateActionRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Action'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getAction: {
    parameters: {
      query?: never;
      header?: never;
      path: { action_name: components['parameters']['path_action_name'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Action'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteAction: {
    parameters: {
      query?: never;
      header?: never;
      path: { action_name: components['parameters']['path_action_name'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateAction: {
    parameters: {
      query?: never;
      header?: never;
      path: { action_name: components['parameters']['path_action_name'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdateActionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Action'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  rotateActionSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: { action_name: components['parameters']['path_action_name'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RotateSecretResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  invokeAction: {
    parameters: {
      query?: never;
      header?: { 'Idempotency-Key'?: components['parameters']['idempotency_key'] };
      path: { action_name: components['parameters']['path_action_name'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['InvokeActionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['ActionInvocationResult'] } };
      202: { content: { 'application/json': components['schemas']['ActionInvocationResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listActionInvocations: {
    parameters: {
      query?: {
        job_id?: string;
        environment_id?: string;
        action_name?: string;
        action_id?: string;
        definition_scope?: 'platform' | 'custom';
        secret_version?: number;
        delivery_id?: string;
        correlation_id?: string;
        status?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ActionInvocationListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listCatalogEvents: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['EventCatalogResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listCatalogActions: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ActionCatalogListResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getCatalogAction: {
    parameters: {
      query?: never;
      header?: never;
      path: { action_name: components['parameters']['path_action_name'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ActionCatalogEntry'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listCatalogModels: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ModelCatalogResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listTables: {
    parameters: {
      query?: { name?: string; limit?: components['parameters']['limit']; cursor?: components['parameters']['cursor'] };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['TableListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createTable: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateTableRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Table'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getTable: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Table'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteTable: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateTable: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdateTableRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Table'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getTableStats: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['TableStats'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createTableRow: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['InsertRowRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['TableRow'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getTableRow: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id']; row_id: components['parameters']['path_row_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['TableRow'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteTableRow: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id']; row_id: components['parameters']['path_row_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateTableRow: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id']; row_id: components['parameters']['path_row_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdateRowRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['TableRow'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  queryTableRows: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': components['schemas']['QueryRowsRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['TableRowQueryListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  searchTableRows: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SearchRowsRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['TableRowSearchListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  upsertTableRow: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpsertRowRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['UpsertRowResult'] } };
      201: { content: { 'application/json': components['schemas']['UpsertRowResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  bulkCreateTableRows: {
    parameters: {
      query?: never;
      header?: never;
      path: { table_id: components['parameters']['path_table_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['BulkInsertRowsRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['BulkInsertRowsResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listSourceEvents: {
    parameters: {
      query?: {
        event_type?: string[];
        source_kind?: string;
        source_id?: string;
        since?: string;
        order?: components['parameters']['order'];
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['SourceEventListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  streamSourceEvents: {
    parameters: {
      query?: {
        event_type?: string[];
        source_kind?: string;
        source_id?: string;
        cursor?: string;
        from?: 'latest' | 'earliest';
      };
      header?: { 'Last-Event-ID'?: components['parameters']['last_event_id'] };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'text/event-stream': components['schemas']['SourceEventStreamFrame'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      410: components['responses']['Gone'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listWebhooks: {
    parameters: {
      query?: { limit?: components['parameters']['limit']; cursor?: components['parameters']['cursor'] };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['WebhookList'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createWebhook: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['WebhookCreateRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['WebhookWithSecret'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Webhook'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['WebhookUpdateRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Webhook'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  rotateWebhookSecret: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['WebhookWithSecret'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  pingWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['WebhookPing'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  enableWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': components['schemas']['WebhookEnableRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Webhook'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  redeliverWebhookEvents: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['WebhookRedeliverRequest'] } };
    responses: {
      202: { content: { 'application/json': components['schemas']['WebhookRedelivery'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listWebhookDeliveries: {
    parameters: {
      query?: never;
      header?: never;
      path: { webhook_id: components['parameters']['path_webhook_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['WebhookDeliveryList'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  receiveEmail: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['InboundEmail'] } };
    responses: {
      202: { content: { 'application/json': components['schemas']['InboundEmailResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  receiveProviderEvent: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['InboundEvent'] } };
    responses: {
      202: { content: { 'application/json': components['schemas']['InboundEventResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  receiveMessage: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['InboundMessage'] } };
    responses: {
      202: { content: { 'application/json': components['schemas']['InboundMessageResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAuditEntries: {
    parameters: {
      query?: {
        action?: string[];
        actor_id?: string;
        resource_type?: string;
        resource_id?: string;
        since?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AuditEntryListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  interactionInboxPage: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: { 200: { content: { 'text/html': string } }; 500: components['responses']['InternalError'] };
  };
  interactionAnswerPage: {
    parameters: {
      query?: never;
      header?: never;
      path: { interaction_id: components['parameters']['path_interaction_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: { 200: { content: { 'text/html': string } }; 500: components['responses']['InternalError'] };
  };
  welcome: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'text/plain': string } };
      302: { content?: never };
      500: components['responses']['InternalError'];
    };
  };
  healthz: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Health'] } };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  readyz: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Health'] } };
      500: components['responses']['InternalError'];
      503: { content: { 'application/json': components['schemas']['Health'] } };
    };
  };
  metrics: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'text/plain': string } };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  openapiJson: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': JsonObject } };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  openapiYaml: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/yaml': string } };
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  referencePage: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'text/html': string } };
      404: components['responses']['NotFound'];
      500: components['responses']['InternalError'];
    };
  };
  referenceProgram: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'text/javascript': string } };
      304: { content?: never };
      404: components['responses']['NotFound'];
      500: components['responses']['InternalError'];
    };
  };
  referenceDocument: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': Record<string, unknown> } };
      500: components['responses']['InternalError'];
    };
  };
  consolePage: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'text/html': string } };
      404: components['responses']['NotFound'];
      500: components['responses']['InternalError'];
    };
  };
  consolePath: {
    parameters: { query?: never; header?: never; path: { path: string }; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'text/html': string } };
      304: { content?: never };
      404: components['responses']['NotFound'];
      500: components['responses']['InternalError'];
    };
  };
  createFirstKey: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateFirstKeyRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['FirstKeyResult'] } };
      400: components['responses']['BadRequest'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateResourceOwnership: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        resource_type: components['parameters']['path_resource_type'];
        resource_id: components['parameters']['path_resource_id'];
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['ResourceOwnershipTransitionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['ResourceOwnershipState'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAgentMembers: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemberListResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  replaceAgentMembers: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['ReplaceAgentMembersRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemberListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  addAgentMembers: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['AddAgentMembersRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemberListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  removeAgentMember: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        principal_id: components['parameters']['path_principal_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  previewAgentVisibilityChange: {
    parameters: {
      query: { visibility: components['schemas']['AgentVisibility']; members?: string };
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentVisibilityImpact'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listAgentMessagingBindings: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMessagingBindingListResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  saveAgentMessagingBinding: {
    parameters: {
      query?: never;
      header?: never;
      path: { agent_id: components['parameters']['path_agent_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['AgentMessagingBindingRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMessagingBinding'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteAgentMessagingBinding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        binding_id: components['parameters']['path_binding_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  promoteAgentMemoryEntry: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        memory_key: components['parameters']['path_memory_key'];
      };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['PromoteAgentMemoryEntryRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['AgentMemoryEntry'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  revertAgentMemoryPromotion: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        agent_id: components['parameters']['path_agent_id'];
        memory_key: components['parameters']['path_memory_key'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createSessionAttachment: {
    parameters: {
      query?: never;
      header?: { 'Idempotency-Key'?: components['parameters']['idempotency_key'] };
      path: { session_id: components['parameters']['path_session_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'multipart/form-data': components['schemas']['CreateSessionAttachmentRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['SessionAttachmentResponse'] } };
      201: { content: { 'application/json': components['schemas']['SessionAttachmentResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteSessionAttachment: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        session_id: components['parameters']['path_session_id'];
        artifact_id: components['parameters']['path_artifact_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listArtifacts: {
    parameters: {
      query?: {
        mime?: string;
        session_id?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ArtifactListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createArtifact: {
    parameters: {
      query?: never;
      header?: { 'Idempotency-Key'?: components['parameters']['idempotency_key']; 'X-Svc-Lease-Token'?: string };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'multipart/form-data': components['schemas']['CreateArtifactRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Artifact'] } };
      201: { content: { 'application/json': components['schemas']['Artifact'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getArtifact: {
    parameters: {
      query?: never;
      header?: never;
      path: { artifact_id: components['parameters']['path_artifact_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Artifact'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteArtifact: {
    parameters: {
      query?: never;
      header?: never;
      path: { artifact_id: components['parameters']['path_artifact_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getArtifactContent: {
    parameters: {
      query?: never;
      header?: { Range?: components['parameters']['byte_range'] };
      path: { artifact_id: components['parameters']['path_artifact_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/octet-stream': string } };
      206: { content: { 'application/octet-stream': string } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      416: { content?: never };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createArtifactSignedUrl: {
    parameters: {
      query?: { ttl_seconds?: number };
      header?: never;
      path: { artifact_id: components['parameters']['path_artifact_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ArtifactSignedUrl'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getSignedContent: {
    parameters: {
      query?: never;
      header?: { Range?: components['parameters']['byte_range'] };
      path: { token: components['parameters']['path_signed_token'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/octet-stream': string } };
      206: { content: { 'application/octet-stream': string } };
      404: components['responses']['NotFound'];
      416: { content?: never };
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getArtifactStorageQuota: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ArtifactQuotaUsage'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listCatalogWorkerModels: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['WorkerModelCatalogListResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listWorkers: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['WorkerListResponse'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  openWorkerSocket: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      101: { content?: never };
      200: { content: { 'application/json': components['schemas']['WorkerSocketFrame'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listConnections: {
    parameters: {
      query?: {
        provider?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ConnectionListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createConnection: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['CreateConnectionRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['ConnectionResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getConnection: {
    parameters: {
      query?: never;
      header?: never;
      path: { connection_id: components['parameters']['path_connection_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Connection'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteConnection: {
    parameters: {
      query?: never;
      header?: never;
      path: { connection_id: components['parameters']['path_connection_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateConnection: {
    parameters: {
      query?: never;
      header?: never;
      path: { connection_id: components['parameters']['path_connection_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['UpdateConnectionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Connection'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  rotateConnection: {
    parameters: {
      query?: never;
      header?: never;
      path: { connection_id: components['parameters']['path_connection_id'] };
      cookie?: never;
    };
    requestBody?: { content: { 'application/json': components['schemas']['RotateConnectionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['ConnectionResult'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  replaceConnectionGrants: {
    parameters: {
      query?: never;
      header?: never;
      path: { connection_id: components['parameters']['path_connection_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['ConnectionGrantsRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Connection'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  authorizeConnection: {
    parameters: {
      query?: never;
      header?: never;
      path: { connection_id: components['parameters']['path_connection_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['AuthorizeConnectionRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['ConnectionAuthorization'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  completeConnectionAuthorization: {
    parameters: {
      query?: never;
      header?: never;
      path: { connection_id: components['parameters']['path_connection_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['CompleteConnectionAuthorizationRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Connection'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  receiveOAuthCallback: {
    parameters: {
      query?: {
        state?: string;
        code?: string;
        iss?: string;
        error?: string;
        error_description?: string;
        error_uri?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      303: { content?: never };
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listProviders: {
    parameters: {
      query?: { limit?: components['parameters']['limit']; cursor?: components['parameters']['cursor'] };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['ProviderListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getProvider: {
    parameters: {
      query?: never;
      header?: never;
      path: { provider: components['parameters']['path_provider'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Provider'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  saveProvider: {
    parameters: {
      query?: never;
      header?: never;
      path: { provider: components['parameters']['path_provider'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['SaveProviderRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Provider'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteProvider: {
    parameters: {
      query?: never;
      header?: never;
      path: { provider: components['parameters']['path_provider'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listBillingUsageEvents: {
    parameters: {
      query?: {
        period_start?: string;
        recorded_after?: string;
        counter?: string;
        source_type?: string;
        source_id?: string;
        job_id?: string;
        api_key_id?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['BillingUsageEventListResponse'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getOAuthReturnOrigins: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['OAuthReturnOrigins'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  replaceOAuthReturnOrigins: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['PutOAuthReturnOriginsRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['OAuthReturnOrigins'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listRoutines: {
    parameters: {
      query?: {
        owner_id?: string;
        agent_id?: string;
        origin_session_id?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoutineList'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  createRoutine: {
    parameters: { query?: never; header?: never; path?: never; cookie?: never };
    requestBody: { content: { 'application/json': components['schemas']['RoutineCreateRequest'] } };
    responses: {
      201: { content: { 'application/json': components['schemas']['Routine'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      409: components['responses']['Conflict'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listRoutineOccurrences: {
    parameters: {
      query?: {
        routine_id?: string;
        owner_id?: string;
        status?: string[];
        since?: string;
        until?: string;
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoutineOccurrenceList'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  getRoutine: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Routine'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  deleteRoutine: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Routine'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  updateRoutine: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['RoutineUpdateRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['Routine'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listRoutineChanges: {
    parameters: {
      query?: { limit?: components['parameters']['limit']; cursor?: components['parameters']['cursor'] };
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoutineChangeList'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  runRoutineNow: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      202: { content: { 'application/json': components['schemas']['RoutineOccurrence'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  pauseRoutine: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Routine'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  resumeRoutine: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Routine'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listRoutinePrincipals: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoutinePrincipalList'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  addRoutinePrincipal: {
    parameters: {
      query?: never;
      header?: never;
      path: { routine_id: components['parameters']['path_routine_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['AddRoutinePrincipalRequest'] } };
    responses: {
      200: { content: { 'application/json': components['schemas']['RoutinePrincipalList'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  removeRoutinePrincipal: {
    parameters: {
      query?: { relationship?: components['schemas']['RoutineRelationship'] };
      header?: never;
      path: {
        routine_id: components['parameters']['path_routine_id'];
        principal_id: components['parameters']['path_principal_id'];
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      204: { content?: never };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  listRoutineProposals: {
    parameters: {
      query?: {
        status?: 'pending' | 'approved' | 'dismissed' | 'expired';
        limit?: components['parameters']['limit'];
        cursor?: components['parameters']['cursor'];
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoutineProposalList'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  approveRoutineProposal: {
    parameters: {
      query?: never;
      header?: never;
      path: { proposal_id: components['parameters']['path_proposal_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['Routine'] } };
      201: { content: { 'application/json': components['schemas']['Routine'] } };
      400: components['responses']['BadRequest'];
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  dismissRoutineProposal: {
    parameters: {
      query?: never;
      header?: never;
      path: { proposal_id: components['parameters']['path_proposal_id'] };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      200: { content: { 'application/json': components['schemas']['RoutineProposal'] } };
      401: components['responses']['Unauthorized'];
      403: components['responses']['Forbidden'];
      404: components['responses']['NotFound'];
      409: components['responses']['Conflict'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  finishDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: { delivery_id: components['parameters']['path_delivery_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['DeliveryResultRequest'] } };
    responses: {
      204: { content?: never };
      400: components['responses']['BadRequest'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  reportDelivery: {
    parameters: {
      query?: never;
      header?: never;
      path: { delivery_id: components['parameters']['path_delivery_id'] };
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['DeliveryProgressRequest'] } };
    responses: {
      204: { content?: never };
      400: components['responses']['BadRequest'];
      404: components['responses']['NotFound'];
      413: components['responses']['PayloadTooLarge'];
      415: components['responses']['UnsupportedMediaType'];
      429: components['responses']['TooManyRequests'];
      500: components['responses']['InternalError'];
      503: components['responses']['ServiceUnavailable'];
    };
  };
  actionInvocationDelivery: {
    parameters: {
      query?: never;
      header: {
        'X-Svc-Signature': string;
        'X-Svc-Signature-Version': 'v1';
        'X-Svc-Timestamp': number;
        'X-Svc-Delivery-Id': string;
        'X-Svc-Secret-Version': number;
        'Idempotency-Key': string;
        'X-Svc-Callback-Url'?: string;
        'X-Svc-Callback-Token'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['LegacyActionInvocation'];
        'application/vnd.svc.action-invocation+json; version=1': components['schemas']['ActionInvocationV1'];
      };
    };
    responses: {
      200: {
        content: {
          'application/json': Json;
          'application/vnd.svc.action+json': components['schemas']['ActionResponseEnvelope'];
          'application/x-ndjson': components['schemas']['ActionProgressLine'];
        };
      };
      202: { content?: never };
      '4XX': { content?: never };
      '5XX': { content?: never };
    };
  };
  interactionCallbackDelivery: {
    parameters: {
      query?: never;
      header: {
        'X-Svc-Signature': string;
        'X-Svc-Signature-Version': 'v1';
        'X-Svc-Timestamp': number;
        'X-Svc-Delivery-Id': string;
        'X-Svc-Secret-Version': number;
        'Idempotency-Key': string;
        'X-Svc-Event-Type': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: { content: { 'application/json': components['schemas']['InteractionCallback'] } };
    responses: { '2XX': { content?: never } };
  };
}
