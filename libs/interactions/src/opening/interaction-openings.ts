import { Injectable } from '@nestjs/common';
import {
  Clock,
  Egress,
  Ids,
  hash32,
  invalidArgument,
  isSoftware,
  notFound,
  rfc3339,
  type Identity,
  type JsonObject,
  type PrincipalKind,
  listAt,
} from '@aos/kernel';
import { Decisions, Sealer, actorOf } from '@aos/platform';
import { PrincipalReader } from '@aos/access/published';
import { SessionDirectory, TurnReader, parseSessionPart, sessionKind } from '@aos/sessions/published';
import { newSigningSecret, secretSeal } from '../callbacks/callback-signing.js';
import type { Consumer, Opening } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { interactionKind } from '../interaction/interaction.state.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import {
  openInteraction,
  planInteraction,
  type AskedConsumer,
  type AskedInteraction,
  type PlannedInteraction,
} from './opening.decide.js';

const answering: readonly PrincipalKind[] = ['human', 'agent'];

export interface OpenOptions {
  /** Of the tool call that opens it: the same one opens it once. */
  deliveryId: string | null;
  /** The asking agent runs in the session of its own turn: whether the session is in its reach is not asked. */
  ownTurn: boolean;
}

interface Asked {
  consumer: Consumer;
  agentId: string | null;
  visibility: Opening['visibility'];
  /** Shown once. */
  madeSecret: string | null;
}

/** Opens interactions: looks up whom and what a body names, then decides. */
@Injectable()
export class InteractionOpenings {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: InteractionDirectory,
    private readonly principals: PrincipalReader,
    private readonly sessions: SessionDirectory,
    private readonly turns: TurnReader,
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Gives    the record; with the signing secret when one was made here.
   * Refuses  what `planInteraction` does; not_found for a principal, session or turn out of reach; invalid_argument for
   *          a callback address that may not be called or a target that cannot answer.
   */
  async open(who: Identity, body: AskedInteraction, { deliveryId, ownTurn }: OpenOptions): Promise<JsonObject> {
    const id = deliveryId === null ? `iact_${this.ids.ulid()}` : `iact_${hash32(`${who.orgId}\n${deliveryId}`)}`;
    const known = deliveryId === null ? null : await this.directory.find(who.orgId, id);
    if (known) return interactionWire(known, who);
    const plan = planInteraction(body, who.principalId, this.clock.now());
    await this.requirePrincipals(
      who.orgId,
      body.target_user_ids,
      plan.reviewers.filter((reviewer) => reviewer !== who.principalId),
    );
    const asked = await this.consumer(who, id, plan.consumer, ownTurn);
    const opening = this.opening(who, id, body, plan, asked, deliveryId);
    const { state } = await this.decisions.run(interactionKind, id, actorOf(who), (past) =>
      openInteraction(opening, past),
    );
    return interactionWire(await this.directory.whole(state), who, asked.madeSecret);
  }

  private opening(
    who: Identity,
    id: string,
    body: AskedInteraction,
    plan: PlannedInteraction,
    asked: Asked,
    deliveryId: string | null,
  ): Opening {
    return {
      id,
      org_id: who.orgId,
      kind: body.kind,
      title: body.title,
      description: body.description ?? null,
      target_user_ids: body.target_user_ids,
      reviewer_user_ids: plan.reviewers,
      resolution_policy: plan.policy,
      questions: plan.questions,
      consumer: asked.consumer,
      owner: isSoftware(who.kind) ? { kind: 'team', id: null } : { kind: 'person', id: who.principalId },
      visibility: asked.visibility,
      agent_id: asked.agentId,
      delivery: body.delivery ?? null,
      subject: body.subject ?? null,
      references: body.references ?? [],
      context: body.context ?? null,
      tags: body.tags ?? {},
      properties: body.properties ?? null,
      expires_at: body.expires_at === undefined ? null : rfc3339(Date.parse(body.expires_at)),
      created_by: who.principalId,
      created_at: rfc3339(this.clock.now()),
      delivery_id: deliveryId,
    };
  }

  /** Targets are live people or agents (rule I27); reviewers are live principals. */
  private async requirePrincipals(
    orgId: string,
    targets: readonly string[],
    reviewers: readonly string[],
  ): Promise<void> {
    const kinds = await Promise.all([...targets, ...reviewers].map((id) => this.principals.kindOf(orgId, id)));
    if (kinds.some((kind) => kind === null)) throw notFound('principal');
    if (kinds.slice(0, targets.length).some((kind) => kind !== null && !answering.includes(kind))) {
      throw invalidArgument('target_user_ids', 'a target is a person or an agent');
    }
  }

  private async consumer(who: Identity, id: string, asked: AskedConsumer, ownTurn: boolean): Promise<Asked> {
    if (asked.agent_tool) return this.askingTurn(who, asked.agent_tool, ownTurn);
    if (!asked.http_subscriber)
      return { consumer: { kind: 'none' }, agentId: null, visibility: 'private', madeSecret: null };
    const { callback_url, signing_secret: given } = asked.http_subscriber;
    const refused = this.egress.refusal(callback_url);
    if (refused !== null) throw invalidArgument('consumer.http_subscriber.callback_url', refused);
    const madeSecret = given === undefined ? newSigningSecret(this.ids.randomBytes(32)) : null;
    const sealed_secret = this.sealer.seal(given ?? madeSecret ?? '', secretSeal(who.orgId, id));
    return {
      consumer: { kind: 'http_subscriber', http_subscriber: { callback_url, sealed_secret, secret_version: 1 } },
      agentId: null,
      visibility: 'private',
      madeSecret,
    };
  }

  /** Rule I4: the caller may use the session, and the turn is one of it. */
  private async askingTurn(
    who: Identity,
    { invocation_id, tool_call_id, session_id }: NonNullable<AskedConsumer['agent_tool']>,
    ownTurn: boolean,
  ): Promise<Asked> {
    const turn = parseSessionPart(invocation_id, 'turn');
    if (!turn || (session_id !== undefined && session_id !== turn.sessionId)) throw notFound('turn');
    if (!ownTurn) await this.sessions.visible(who, turn.sessionId, this.clock.now());
    const { state } = await this.decisions.load(sessionKind, turn.sessionId);
    const { opening } = state;
    if (
      opening?.org_id !== who.orgId ||
      state.status === 'deleted' ||
      listAt(state.queuedAt, turn.ordinal) === undefined
    )
      throw notFound('turn');
    const { agent_id: agentId, visibility } = opening;
    const { input } = await this.turns.admitted(turn.sessionId, state, turn.ordinal);
    return {
      consumer: {
        kind: 'agent_tool',
        agent_tool: { invocation_id, tool_call_id, session_id: turn.sessionId },
        principal: { id: input.principal_id, kind: input.principal_kind as PrincipalKind },
      },
      agentId,
      visibility,
      madeSecret: null,
    };
  }
}
