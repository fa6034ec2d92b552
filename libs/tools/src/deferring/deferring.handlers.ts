import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, badRequest, notFound } from '@aos/kernel';
import { DeferredCalls, isProgressSmall, progressBytesMax } from '@aos/sessions/published';
import { CallbackTokens, type CallbackClaims } from '../deliveries/callback-tokens.js';
import { AgentDeliveries } from '../toolbox/agent-deliveries.js';
import { CustomActions } from '../toolbox/custom-actions.js';
import { FinishDelivery, ReportDelivery, type Callback } from './deferring.commands.js';

/** Refuses not_found for a text that is no token, one that expired, and the token of another call. */
function claimsOf(tokens: CallbackTokens, { deliveryId, token }: Callback, nowMs: number): CallbackClaims {
  const claims = tokens.open(token);
  if (!claims || claims.deliveryId !== deliveryId || claims.expiresAt <= nowMs) throw notFound('delivery');
  return claims;
}

/**
 * Takes the result of a call that its endpoint took, once. A repeat for a call that has one changes nothing.
 *
 * Refuses  not_found as `claimsOf`, and after the end of the turn.
 * Source   rule TE81.
 */
@CommandHandler(FinishDelivery)
export class FinishDeliveryHandler implements ICommandHandler<FinishDelivery> {
  constructor(
    private readonly tokens: CallbackTokens,
    private readonly calls: DeferredCalls,
    private readonly agentDeliveries: AgentDeliveries,
    private readonly customs: CustomActions,
    private readonly clock: Clock,
  ) {}

  async execute({ callback, result }: FinishDelivery): Promise<undefined> {
    const claims = claimsOf(this.tokens, callback, this.clock.now());
    const open = await this.calls.find(claims);
    if (!open) return;
    const delivery = this.agentDeliveries.of(open.context, open.call);
    const said = result.error === undefined ? { output: result.output ?? null } : { error: result.error };
    const outcome = await this.customs.brought(delivery, said, claims);
    await this.calls.finish(claims, open, outcome);
  }
}

/**
 * Shows how far a call is that its endpoint took; of one that has its result nothing is shown.
 *
 * Refuses  not_found as `FinishDelivery`; bad_request for progress over 4 KiB.
 * Source   rules TE80, TE81.
 */
@CommandHandler(ReportDelivery)
export class ReportDeliveryHandler implements ICommandHandler<ReportDelivery> {
  constructor(
    private readonly tokens: CallbackTokens,
    private readonly calls: DeferredCalls,
    private readonly agentDeliveries: AgentDeliveries,
    private readonly customs: CustomActions,
    private readonly clock: Clock,
  ) {}

  async execute({ callback, progress }: ReportDelivery): Promise<undefined> {
    const claims = claimsOf(this.tokens, callback, this.clock.now());
    if (!isProgressSmall(progress))
      throw badRequest([{ path: '/progress', message: `has at most ${progressBytesMax} bytes` }]);
    const open = await this.calls.find(claims);
    if (!open) return;
    const delivery = this.agentDeliveries.of(open.context, open.call);
    const shown = await this.customs.shown(delivery, progress, claims);
    if (shown) this.calls.report(open, shown);
  }
}
