import { Injectable } from '@nestjs/common';
import type { Schema } from '@aos/contract';
import {
  Clock,
  Ids,
  hash32,
  invalidArgument,
  isSoftware,
  notFound,
  rfc3339,
  type Identity,
  type PrincipalKind,
} from '@aos/kernel';
import { Decisions, actorOf } from '@aos/platform';
import { PrincipalReader } from '@aos/access/published';
import { interactionDecider } from '../interaction.decider.js';
import type { Opening } from '../interaction/interaction.events.js';
import { interactionWire } from '../interaction/interaction.wire.js';
import { InteractionDirectory } from '../reading/interaction-directory.js';
import { AskingTurns } from './asking-turns.js';
import {
  planInteraction,
  type AskedConsumer,
  type AskedInteraction,
  type FoundConsumer,
  type PlannedInteraction,
} from './opening.decide.js';
import { Subscribers } from './subscribers.js';

const answering: readonly PrincipalKind[] = ['human', 'agent'];

export interface OpenOptions {
  /** Of the tool call that opens it: the same one opens it once. */
  deliveryId: string | null;
  /** The asking agent runs in the session of its own turn, whose reach is not asked. */
  ownTurn: boolean;
}

/** Opens interactions: looks up whom and what a body names, then decides. */
@Injectable()
export class InteractionOpener {
  constructor(
    private readonly decisions: Decisions,
    private readonly directory: InteractionDirectory,
    private readonly principals: PrincipalReader,
    private readonly turns: AskingTurns,
    private readonly subscribers: Subscribers,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  /**
   * Gives    the record; with the signing secret when one was made here.
   * Refuses  what `planInteraction` does; not_found for a principal, session or turn out of reach; invalid_argument for
   *          a callback address that may not be called or a target that cannot answer.
   */
  async open(
    who: Identity,
    body: AskedInteraction,
    { deliveryId, ownTurn }: OpenOptions,
  ): Promise<Schema<'Interaction'>> {
    const id = deliveryId === null ? `iact_${this.ids.ulid()}` : `iact_${hash32(`${who.orgId}\n${deliveryId}`)}`;
    const known = deliveryId === null ? null : await this.directory.find(who.orgId, id);
    if (known) return interactionWire(known, who);
    const plan = planInteraction(body, who.principalId, this.clock.now());
    await this.requirePrincipals(
      who,
      body.target_user_ids,
      plan.reviewers.filter((reviewer) => reviewer !== who.principalId),
    );
    const found = await this.consumer(who, id, plan.consumer, ownTurn);
    const opening = this.opening(who, id, body, plan, found, deliveryId);
    const { state } = await this.decisions.decide(interactionDecider.openInteraction, id, actorOf(who), opening);
    return interactionWire(await this.directory.whole(state), who, found.madeSecret);
  }

  private opening(
    who: Identity,
    id: string,
    body: AskedInteraction,
    plan: PlannedInteraction,
    found: FoundConsumer,
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
      consumer: found.consumer,
      owner: isSoftware(who.kind) ? { kind: 'team', id: null } : { kind: 'person', id: who.principalId },
      visibility: found.visibility,
      agent_id: found.agentId,
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

  /** Targets are live people or agents that the caller sees (rules I27, G13); reviewers are live principals. */
  private async requirePrincipals(
    who: Identity,
    targets: readonly string[],
    reviewers: readonly string[],
  ): Promise<void> {
    const found = await Promise.all([...targets, ...reviewers].map((id) => this.principals.findFor(who, id)));
    if (found.some((one) => one === null)) throw notFound('principal');
    if (found.slice(0, targets.length).some((one) => one !== null && !answering.includes(one.principal.kind))) {
      throw invalidArgument('target_user_ids', 'a target is a person or an agent');
    }
  }

  private async consumer(who: Identity, id: string, asked: AskedConsumer, ownTurn: boolean): Promise<FoundConsumer> {
    if (asked.agent_tool) return this.turns.consumer(who, asked.agent_tool, ownTurn);
    if (asked.http_subscriber) return this.subscribers.consumer(who.orgId, id, asked.http_subscriber);
    return { consumer: { kind: 'none' }, agentId: null, visibility: 'private', madeSecret: null };
  }
}
