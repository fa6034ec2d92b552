import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock, Refusal, StoreUnavailable, rfc3339, type Identity, type JsonObject } from '@aos/kernel';
import { Decisions, DueTimers, actorOf, serviceActor, type Actor } from '@aos/platform';
import { ActivePrincipals, organizationIdentity } from '@aos/access/published';
import { AgentDirectory } from '@aos/definitions/published';
import { ChannelTurns, type Block } from '@aos/sessions/published';
import { BindingDirectory } from '../binding/binding-directory.js';
import type { BindingRecord } from '../binding/binding.events.js';
import { exchangeDecider } from '../exchange.decider.js';
import type { ExchangeRecord } from '../exchange/exchange.events.js';
import { exchangeKind, type ExchangeState } from '../exchange/exchange.state.js';
import { exchangeStartHandler } from '../exchange/timers.projection.js';
import { whyIgnored, type Heard } from './admission.decide.js';

export interface TakenMessage {
  state: ExchangeState;
  /** The turn that answers; null: none, or not yet. */
  turnId: string | null;
  deduped: boolean;
}

/** Takes messages up and has their turns started; every step may be repeated. */
@Injectable()
export class ExchangeIntake implements OnModuleInit {
  private readonly log = new Logger('channels');

  constructor(
    private readonly decisions: Decisions,
    private readonly bindings: BindingDirectory,
    private readonly agents: AgentDirectory,
    private readonly principals: ActivePrincipals,
    private readonly turns: ChannelTurns,
    private readonly timers: DueTimers,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.timers.register(exchangeStartHandler, async (details) => {
      await this.start(String(details.org_id), String(details.exchange_id));
    });
  }

  /**
   * Records a message and begins its turn, unless its binding says that it has none.
   *
   * Takes    `whyElse`: what else says so; asked last, and not for a message that is known.
   */
  async take(
    who: Identity | Actor,
    exchange: ExchangeRecord,
    binding: BindingRecord | null,
    heard: Heard,
    whyElse?: () => Promise<string | null>,
  ): Promise<TakenMessage> {
    const actor = 'permissions' in who ? actorOf(who) : who;
    const ignored =
      whyIgnored(binding, heard, await this.isAgentThere(exchange)) ??
      (whyElse && !(await this.isKnown(exchange)) ? await whyElse() : null);
    const { events, state } = await this.decisions.decide(exchangeDecider.arrive, exchange.id, actor, {
      exchange,
      ignored,
    });
    const deduped = events.length === 0;
    if (state.status !== 'arrived') return { state, turnId: state.turnId, deduped };
    const started = await this.start(exchange.org_id, exchange.id);
    return { state: started, turnId: started.turnId, deduped };
  }

  /** Queues the turn of an exchange that waits for it; any other exchange is left as it is. */
  async start(orgId: string, id: string): Promise<ExchangeState> {
    const { state } = await this.decisions.load(exchangeKind, id);
    const { exchange, status } = state;
    if (exchange?.org_id !== orgId || status !== 'arrived') return state;
    if (exchange.agent_id === null) return this.abandon(exchange, 'agent_unavailable');
    try {
      const { sessionId, turnId } = await this.turns.start(
        organizationIdentity(orgId, id),
        await this.turnOf(exchange, exchange.agent_id),
      );
      return await this.admitted(exchange, sessionId, turnId);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (error.code !== 'not_found') return this.abandon(exchange, error.code);
      if (await this.isAgentThere(exchange))
        throw new StoreUnavailable(`${id}: its session went away meanwhile`, { cause: error });
      return this.abandon(exchange, 'agent_unavailable');
    }
  }

  /** Records the turn of an exchange; the first process that meets it does. */
  async admitted(exchange: ExchangeRecord, sessionId: string, turnId: string): Promise<ExchangeState> {
    const command = { session_id: sessionId, turn_id: turnId, at: rfc3339(this.clock.now()) };
    return (await this.decisions.decide(exchangeDecider.admit, exchange.id, actingFor(exchange), command)).state;
  }

  async abandon(exchange: ExchangeRecord, reason: string): Promise<ExchangeState> {
    this.log.log(`${exchange.id} of ${exchange.integration_id}: ${reason}`);
    const command = { reason, at: rfc3339(this.clock.now()) };
    return (await this.decisions.decide(exchangeDecider.abandon, exchange.id, actingFor(exchange), command)).state;
  }

  private async isKnown({ id }: ExchangeRecord): Promise<boolean> {
    const { revision } = await this.decisions.load(exchangeKind, id);
    if (revision < 0) this.decisions.forget(exchangeKind, id);
    return revision >= 0;
  }

  private async isAgentThere({ org_id: orgId, agent_id: agentId, id }: ExchangeRecord): Promise<boolean> {
    if (agentId === null) return false;
    const agent = await this.agents.agent(orgId, agentId);
    if (!agent || agent.deleted || agent.wire.status !== 'active') return false;
    return (
      this.agents.canSee(agent, organizationIdentity(orgId, id)) &&
      (await this.principals.isEnabledAgent(orgId, agentId))
    );
  }

  private async turnOf(exchange: ExchangeRecord, agentId: string) {
    const { provider, integration_id, channel, sender, text, message_id } = exchange;
    const named: JsonObject = {
      provider,
      integration_id,
      channel_id: channel.id,
      ...(channel.thread_id !== undefined && { thread_id: channel.thread_id }),
    };
    const binding = await this.bindings.of(exchange.org_id, { provider, integration_id, agent_id: agentId });
    const content: Block[] = [{ type: 'text', text }];
    const { model_route: model, compaction_policy: policy } = binding ?? {};
    return {
      exchangeId: exchange.id,
      agentId,
      route: [provider, integration_id, channel.id, channel.thread_id ?? ''],
      content,
      metadata: { ...named, message_id, sender: { ...sender } },
      session: {
        title: '',
        metadata: named,
        ...(policy && { compaction_policy: policy }),
        ...(model?.model !== undefined && { model_override: model.model }),
      },
    };
  }
}

/** The service acts for an exchange as the organization itself. */
export function actingFor({ org_id: orgId, id }: ExchangeRecord): Actor {
  const { principalId, kind } = organizationIdentity(orgId, id);
  return serviceActor(orgId, principalId, id, kind);
}
