import { Injectable } from '@nestjs/common';
import { GenerationalCache, idPart, looksLikeId, notFound } from '@aos/kernel';
import { Decisions } from '@aos/platform';
import { organizationKind } from './organization.state.js';

const keptMax = 10_000;

interface Origin {
  salt: string;
  createdAt: string;
}

/**
 * The random salt of each organization, from its stream's first event; derived ids are made with it. It never changes,
 * so it is cached.
 */
@Injectable()
export class OrganizationSalts {
  private readonly kept = new GenerationalCache<Origin>(keptMax);

  constructor(private readonly decisions: Decisions) {}

  /**
   * Refuses  not_found for an organization that was never created; throws `StoreUnavailable` when the log cannot
   *          answer.
   */
  async of(orgId: string): Promise<string> {
    return (await this.origin(orgId)).salt;
  }

  async origin(orgId: string): Promise<Origin> {
    const known = this.kept.get(orgId);
    if (known) return known;
    if (!looksLikeId('org', orgId)) throw notFound('organization');
    const { organization } = (await this.decisions.load(organizationKind, idPart(orgId))).state;
    if (!organization) throw notFound('organization');
    const origin = { salt: organization.salt, createdAt: organization.created_at };
    this.kept.set(orgId, origin);
    return origin;
  }
}
