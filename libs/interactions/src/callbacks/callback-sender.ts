import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, Egress, EgressFailure, Ids, StoreUnavailable, messageOf } from '@aos/kernel';
import { Decisions, SealBroken, Sealer, Settings, serviceActor, signedHeaders, type Actor } from '@aos/platform';
import { interactionDecider } from '../interaction.decider.js';
import { callbackResponseBytesMax, callbackTimeoutMs } from '../interaction/interaction.limits.js';
import type { InteractionState } from '../interaction/interaction.state.js';
import { InteractionDirectory, type WholeInteraction } from '../reading/interaction-directory.js';
import { callbackBody, resolvedEventType } from './callback-body.wire.js';
import { secretSeal } from './callback-signing.js';

/**
 * Tries under way at once: each costs one socket for at most the time-out, so that receivers that hang do not delay
 * other callbacks.
 */
const underWayMax = 2048;
/** After this time an attempt counts as lost with its process. */
const givenUpAfterMs = 3 * callbackTimeoutMs;

interface TryEnd {
  statusCode: number | null;
  error: string | null;
}

/**
 * Delivers outcomes to subscribers: at least once, under one delivery id.
 *
 * A try is begun in the stream before its first byte leaves, which also moves its timer on: a process that falls in
 * between loses nothing, and no second process sends the same try.
 */
@Injectable()
export class CallbackSender implements OnApplicationShutdown {
  private readonly log = new Logger('callbacks');
  private readonly underWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly decisions: Decisions,
    private readonly directory: InteractionDirectory,
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    private readonly ids: Ids,
    @Inject(Settings) private readonly settings: Settings,
  ) {}

  /** Begins the try that is due; resolves when it is recorded as begun, not when it ended. */
  async begin(orgId: string, interactionId: string): Promise<void> {
    if (this.stopping.signal.aborted || this.underWay.size >= underWayMax) return;
    const actor = serviceActor(orgId, 'timer', `callback-${interactionId}`);
    const command = { nowMs: this.clock.now(), givenUpAfterMs };
    const { events, state } = await this.decisions.decide(
      interactionDecider.startAttempt,
      interactionId,
      actor,
      command,
    );
    if (!events.some(({ type }) => type === 'CallbackAttemptStarted')) return;
    const attempt = this.attempt(actor, state).catch((error: unknown) => {
      this.log.warn(`${interactionId}: ${messageOf(error)}`);
    });
    this.underWay.add(attempt);
    void attempt.then(() => {
      this.underWay.delete(attempt);
    });
  }

  /** Resolves when no try is under way. */
  async idle(): Promise<void> {
    while (this.underWay.size > 0) await Promise.all(this.underWay);
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.idle();
  }

  private async attempt(actor: Actor, begun: InteractionState): Promise<void> {
    const state = await this.directory.whole(begun);
    const attempt = state.callback?.attempts ?? 0;
    const { statusCode, error } = await this.send(state);
    if (error === 'aborted') return; // the process stops: the next one tries again
    const [random = 0] = this.ids.randomBytes(1);
    const end = { attempt, nowMs: this.clock.now(), random: random / 255, statusCode, error };
    await this.decisions.decide(interactionDecider.endAttempt, state.opening.id, actor, end);
  }

  private async send({ opening, callback, ...rest }: WholeInteraction): Promise<TryEnd> {
    if (opening.consumer.kind !== 'http_subscriber' || !callback) throw new Error(`${opening.id}: no subscriber`);
    const {
      callback_url: url,
      sealed_secret: sealed,
      secret_version: secretVersion,
    } = opening.consumer.http_subscriber;
    const body = Buffer.from(JSON.stringify(callbackBody({ opening, callback, ...rest })), 'utf8');
    try {
      const secret = this.sealer.open(sealed, secretSeal(opening.org_id, opening.id));
      const headers = signedHeaders({
        token: this.settings.wireToken,
        secret,
        secretVersion,
        deliveryId: callback.delivery_id,
        eventType: resolvedEventType,
        timestamp: Math.floor(this.clock.now() / 1000),
        body,
      });
      const { status } = await this.egress.send({
        url,
        orgId: opening.org_id,
        method: 'POST',
        headers,
        body,
        timeoutMs: callbackTimeoutMs,
        responseBytesMax: callbackResponseBytesMax,
        signal: this.stopping.signal,
      });
      return { statusCode: status, error: status >= 200 && status < 300 ? null : 'http_status' };
    } catch (error) {
      if (error instanceof EgressFailure) return { statusCode: null, error: error.reason };
      if (error instanceof SealBroken) return { statusCode: null, error: 'secret_unreadable' };
      if (error instanceof StoreUnavailable) return { statusCode: null, error: 'aborted' };
      throw error;
    }
  }
}
