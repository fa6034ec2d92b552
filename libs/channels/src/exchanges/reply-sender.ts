import { Inject, Injectable, Logger, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock, Ids, OrganizationSlots, StoreUnavailable, messageOf } from '@aos/kernel';
import { Decisions, DueTimers, failpoint } from '@aos/platform';
import { ChannelTurns } from '@aos/sessions/published';
import { exchangeDecider } from '../exchange.decider.js';
import { mailTimeoutMs, replyTimeoutMs } from '../exchange/exchange.limits.js';
import type { ExchangeRecord } from '../exchange/exchange.events.js';
import type { ExchangeState } from '../exchange/exchange.state.js';
import { exchangeReplyHandler } from '../exchange/timers.projection.js';
import { ExchangeIntake, actingFor } from './exchange-intake.js';
import { ReplyCarriers, type ReplyTry } from './reply-carriers.js';

/** Tries under way at once in a process: each costs one socket for at most its time-out. */
const underWayMax = 256;
/** Of those by one connection, and of one organization: an endpoint that hangs leaves room to the others. */
const underWayOfConnectionMax = 64;
const underWayOfOrganizationMax = 128;
/** After so many time-outs a try counts as lost with its process. */
const timeoutsUntilLost = 3;

/**
 * Sends answers back to their channels: at least once, under one id.
 *
 * A try is begun in the stream before its first byte leaves, which also moves its timer on: a process that falls in
 * between loses nothing, and no second process sends the same try.
 */
@Injectable()
export class ReplySender implements OnModuleInit, OnApplicationShutdown {
  private readonly log = new Logger('channels');
  private readonly underWay = new Set<Promise<void>>();
  private readonly organizations = new OrganizationSlots({ all: Infinity, perOrganization: underWayOfOrganizationMax });
  /** Counted as organizations are. */
  private readonly connections = new OrganizationSlots({ all: Infinity, perOrganization: underWayOfConnectionMax });
  private readonly stopping = new AbortController();

  constructor(
    private readonly decisions: Decisions,
    private readonly intake: ExchangeIntake,
    private readonly turns: ChannelTurns,
    private readonly carriers: ReplyCarriers,
    private readonly timers: DueTimers,
    @Inject(Clock) private readonly clock: Clock,
    private readonly ids: Ids,
  ) {}

  onModuleInit(): void {
    this.timers.register(exchangeReplyHandler, async (details) => {
      if (this.underWay.size < underWayMax)
        await this.begin(String(details.org_id), String(details.exchange_id), false);
    });
  }

  /**
   * Begins the first try once there is room for it; resolves when it is recorded as begun. One whose connection or
   * organization has as many under way as it may is put off: those of others, which come after it, do not wait.
   */
  async first(orgId: string, exchangeId: string): Promise<void> {
    while (this.underWay.size >= underWayMax) await Promise.race(this.underWay);
    if (this.stopping.signal.aborted) throw new StoreUnavailable('the process stops');
    await this.begin(orgId, exchangeId, true);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  private async begin(orgId: string, exchangeId: string, first: boolean): Promise<void> {
    if (this.stopping.signal.aborted) return;
    const { state: known } = await this.decisions.load(exchangeDecider.startReply.kind, exchangeId);
    if (known.exchange?.org_id !== orgId) return;
    const hasRoom = this.hasRoom(known.exchange);
    if (!first && !hasRoom) return; // its timer stays due
    const timeoutMs = known.exchange.provider === 'email' ? mailTimeoutMs : replyTimeoutMs;
    const command = { first, nowMs: this.clock.now(), givenUpAfterMs: timeoutsUntilLost * timeoutMs };
    const actor = actingFor(known.exchange);
    const { events, state } = await this.decisions.decide(exchangeDecider.startReply, exchangeId, actor, command);
    if (!events.some(({ type }) => type === 'ReplyBegun')) return;
    if (hasRoom) this.follow(known.exchange, this.attempt(state));
    else await this.ended(known.exchange, state.attempts, { statusCode: null, error: 'busy' });
  }

  private hasRoom({ org_id: orgId, integration_id: connectionId }: ExchangeRecord): boolean {
    return this.organizations.hasRoom(orgId) && this.connections.hasRoom(connectionId);
  }

  private follow({ id, org_id: orgId, integration_id: connectionId }: ExchangeRecord, sending: Promise<void>): void {
    this.organizations.take(orgId);
    this.connections.take(connectionId);
    const attempt = sending.catch((error: unknown) => {
      this.log.warn(`${id}: ${messageOf(error)}`);
    });
    this.underWay.add(attempt);
    void attempt.then(() => {
      this.underWay.delete(attempt);
      this.organizations.free(orgId);
      this.connections.free(connectionId);
    });
  }

  private async attempt({ exchange, turnId, attempts: attempt }: ExchangeState): Promise<void> {
    if (!exchange || turnId === null) throw new Error('a reply without its turn');
    const answer = await this.turns.answer(exchange.org_id, turnId);
    if (!answer || answer.text === '') {
      await this.intake.abandon(exchange, answer ? 'no_text' : 'session_gone');
      return;
    }
    failpoint('before-reply');
    const end = await this.carriers.send(exchange, answer.text, this.stopping.signal);
    failpoint('after-reply');
    if (end.error === 'aborted') return; // the process stops: the next one tries again
    await this.ended(exchange, attempt, end);
  }

  private async ended(exchange: ExchangeRecord, attempt: number, end: ReplyTry): Promise<void> {
    const [random = 0] = this.ids.randomBytes(1);
    const command = { attempt, nowMs: this.clock.now(), random: random / 255, ...end };
    await this.decisions.decide(exchangeDecider.endReply, exchange.id, actingFor(exchange), command);
  }
}
