import { OrganizationSlots, ShortLivedMap, type JsonObject, type ModelTool } from '@aos/kernel';
import type { ToolCall } from '../session/session.events.js';
import {
  Toolbox,
  type CallResult,
  type Deferred,
  type Dispatched,
  type ReportProgress,
  type ToolContext,
} from '../calls/toolbox.js';

/**
 * How many turns of one organization, and of all, may be under way for each one that may work: the others wait for
 * their actions.
 */
const perOrganizationFactor = 4;
const allFactor = 16;

interface Slot {
  orgId: string;
  /** Calls of actions that the turn waits for. */
  calls: number;
}

/**
 * Gives the turns of this process their slots: `concurrency` turns work at once. A turn that waits for its actions does
 * not count: endpoints that hang cost a socket each, and hold up no turn of another organization (invariant 28). One
 * organization has a bounded share of what is under way.
 *
 * Does not promise: that at most `concurrency` turns work at any time; a turn goes on at once when its actions answer.
 */
export class TurnSlots {
  private readonly slots = new ShortLivedMap<Slot>();
  private readonly counts: OrganizationSlots;
  private waitingOnTools = 0;
  private freed: (() => void) | null = null;

  constructor(private readonly concurrency: number) {
    this.counts = new OrganizationSlots({
      all: allFactor * concurrency,
      perOrganization: perOrganizationFactor * concurrency,
    });
  }

  whenFreed(listener: () => void): void {
    this.freed = listener;
  }

  /** Slots that turns have, or that are kept for them. */
  get taken(): number {
    return this.counts.taken;
  }

  /** Whether another turn of this organization may start. */
  mayStart(orgId: string): boolean {
    return this.counts.taken - this.waitingOnTools < this.concurrency && this.counts.hasRoom(orgId);
  }

  take(orgId: string, sessionId: string): void {
    if (this.slots.has(sessionId)) return;
    this.slots.set(sessionId, { orgId, calls: 0 });
    this.counts.take(orgId);
  }

  leave(sessionId: string): void {
    const slot = this.slots.get(sessionId);
    if (!slot) return;
    if (slot.calls > 0) this.waitingOnTools -= 1;
    this.slots.delete(sessionId);
    this.counts.free(slot.orgId);
  }

  /** The session's turn waits for an action until `call` ends. */
  async duringCall<T>(sessionId: string, call: () => Promise<T>): Promise<T> {
    const slot = this.slots.get(sessionId);
    if (!slot) return call();
    slot.calls += 1;
    if (slot.calls === 1) {
      this.waitingOnTools += 1;
      this.freed?.();
    }
    try {
      return await call();
    } finally {
      slot.calls -= 1;
      if (slot.calls === 0 && this.slots.get(sessionId) === slot) this.waitingOnTools -= 1;
    }
  }
}

/** A toolbox that releases the slot of the turn during its calls. */
export class SlotReleasingToolbox extends Toolbox {
  constructor(
    private readonly inner: Toolbox,
    private readonly slots: TurnSlots,
  ) {
    super();
  }

  override tools(context: ToolContext): Promise<readonly ModelTool[]> {
    return this.inner.tools(context);
  }

  override resolve(context: ToolContext, name: string, input: JsonObject): Promise<ToolCall['resolved_action']> {
    return this.inner.resolve(context, name, input);
  }

  override dispatch(
    context: ToolContext,
    call: ToolCall,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<Dispatched> {
    return this.slots.duringCall(context.sessionId, () => this.inner.dispatch(context, call, progress, signal));
  }

  override job(
    context: ToolContext,
    call: ToolCall,
    progress: ReportProgress,
    signal: AbortSignal,
  ): Promise<CallResult | Deferred | null> {
    return this.inner.job(context, call, progress, signal);
  }
}
