import { Injectable } from '@nestjs/common';
import { Clock, idPart, rfc3339, uuidFrom, type JsonObject } from '@aos/kernel';
import { Decisions, serviceActor } from '@aos/platform';
import type { CatalogAction } from '@aos/definitions/published';
import { isOutOfTime, sessionKind } from '@aos/sessions/published';
import { invocationDecider } from '../invocation.decider.js';
import { noFacts, notCarried, type Carried } from '../deliveries/carried.js';
import type { ActionDelivery } from '../deliveries/http-deliveries.js';
import type { InvocationEnd, InvocationOpening, InvokedAction, InvokedBy } from '../invocation/invocation.events.js';
import { invocationKind } from '../invocation/invocation.state.js';
import { shownOutput, shownParameters } from '../invocation/shown.decide.js';

/** A tool call that is over, of whichever kind its action is. */
export interface RecordedToolCall {
  orgId: string;
  by: InvokedBy;
  deliveryId: string;
  action: InvokedAction;
  input: JsonObject;
  startedAt: string;
}

/** The end of an execution, for its record. */
export function endOf({ answer, facts }: Carried, finishedAt: string): InvocationEnd {
  const common = {
    http_status: facts.httpStatus,
    retry_count: facts.retryCount,
    secret_version: facts.secretVersion,
    finished_at: finishedAt,
  };
  if ('error' in answer)
    return {
      ...common,
      status: 'failed',
      error: { code: answer.error.code, message: answer.error.message },
      output_summary: null,
    };
  return { ...common, status: 'success', error: null, output_summary: shownOutput(answer.output, facts.warning) };
}

/** Keeps one record of each tool call that was carried out; direct invocations keep their own. */
@Injectable()
export class InvocationRecords {
  constructor(
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /** Of a custom action. Throws `StoreUnavailable`. */
  async customCall(
    delivery: ActionDelivery,
    kind: 'http' | 'worker',
    startedAt: string,
    carried: Carried,
  ): Promise<void> {
    const call = customCallOf(delivery, kind, startedAt, carried);
    if (call) await this.record(call, endOf(carried, this.now()));
  }

  /**
   * A custom action's call that its turn did not wait for to the end: recorded when the turn is over and will not call
   * again.
   */
  async givenUp(delivery: ActionDelivery, kind: 'http' | 'worker', startedAt: string, reason: unknown): Promise<void> {
    const carried: Carried = { answer: { output: {}, context: [] }, facts: noFacts };
    const call = customCallOf(delivery, kind, startedAt, carried);
    if (!call) return;
    const { state } = await this.decisions.load(sessionKind, call.by.session_id);
    const ended = endOf(notCarried('cancelled', 'the turn was ended'), this.now());
    if (!state.open.has(call.by.turn_id)) await this.record(call, { ...ended, status: 'cancelled' });
    else if (isOutOfTime(reason))
      await this.record(call, { ...ended, error: { code: 'timeout', message: 'the turn ran out of time' } });
  }

  /** Of a built-in action. Throws `StoreUnavailable`. */
  async builtinCall(call: Omit<RecordedToolCall, 'action'>, { name }: CatalogAction, carried: Carried): Promise<void> {
    const action: InvokedAction = {
      id: null,
      name,
      definition_scope: 'platform',
      endpoint_kind: 'builtin',
      invocation_format: null,
    };
    await this.record({ ...call, action }, endOf(carried, this.now()));
  }

  private async record(
    { orgId, by, deliveryId, action, input, startedAt }: RecordedToolCall,
    end: InvocationEnd,
  ): Promise<void> {
    const part = idPart(deliveryId);
    const opening: InvocationOpening = {
      id: `inv_${part}`,
      org_id: orgId,
      job_id: `job_${part}`,
      delivery_id: deliveryId,
      source: 'agent_tool_call',
      action,
      actor: { principal_id: by.agent_id, kind: 'agent' },
      call: by,
      correlation_id: by.turn_id,
      parameters: shownParameters(input),
      started_at: startedAt,
    };
    const actor = serviceActor(orgId, by.agent_id, by.turn_id, 'agent');
    const command = { opening, end };
    await this.decisions.decide(invocationDecider.recordToolCall, part, actor, command, {
      eventId: () => uuidFrom(deliveryId, 'recorded'),
      isNew: true, // nearly always
    });
    this.decisions.forget(invocationKind, part); // this state is not read again, and sessions need the room
  }

  private now(): string {
    return rfc3339(this.clock.now());
  }
}

/** Null for what no agent called. */
function customCallOf(
  delivery: ActionDelivery,
  kind: 'http' | 'worker',
  startedAt: string,
  { facts }: Carried,
): RecordedToolCall | null {
  const { origin, orgId, name, actor, deliveryId, parameters } = delivery;
  if (origin.kind !== 'agent_tool_call') return null;
  const by = {
    agent_id: actor.principalId,
    session_id: origin.sessionId,
    turn_id: origin.turnId,
    tool_call_id: origin.toolCallId,
  };
  const action: InvokedAction = {
    id: facts.action?.id ?? null,
    name,
    definition_scope: 'custom',
    endpoint_kind: kind,
    invocation_format: facts.action?.format ?? null,
  };
  return { orgId, by, deliveryId, action, input: parameters, startedAt };
}
