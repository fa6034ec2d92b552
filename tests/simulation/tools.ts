import { sha256Hex, type Clock, type ModelTool } from '@aos/kernel';
import {
  Toolbox,
  type CallResult,
  type Dispatched,
  type ReportProgress,
  type ToolContext,
} from '../../libs/sessions/src/calls/toolbox.js';
import type { ToolCall } from '../../libs/sessions/src/session/session.events.js';
import type { Shared } from './shared.js';
import type { Place } from './scheduler.js';

/** A question that a turn asked and waits for. */
export interface Question {
  id: string;
  orgId: string;
  sessionId: string;
  /** Somebody answered: nobody is asked any more. */
  answered: boolean;
  /** The session took the outcome. */
  delivered: boolean;
}

/** A call that left its process, and where the log ended then. */
export interface Departure {
  sessionId: string;
  turnId: string;
  callId: string;
  place: string;
  position: string;
}

/** What the outside saw of tool calls; shared by all replicas. */
export class Outside {
  /** Tool call -> the delivery ids it came with. */
  readonly deliveries = new Map<string, Set<string>>();
  /** Delivery ids with the log's end when they were first seen. */
  readonly seenAt = new Map<string, { sessionId: string; position: string }>();
  readonly questions = new Map<string, Question>();
  /** Calls as they left their process, before the outside saw them. */
  readonly departures: Departure[] = [];

  constructor(private readonly shared: Shared) {}

  saw(sessionId: string, call: ToolCall): void {
    const ids = this.deliveries.get(call.tool_call_id) ?? new Set<string>();
    this.deliveries.set(call.tool_call_id, ids.add(call.delivery_id));
    if (!this.seenAt.has(call.delivery_id))
      this.seenAt.set(call.delivery_id, { sessionId, position: this.shared.position });
  }

  left(place: Place, { sessionId, turn }: ToolContext, call: ToolCall): void {
    const departure = { sessionId, turnId: turn.turn.id, callId: call.tool_call_id, place: place.name };
    this.departures.push({ ...departure, position: this.shared.position });
  }

  /** Asked once for each delivery, however often that arrives. */
  ask(orgId: string, sessionId: string, deliveryId: string): Question {
    const id = `iact_${sha256Hex(deliveryId).slice(0, 26)}`;
    const question = this.questions.get(id) ?? { id, orgId, sessionId, answered: false, delivered: false };
    this.questions.set(id, question);
    return question;
  }
}

const slowMs = 2500;
const jobMs = 5000;
const jobMsMax = 30_000;

/**
 * `echo` answers at once, `slow` takes a while, `job` goes on outside the turn, `park` asks a question and waits for
 * its outcome; any other name is an error result.
 */
export class PlannedTools extends Toolbox {
  constructor(
    private readonly shared: Shared,
    private readonly outside: Outside,
    private readonly place: Place,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async tools(): Promise<readonly ModelTool[]> {
    return [];
  }

  override async resolve(): Promise<undefined> {
    return undefined;
  }

  override async dispatch(
    context: ToolContext,
    call: ToolCall,
    _progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<Dispatched> {
    this.outside.left(this.place, context, call);
    await this.shared.scheduler.turn(this.place, this.shared.delay());
    this.outside.saw(context.sessionId, call);
    if (call.name === 'park') {
      const question = this.outside.ask(context.orgId, context.sessionId, call.delivery_id);
      if (question.answered) return { outcome: { status: 'ok', content: 'answered already', is_error: false } };
      await this.shared.scheduler.turn(this.place);
      return { wait: { kind: 'interaction', tool_call_id: call.tool_call_id, interaction_id: question.id } };
    }
    if (call.name === 'job') return { job: { timeoutMs: jobMsMax, resends: 1 } };
    if (call.name === 'slow') await this.clock.sleep(slowMs, signal);
    await this.shared.scheduler.turn(this.place);
    return {
      outcome: { status: call.name === 'none' ? 'error' : 'ok', content: call.name, is_error: call.name === 'none' },
    };
  }

  override async job(
    context: ToolContext,
    call: ToolCall,
    _progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<CallResult> {
    this.outside.left(this.place, context, call);
    await this.shared.scheduler.turn(this.place, this.shared.delay());
    this.outside.saw(context.sessionId, call);
    await this.clock.sleep(jobMs, signal);
    await this.shared.scheduler.turn(this.place);
    return { status: 'ok', content: 'job', is_error: false };
  }
}
