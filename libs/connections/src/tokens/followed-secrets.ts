import { Injectable } from '@nestjs/common';
import { Clock, rfc3339 } from '@aos/kernel';
import { Decisions, type Actor } from '@aos/platform';
import { connectionDecider } from '../connection.decider.js';
import type { ConnectionRecord } from '../connection/connection.events.js';
import { ConnectionSecrets, type SecretFacts } from '../secret/connection-secrets.js';

/**
 * Secrets whose record tells of them. A secret is written before its record: a process that died in between leaves the
 * record behind, and the next look brings it there.
 */
@Injectable()
export class FollowedSecrets {
  constructor(
    private readonly secrets: ConnectionSecrets,
    private readonly decisions: Decisions,
    private readonly clock: Clock,
  ) {}

  /**
   * What is stored for a connection that was read before. Gives whether the record had to follow: it is read again
   * then.
   */
  async of({ id, secret_version }: ConnectionRecord, actor: Actor): Promise<{ facts: SecretFacts; moved: boolean }> {
    const facts = await this.secrets.facts(actor.orgId, id);
    if (facts.version <= secret_version) return { facts, moved: false };
    const command = { ...facts, by: actor.principalId, now: rfc3339(this.clock.now()) };
    const { events } = await this.decisions.decide(connectionDecider.followSecret, id, actor, command);
    return { facts, moved: events.length > 0 };
  }
}
