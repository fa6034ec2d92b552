import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  Clock,
  Ids,
  badRequest,
  derivedId,
  idPart,
  invalidArgument,
  rfc3339,
  type Identity,
  type JsonObject,
} from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { OrganizationSalts } from '@aos/access/published';
import type { CatalogAction } from '@aos/definitions/published';
import { invocationDecider } from '../invocation.decider.js';
import type { InvocationOpening, InvokingCaller } from '../invocation/invocation.events.js';
import { idempotencyKeyMax, waitSecondsDefault, waitSecondsMax } from '../invocation/invocation.limits.js';
import { invocationKind } from '../invocation/invocation.state.js';
import { shownParameters } from '../invocation/shown.decide.js';
import { CallableActions } from './callable-actions.js';
import { InvocationAnswers, type InvocationAnswer } from './invocation-answers.js';
import { InvokeAction } from './invoking.commands.js';
import { InvocationRuns, type RecordedInvocation } from './invocation-runs.js';
import { requestDigest, requireSameRequest } from './invoking.decide.js';

/**
 * Begins a direct invocation and waits a while for its end (rules A24, G18, L7, R21, R22, R23, R24).
 *
 * A key belongs to its principal: a repeat with the same request is answered with the invocation it began, also when
 * the action was changed or deleted since.
 */
@CommandHandler(InvokeAction)
export class InvokeActionHandler implements ICommandHandler<InvokeAction> {
  constructor(
    private readonly decisions: Decisions,
    private readonly actions: CallableActions,
    private readonly salts: OrganizationSalts,
    private readonly runs: InvocationRuns,
    private readonly answers: InvocationAnswers,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  async execute({ who, input: { action_name: actionName, body, key } }: InvokeAction): Promise<InvocationAnswer> {
    const { input = {}, timeout_seconds: seconds = waitSecondsDefault, dry_run: dryRun = false } = body;
    if (key !== null && key.length > idempotencyKeyMax)
      throw badRequest([{ path: 'header.Idempotency-Key', message: `at most ${idempotencyKeyMax} characters` }]);
    // what comes before the wait counts too
    const deadline = this.clock.monotonic() + Math.min(seconds, waitSecondsMax) * 1000;
    const id =
      key === null || dryRun
        ? `inv_${this.ids.ulid().toLowerCase()}`
        : derivedId('inv', await this.salts.of(who.orgId), [who.principalId, key]);
    const digest = requestDigest(actionName, input);
    if (key !== null && !dryRun && (await this.isRepeat(who, actionName, id, digest)))
      return this.answers.of(id, deadline);
    const action = await this.actions.callable(who, actionName);
    await this.actions.requireFit(who, action, input);
    if (dryRun && action.annotations.read_only !== true)
      throw invalidArgument('dry_run', 'only read-only actions can be tried');
    await this.actions.requireReady(who.orgId, action);
    if (dryRun) return { isOver: true, body: { status: 'completed' } };
    await this.start(who, action, id, input, digest);
    return this.answers.of(id, deadline);
  }

  private async isRepeat(who: Identity, actionName: string, id: string, digest: string): Promise<boolean> {
    const { state } = await this.decisions.load(invocationKind, idPart(id));
    if (!state.opening) return false;
    await this.actions.requireExecution(who, actionName);
    requireSameRequest(digest, state);
    return true;
  }

  private async start(
    who: Identity,
    action: CatalogAction,
    id: string,
    input: JsonObject,
    digest: string,
  ): Promise<void> {
    const part = idPart(id);
    const opening: InvocationOpening = {
      id,
      org_id: who.orgId,
      job_id: `job_${part}`,
      delivery_id: `dlv_${part}`,
      source: 'direct_action_invoke',
      action: {
        id: action.id ?? null,
        name: action.name,
        definition_scope: action.definition_scope,
        endpoint_kind: action.endpoint_kind,
        invocation_format: action.source === 'custom' ? (action.invocation_format ?? null) : null,
      },
      actor: { principal_id: who.principalId, kind: who.kind },
      call: null,
      correlation_id: who.requestId,
      parameters: shownParameters(input),
      started_at: rfc3339(this.clock.now()),
    };
    const caller: InvokingCaller = {
      api_key_id: who.apiKeyId,
      permissions: [...who.permissions],
      roles: [...who.roles],
      cap: who.cap,
      ip: who.ip,
    };
    await this.runs.begin(who.orgId, id, async (): Promise<RecordedInvocation | null> => {
      const command = { opening, caller, input, digest };
      const { events } = await this.decisions.decide(invocationDecider.startInvocation, part, actorOf(who), command);
      return events.length > 0 ? { opening, caller, input } : null;
    });
  }
}
