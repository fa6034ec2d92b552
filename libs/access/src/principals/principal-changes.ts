import { Injectable } from '@nestjs/common';
import { ReadStore, Refusal, StoreUnavailable, fold, idPart } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import { assignmentsCollection } from '../principal/assignments.projection.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { enterOwners, leaveOwners } from '../organization/owners.decide.js';
import { organizationKind } from '../organization/organization.state.js';
import type { PrincipalEvent } from '../principal/principal.events.js';
import { isActiveOwner, principalKind, type PrincipalState } from '../principal/principal.state.js';
import { RoleReader } from '../role/role-reader.js';

const attemptsMax = 16;
const repairedMax = 200;

/** The principal's revision grew between the leaving and the change that rests on it. */
class MovedOn extends Error {}

export interface PrincipalAfter {
  state: PrincipalState;
  revision: number;
  events: readonly PrincipalEvent[];
}

/**
 * Changes principals, and keeps the organization's set of Owners in step with them.
 *
 * Promises, also across faults and concurrent writers: the set counts only active Owners, and an organization that has
 * had an Owner in the set keeps one. A principal leaves the set before it changes and enters it after. A leaving names
 * the principal's revision and the change is written at exactly that revision, or the leaving is made again.
 */
@Injectable()
export class PrincipalChanges {
  constructor(
    private readonly decisions: AccessDecisions,
    private readonly roleReader: RoleReader,
    private readonly readStore: ReadStore,
  ) {}

  /**
   * Takes    who acts, the principal, and a pure decision on its state.
   * Gives    the state after, and what was written.
   * Refuses  what `decide` refuses; last_owner when the organization's last Owner would be gone.
   */
  async change(
    actor: Actor,
    principalId: string,
    decide: (state: PrincipalState) => PrincipalEvent[],
  ): Promise<PrincipalAfter> {
    const ownerRoleId = await this.roleReader.systemRoleId(actor.orgId, 'Owner');
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const { state, revision } = await this.decisions.load(principalKind, principalId);
      const events = await this.decided(actor, principalId, decide, state);
      if (events.length === 0) return { state, revision, events };
      const after = fold(principalKind, events, state, revision);
      const wasOwner = isActiveOwner(state, ownerRoleId);
      const isOwner = isActiveOwner(after, ownerRoleId);
      if (wasOwner && !isOwner) await this.leave(actor, principalId, revision, ownerRoleId);
      const written = await this.writeAt(actor, principalId, revision, events);
      if (written === null) continue;
      if (isOwner) await this.enter(actor, principalId, written);
      return { state: after, revision: written, events };
    }
    throw new StoreUnavailable(`${principalId}: conflict after conflict`);
  }

  /**
   * Enters an active Owner that the set lacks after a crash between the grant and the entry. Ignores other principals.
   */
  async ensureEntered(actor: Actor, principalId: string): Promise<void> {
    const ownerRoleId = await this.roleReader.systemRoleId(actor.orgId, 'Owner');
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const { state, revision } = await this.decisions.load(principalKind, principalId);
      if (state.principal?.org_id !== actor.orgId || !isActiveOwner(state, ownerRoleId)) return;
      const { owners, leavings } = (await this.decisions.load(organizationKind, idPart(actor.orgId))).state;
      if (owners.has(principalId)) return;
      if ((leavings.get(principalId) ?? -1) < revision) return this.enter(actor, principalId, revision);
      // Another writer took the principal out at this revision and may still change it. A new revision makes that
      // writer read again.
      const at = state.principal.updated_at;
      await this.writeAt(actor, principalId, revision, [{ type: 'OwnershipAffirmed', data: { at } }]);
    }
    throw new StoreUnavailable(`${principalId}: conflict after conflict`);
  }

  /**
   * Decides the change. When the decision changes no state, or the pair already exists, an Owner missing from the set
   * is entered.
   */
  private async decided(
    actor: Actor,
    principalId: string,
    decide: (state: PrincipalState) => PrincipalEvent[],
    state: PrincipalState,
  ): Promise<PrincipalEvent[]> {
    try {
      const events = decide(state);
      if (events.length === 0) await this.ensureEntered(actor, principalId);
      return events;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'already_exists') await this.ensureEntered(actor, principalId);
      throw error;
    }
  }

  private async leave(
    actor: Actor,
    principalId: string,
    principalRevision: number,
    ownerRoleId: string,
  ): Promise<void> {
    const leaving = () =>
      this.decisions.run(organizationKind, idPart(actor.orgId), actor, (state) =>
        leaveOwners({ principalId, principalRevision }, state),
      );
    try {
      await leaving();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'last_owner') throw error;
      await this.enterMissing(actor, ownerRoleId);
      await leaving();
    }
  }

  private async enter(actor: Actor, principalId: string, principalRevision: number): Promise<void> {
    await this.decisions.run(organizationKind, idPart(actor.orgId), actor, (state) =>
      enterOwners({ principalId, principalRevision }, state),
    );
  }

  /** Enters active Owners that the set lacks, before a change is refused as that of the last one. */
  private async enterMissing(actor: Actor, ownerRoleId: string): Promise<void> {
    const { rows } = await this.readStore.query({
      collection: assignmentsCollection,
      scope: [actor.orgId],
      where: [{ index: 'role', eq: ownerRoleId }],
      limit: repairedMax,
    });
    for (const { doc } of rows)
      if (typeof doc.principal_id === 'string') await this.ensureEntered(actor, doc.principal_id);
  }

  /** Writes at exactly this revision. Gives the new revision, or null when the stream has grown. */
  private async writeAt(
    actor: Actor,
    principalId: string,
    revision: number,
    events: PrincipalEvent[],
  ): Promise<number | null> {
    try {
      const written = await this.decisions.run(principalKind, principalId, actor, (_state, at) => {
        if (at !== revision) throw new MovedOn(principalId);
        return events;
      });
      return written.revision;
    } catch (error) {
      if (error instanceof MovedOn) return null;
      throw error;
    }
  }
}
