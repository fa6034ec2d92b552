import { Injectable } from '@nestjs/common';
import { Egress, Ids, invalidArgument } from '@aos/kernel';
import { Sealer } from '@aos/platform';
import { newSigningSecret, secretSeal } from '../callbacks/callback-signing.js';
import type { AskedConsumer, FoundConsumer } from './opening.decide.js';

/** Subscribers to the outcome of an interaction, and the secrets that their callbacks are signed with. */
@Injectable()
export class Subscribers {
  constructor(
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly ids: Ids,
  ) {}

  /**
   * Gives    the subscriber with its secret sealed; a secret is made where none was given.
   * Refuses  invalid_argument for an address that may not be called.
   */
  consumer(
    orgId: string,
    interactionId: string,
    { callback_url, signing_secret: given }: NonNullable<AskedConsumer['http_subscriber']>,
  ): FoundConsumer {
    const refused = this.egress.refusal(callback_url);
    if (refused !== null) throw invalidArgument('consumer.http_subscriber.callback_url', refused);
    const madeSecret = given === undefined ? newSigningSecret(this.ids.randomBytes(32)) : null;
    const sealed_secret = this.sealer.seal(given ?? madeSecret ?? '', secretSeal(orgId, interactionId));
    return {
      consumer: { kind: 'http_subscriber', http_subscriber: { callback_url, sealed_secret, secret_version: 1 } },
      agentId: null,
      visibility: 'private',
      madeSecret,
    };
  }
}
