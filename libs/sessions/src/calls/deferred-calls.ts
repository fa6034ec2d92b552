import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, LiveBus, messageOf, notFound, rfc3339, type JsonObject } from '@aos/kernel';
import { Decisions, serviceActor } from '@aos/platform';
import { AgentDirectory } from '@aos/definitions/published';
import { Audience } from '../live/audience.js';
import type { CallProgress } from '../live/call-progress.js';
import { previewTtlMs } from '../live/live.signals.js';
import { LivePublisher } from '../live/live-publisher.js';
import { SessionWatches } from '../live/session-watches.js';
import { openCall } from '../session/open-turns.state.js';
import type { ToolCall } from '../session/session.events.js';
import { sessionKind, type SessionState } from '../session/session.state.js';
import { sessionDecider } from '../session.decider.js';
import { CallJobs, showResult, shownCall } from './call-jobs.js';
import type { CallResult, ToolContext } from './toolbox.js';

/** Calls whose progress one process shows at once; of more, the one that was silent longest is shown no further. */
const shownMax = 1_000;

/** A call whose endpoint brings the result itself. */
export interface DeferredCall {
  orgId: string;
  sessionId: string;
  turnId: string;
  toolCallId: string;
  deliveryId: string;
}

interface OpenCall {
  context: ToolContext;
  call: ToolCall;
}

/** Who shows the progress of one call to its viewers. */
interface Presenter {
  live: LivePublisher;
  progress: CallProgress;
  /** The presenter goes when nothing is said for so long as a preview is kept. */
  silence: { cancel(): void };
  close(): void;
}

/** Results and progress of calls that their endpoints took (rule TE81). Any replica takes them. */
@Injectable()
export class DeferredCalls implements OnApplicationShutdown {
  private readonly log = new Logger('deferred');
  /** By delivery; the one that was silent longest first. */
  private readonly presenters = new Map<string, Presenter>();

  constructor(
    private readonly decisions: Decisions,
    private readonly agents: AgentDirectory,
    private readonly jobs: CallJobs,
    private readonly bus: LiveBus,
    private readonly watches: SessionWatches,
    private readonly clock: Clock,
  ) {}

  /**
   * The call as it stands; null when it has its result.
   *
   * Refuses  not_found when its turn has ended, or its session or agent is gone.
   */
  async find(deferred: DeferredCall): Promise<OpenCall | null> {
    const { orgId, sessionId, turnId } = deferred;
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const turn = state.open.get(turnId);
    if (state.opening?.org_id !== orgId || state.status === 'deleted' || !turn) throw notFound('delivery');
    const call = openOf(state, deferred);
    if (!call) return null;
    const agent = await this.agents.agent(orgId, state.opening.agent_id);
    if (!agent) throw notFound('delivery');
    return { context: { orgId, sessionId, turn, agent }, call };
  }

  /** Hands the result to the turn, which takes it once. Refuses not_found when the turn has ended meanwhile. */
  async finish(deferred: DeferredCall, open: OpenCall, result: CallResult): Promise<void> {
    const { orgId, sessionId, turnId, toolCallId, deliveryId } = deferred;
    const outcome = { tool_call_id: toolCallId, ...result };
    const actor = serviceActor(orgId, 'svc.jobs', `${turnId}:${toolCallId}`);
    const command = { orgId, turnId, deliveryId, outcome, now: rfc3339(this.clock.now()) };
    const decided = await this.decisions.decide(sessionDecider.receiveDeferredResult, sessionId, actor, command);
    this.jobs.tell(orgId, sessionId, decided);
    if (decided.events.length === 0) return;
    const presenter = this.presenterOf(open);
    presenter.progress.end();
    showResult(presenter.live, open.context, open.call, outcome);
    this.drop(deliveryId);
  }

  /** Shows how far the call is; live only. */
  report(open: OpenCall, progress: JsonObject): void {
    const presenter = this.presenterOf(open);
    presenter.progress.report(progress);
  }

  onApplicationShutdown(): void {
    for (const deliveryId of [...this.presenters.keys()]) this.drop(deliveryId);
  }

  private presenterOf(open: OpenCall): Presenter {
    const { delivery_id: deliveryId } = open.call;
    const presenter = this.presenters.get(deliveryId) ?? this.present(open);
    presenter.silence.cancel();
    presenter.silence = this.clock.after(previewTtlMs, () => {
      this.drop(deliveryId);
    });
    this.presenters.delete(deliveryId);
    this.presenters.set(deliveryId, presenter);
    const [oldest] = this.presenters.keys();
    if (this.presenters.size > shownMax && oldest !== undefined) this.drop(oldest);
    return presenter;
  }

  private present({ context, call }: OpenCall): Presenter {
    const { sessionId, turn } = context;
    const onTrouble = (error: unknown) => {
      this.log.warn(`${call.delivery_id}: ${messageOf(error)}`);
    };
    const audience = new Audience(this.watches, sessionId, this.clock, onTrouble);
    const live = new LivePublisher(this.bus, this.clock, sessionId, turn.turn.id, audience, onTrouble);
    const watch = this.bus.subscribe(`ring:session-${sessionId}`, (message) => {
      if (!audience.hear(message)) this.dropEnded(context, call).catch(onTrouble);
    });
    audience.begin(watch);
    return {
      live,
      progress: live.progressOf(shownCall(context, call), call),
      silence: { cancel: () => undefined },
      close: () => {
        audience.close();
        watch.close();
      },
    };
  }

  /** The session changed: a call that ended has no progress any more, wherever its result was taken. */
  private async dropEnded({ orgId, sessionId, turn }: ToolContext, call: ToolCall): Promise<void> {
    const { state } = await this.decisions.load(sessionKind, sessionId);
    const toolCallId = call.tool_call_id;
    if (openOf(state, { orgId, sessionId, turnId: turn.turn.id, toolCallId, deliveryId: call.delivery_id })) return;
    this.presenters.get(call.delivery_id)?.progress.end();
    this.drop(call.delivery_id);
  }

  private drop(deliveryId: string): void {
    const presenter = this.presenters.get(deliveryId);
    this.presenters.delete(deliveryId);
    presenter?.silence.cancel();
    presenter?.close();
  }
}

function openOf(state: SessionState, { turnId, toolCallId, deliveryId }: DeferredCall): ToolCall | null {
  const turn = state.open.get(turnId);
  const entry = turn && openCall(turn, toolCallId);
  return entry?.job && entry.call.delivery_id === deliveryId ? entry.call : null;
}
