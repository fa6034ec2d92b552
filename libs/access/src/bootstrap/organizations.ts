import { Injectable, Logger } from '@nestjs/common';
import { Clock, Ids, Refusal, idPart, rfc3339, uuidFrom } from '@aos/kernel';
import { Decisions, apiKeyId, isApiKeyForm, newApiKey, serviceActor, type Actor } from '@aos/platform';
import { KeysWriter } from '../keys/keys-writer.js';
import { nameDecider } from '../name.decider.js';
import { claimedBy } from '../names/names.decide.js';
import { organizationDecider } from '../organization.decider.js';
import { organizationNameCharactersMax } from '../organization/organization.limits.js';
import { organizationKind } from '../organization/organization.state.js';
import { systemPrincipalId } from '../principal/principal.ids.js';
import type { NewOrganization } from './organizations.decide.js';
import { FirstOrganization, firstOrganizationClaim, firstOrganizationName } from './first-organization.js';

/** Settings `SVC_BOOTSTRAP_ORG` and `SVC_BOOTSTRAP_OWNER_KEY`. */
export interface FirstOrganizationSettings {
  name?: string | null;
  ownerKey?: string | null;
}

export interface MadeOrganization {
  orgId: string;
  /** The secret of the Owner key; it is shown only here. */
  ownerKey: string;
}

const saltBytes = 32;
const consoleKeyMs = 12 * 60 * 60_000;

/** Creates organizations. Only an operator does so (rule A5). */
@Injectable()
export class Organizations {
  private readonly logger = new Logger('access');

  constructor(
    private readonly decisions: Decisions,
    private readonly keys: KeysWriter,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly beginning: FirstOrganization,
  ) {}

  /** A new organization with an Owner key that has no principal. Refuses invalid_argument for a bad name. */
  async create(name: string): Promise<MadeOrganization> {
    const orgId = this.newOrgId();
    const actor = operatorActor(orgId, 'svc.org.create');
    await this.append(
      actor,
      { org_id: orgId, name: checkedName(name), salt: this.newSalt(), created_at: this.now() },
      this.ids.uuid(),
    );
    const ownerKey = newApiKey();
    await this.issueOwnerKey(actor, ownerKey);
    return { orgId, ownerKey };
  }

  /**
   * Creates the first organization and its Owner key, at first start.
   *
   * Takes    the settings, a function that shows a key made here; it is called at least once for that key, before that
   *          is recorded; and one that is called with the organization where this start is its first.
   * Gives    the organization's id. Repeats, racing processes and a crash at any point end at one organization. Once
   *          its key was shown or taken from the settings, no event is written any more, so a key revoked later stays
   *          revoked.
   */
  async ensureFirst(
    settings: FirstOrganizationSettings,
    show: (made: MadeOrganization) => void,
    isFirst: (orgId: string) => void = () => undefined,
  ): Promise<string> {
    const orgId = await this.claimFirst(settings.name ?? 'First organization');
    const { state } = await this.decisions.load(organizationKind, idPart(orgId));
    if (state.firstKeyShown) return orgId;
    const actor = operatorActor(orgId, 'svc.bootstrap');
    if (settings.ownerKey) {
      if (!isApiKeyForm(settings.ownerKey))
        throw new Refusal(
          'invalid_argument',
          { argument: 'SVC_BOOTSTRAP_OWNER_KEY' },
          'SVC_BOOTSTRAP_OWNER_KEY: 32 to 200 printable characters without blanks',
        );
      await this.recordShown(actor, await this.issueOwnerKey(actor, settings.ownerKey));
      isFirst(orgId);
      return orgId;
    }
    const ownerKey = newApiKey();
    // After a crash before the key is shown, its secret is lost: the next start makes another key.
    const keyId = await this.issueOwnerKey(actor, ownerKey);
    show({ orgId, ownerKey });
    await this.recordShown(actor, keyId);
    isFirst(orgId);
    return orgId;
  }

  /** A key of the organization for its console, with the role Admin, for 12 hours (rule CO4). */
  async issueConsoleKey(orgId: string): Promise<{ key: string; expires_at: string }> {
    const key = newApiKey();
    const expiresAt = rfc3339(this.clock.now() + consoleKeyMs);
    await this.keys.issue(operatorActor(orgId, 'svc.bootstrap'), {
      secret: key,
      name: `Console ${apiKeyId(key).slice(-8)}`,
      principalId: systemPrincipalId(orgId),
      orgRole: 'Admin',
      expiresAt,
      createdAt: this.now(),
    });
    return { key, expires_at: expiresAt };
  }

  /** The organization of the first start; null when there was none yet. */
  first(): Promise<string | null> {
    return this.beginning.id();
  }

  private async claimFirst(name: string): Promise<string> {
    const orgId = this.newOrgId();
    const definition = { org_id: orgId, name: checkedName(name), salt: this.newSalt(), created_at: this.now() };
    const actor = operatorActor(orgId, 'svc.bootstrap');
    const streamId = firstOrganizationClaim;
    const { state } = await this.decisions.decide(nameDecider.claimOnce, streamId, actor, {
      org_id: orgId,
      resource_type: 'organization',
      name: firstOrganizationName,
      resource_id: orgId,
      definition,
      claimed_by: claimedBy(actor),
    });
    const claimed = state.holder;
    if (!claimed) throw new Error('the first organization was not claimed');
    const data = claimed.definition as typeof definition;
    await this.append(
      operatorActor(data.org_id, 'svc.bootstrap'),
      data,
      uuidFrom('claimed', streamId, String(claimed.claimRevision)),
    );
    if (data.org_id === orgId) this.logger.log(`first organization ${orgId}`);
    return data.org_id;
  }

  private async append(actor: Actor, created: NewOrganization, eventId: string): Promise<void> {
    await this.decisions.decide(organizationDecider.createOrganization, idPart(created.org_id), actor, created, {
      eventId: () => eventId,
    });
  }

  /** The name follows from the key, so a repeat finds its own claim and never another key's. */
  private async issueOwnerKey(actor: Actor, secret: string): Promise<string> {
    const name = `Owner ${apiKeyId(secret).slice(-8)}`;
    const { id } = await this.keys.issue(actor, {
      secret,
      name,
      principalId: systemPrincipalId(actor.orgId),
      orgRole: 'Owner',
      createdAt: this.now(),
    });
    return id;
  }

  private async recordShown(actor: Actor, keyId: string): Promise<void> {
    await this.decisions.decide(organizationDecider.recordFirstKey, idPart(actor.orgId), actor, { keyId });
  }

  private newOrgId(): string {
    return `org_${this.ids.ulid().toLowerCase()}`;
  }

  private newSalt(): string {
    return Buffer.from(this.ids.randomBytes(saltBytes)).toString('hex');
  }

  private now(): string {
    return rfc3339(this.clock.now());
  }
}

function operatorActor(orgId: string, request: string): Actor {
  return serviceActor(orgId, systemPrincipalId(orgId), request);
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  if (trimmed.length < 1 || trimmed.length > organizationNameCharactersMax) {
    throw new Refusal(
      'invalid_argument',
      { argument: 'name' },
      `name: 1 to ${organizationNameCharactersMax} characters`,
    );
  }
  return trimmed;
}
