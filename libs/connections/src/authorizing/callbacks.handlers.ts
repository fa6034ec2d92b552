import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock, Refusal, notFound, rfc3339 } from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { ReturnOrigins, organizationIdentity } from '@aos/access/published';
import { connectionDecider } from '../connection.decider.js';
import type { AuthorizationFlow } from '../connection/connection.events.js';
import { secretCharactersMax } from '../connection/connection.limits.js';
import { connectionKind } from '../connection/connection.state.js';
import { ConnectionSecrets } from '../secret/connection-secrets.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { AuthorizationStates, type AuthorizationState } from './authorization-states.js';
import { ReceiveCallback, type CallbackQuery } from './authorizing.commands.js';
import { openFlow } from './authorizing.decide.js';

const errorForm = /^[a-z_]{1,64}$/;

/** Notes what a browser brings back from a provider, and says where it goes on (rule TE26). */
@CommandHandler(ReceiveCallback)
export class ReceiveCallbackHandler implements ICommandHandler<ReceiveCallback> {
  constructor(
    private readonly decisions: Decisions,
    private readonly secrets: ConnectionSecrets,
    private readonly states: AuthorizationStates,
    private readonly origins: ReturnOrigins,
    private readonly requests: AuthorizationRequests,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives    the address that the flow returns to, with a receipt or with an error.
   * Refuses  not_found for every state that stands for no open flow, and while the flow's origin is no return origin
   *          any more (rule TE18): nothing is changed then; upgrade_pending.
   */
  async execute({ query, requestId }: ReceiveCallback): Promise<string> {
    const state = query.state === undefined ? null : this.states.open(query.state);
    if (!state) throw notFound();
    const { orgId, connectionId, flowId } = state;
    const loaded = await this.decisions.load(connectionKind, connectionId);
    const now = rfc3339(this.clock.now());
    const flow = loaded.state.connection?.org_id === orgId ? openFlow(loaded.state, { flowId, now }) : null;
    if (!flow || !(await this.origins.of(orgId)).includes(new URL(flow.return_to).origin)) throw notFound();
    const fault = faultOf(query, flow);
    return fault === null
      ? this.noted(state, flow, query.code ?? '', requestId)
      : this.ended(state, flow, fault, requestId);
  }

  /** The code is stored before the record tells of it; of two that come at once the first is taken. */
  private async noted(
    { orgId, connectionId, flowId, verifier }: AuthorizationState,
    flow: AuthorizationFlow,
    code: string,
    requestId: string,
  ): Promise<string> {
    const actor = actorOf(organizationIdentity(orgId, requestId));
    try {
      await this.secrets.putCode(connectionId, actor, flowId, { code, verifier });
    } catch (error) {
      if (error instanceof Refusal && error.code === 'not_found') throw notFound();
      throw error;
    }
    const { version } = await this.secrets.facts(orgId, connectionId);
    const receipt = this.requests.receipt();
    const command = { flowId, now: rfc3339(this.clock.now()), receiptHash: this.requests.hashOf(receipt), version };
    await this.decisions.decide(connectionDecider.noteCode, connectionId, actor, command);
    return leadingBack(flow, connectionId, { receipt });
  }

  private async ended(
    { orgId, connectionId, flowId }: AuthorizationState,
    flow: AuthorizationFlow,
    reason: string,
    requestId: string,
  ): Promise<string> {
    const actor = actorOf(organizationIdentity(orgId, requestId));
    const command = { flowId, reason, now: rfc3339(this.clock.now()) };
    await this.decisions.decide(connectionDecider.endFlow, connectionId, actor, command);
    return leadingBack(flow, connectionId, { error: reason });
  }
}

/** Why an answer brings no code that may be used; null when it does. `iss` is compared wherever it comes. */
function faultOf({ code, iss, error }: CallbackQuery, { provider }: AuthorizationFlow): string | null {
  if (iss === undefined ? provider.iss_demanded : iss !== provider.issuer) return 'invalid_issuer';
  if (error !== undefined) return errorForm.test(error) ? error : 'provider_error';
  return code === undefined || code === '' || code.length > secretCharactersMax ? 'no_code' : null;
}

function leadingBack(
  { return_to: returnTo }: AuthorizationFlow,
  connectionId: string,
  outcome: { receipt: string } | { error: string },
): string {
  const url = new URL(returnTo);
  for (const [name, value] of Object.entries({ connection_id: connectionId, ...outcome }))
    url.searchParams.set(name, value);
  return url.href;
}
