import { defineEvents, event, type EventOf, type JsonObject, type PrincipalKind } from '@aos/kernel';

/** Where a job comes from (contract, `WorkerSocketClaimedJob`). */
export type JobOrigin = 'agent_tool_call' | 'agent_llm_call' | 'direct_action_invoke';

export type JobOpening = {
  job_id: string;
  org_id: string;
  kind: 'action_execution' | 'llm_generation';
  origin: JobOrigin;
  delivery_id: string;
  actor: { principal_id: string; kind: PrincipalKind };
  action_name?: string;
  provider?: string;
  model?: string;
  session_id?: string;
  agent_turn_id?: string;
  tool_call_id?: string;
  requested_at: string;
};

export type JobStatus = 'completed' | 'failed' | 'cancelled';

/** The events of a job of a worker. Leases are numbered: only its newest number may renew, report or be given back. */
export const jobEvents = defineEvents({
  /** `parameters` of an action; a model's request is not kept (it is the session's transcript once more). */
  JobRequested: event<JobOpening & { parameters: JsonObject | null }>(1),
  /** `token_hash`: of the lease token, which only the worker has. */
  JobLeased: event<{
    attempt: number;
    worker_id: string;
    worker_instance_id: string;
    token_hash: string;
    leased_at: string;
    expires_at: string;
  }>(1),
  JobLeaseRenewed: event<{ attempt: number; expires_at: string }>(1),
  /** The worker was gone before its lease could be sent to it. */
  JobGivenBack: event<{ attempt: number; given_back_at: string }>(1),
  JobReported: event<{
    attempt: number;
    status: JobStatus;
    result: JsonObject | null;
    error_type: string | null;
    error_message: string | null;
    reported_at: string;
  }>(1),
  JobCancelled: event<{ reason: string; cancelled_at: string }>(1),
  /** No worker took the job. */
  JobGivenUp: event<{ error_type: string; error_message: string; given_up_at: string }>(1),
});
export type JobEvent = EventOf<typeof jobEvents>;
