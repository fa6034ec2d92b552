/**
 * The fields of the contract's records that the suites read; the contract validation of every answer is what proves the
 * rest.
 */

export type Block = {
  type: string;
  text?: string;
  thinking?: string;
  id?: string;
  name?: string;
  content?: string | Block[];
  [field: string]: unknown;
};
export type TurnStatus = 'queued' | 'running' | 'waiting' | 'completed' | 'failed' | 'cancelled';
export const finalStatuses: readonly TurnStatus[] = ['completed', 'failed', 'cancelled'];

export interface Usage {
  input_tokens?: number;
  output_tokens?: number;
  cache_read_input_tokens?: number;
  cache_creation_input_tokens?: number;
  reasoning_tokens?: number;
  calls?: number;
}

export interface Turn {
  id: string;
  agent_id: string;
  session_id: string;
  attempt: number;
  status: TurnStatus;
  phase?: string | null;
  seq?: number;
  error_type?: string;
  error_message?: string;
  error_scope?: string;
  usage?: Usage;
  effective_timeout_seconds?: number;
  created_at: string;
  updated_at: string;
  completed_at?: string;
}

export interface Message {
  id: string;
  session_id: string;
  agent_id: string;
  role: string;
  content: Block[];
  entry_type: string;
  sequence: number;
  turn_id?: string;
  metadata?: Record<string, unknown>;
  created_at: string;
}

/** A row of the v2 transcript: also one that is still streaming. */
export interface TranscriptMessage extends Omit<Message, 'sequence' | 'turn_id'> {
  sequence: number | null;
  turn_id?: string | null;
  status: string;
  turn_index: number | null;
}

export interface CompactionPolicy {
  strategy?: string;
  threshold?: string;
  threshold_tokens?: number;
  summary_model?: string;
}

export interface Session {
  id: string;
  agent_id: string;
  title: string;
  status: string;
  origin: string;
  scope: string;
  scope_ref_id: string;
  scope_name: string;
  session_key: string;
  visibility: string;
  posture: string;
  owner: { kind: string; id?: string | null };
  model?: string;
  model_provider?: string;
  model_override?: string;
  thinking_effort?: string;
  compaction_policy?: CompactionPolicy;
  compaction?: { in_progress: boolean; threshold_tokens?: number };
  message_count: number;
  token_input_total: number;
  token_output_total: number;
  cache_read_input_total: number;
  cache_creation_input_total: number;
  version: number;
  last_message_at?: string | null;
  expires_at?: string | null;
  retention?: { mode?: string; ttl_seconds?: number };
  metadata?: Record<string, unknown>;
  created_by?: string;
  created_at: string;
  updated_at: string;
}

export interface Agent {
  id: string;
  principal_id: string;
  name: string;
  external_ref?: string;
  description?: string;
  model?: string;
  status: string;
  visibility: string;
  posture: string;
  owner: { kind: string; id?: string | null };
  skill_ids?: string[];
  action_selectors?: { selector_type?: string; selector: string }[];
  tool_selectors?: { selector_type?: string; selector: string }[];
  tool_presentation?: string;
  thinking_effort?: string;
  timeout_seconds?: number;
  memory_enabled: boolean;
  memory_context?: { mode: string; max_bytes?: number };
  model_route?: Record<string, unknown>;
  tags?: Record<string, string>;
  compaction_policy?: CompactionPolicy;
  system_prompt?: string;
  created_at: string;
  updated_at: string;
}

export interface TurnAck {
  session: Session;
  turn: Turn;
  session_id: string;
  turn_id: string;
  status: TurnStatus;
  resume_cursor: string;
  after_sequence: number;
  deduped: boolean;
  user_message?: TranscriptMessage;
}

export interface Page<Row> {
  items: Row[];
  has_more: boolean;
  next_cursor?: string | null;
}
export interface MessagesPage {
  items: Message[];
  has_more: boolean;
  next_sequence?: number;
  prev_sequence?: number;
}
export interface Snapshot {
  messages: TranscriptMessage[];
  turns: Turn[];
  interactions: { id: string; status: string }[];
  has_more: boolean;
  resume_cursor: string;
  next_page_token?: string;
}
export interface IssuedKey {
  id: string;
  name: string;
  key_prefix: string;
  principal_id: string;
  org_role?: string;
  key: string;
}
export interface ErrorBody {
  error: { code: string; message: string; details?: Record<string, unknown> };
}
