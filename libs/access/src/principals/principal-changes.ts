import { Injectable } from '@nestjs/common';
import { ReadStore, Refusal, StoreUnavailable, fold, idPart, type DeciderEntry } from '@aos/kernel';
import type { Actor } from '@aos/platform';
import { assignmentRows } from '../principal/assignments.projection.js';
import { AccessDecisions } from '../changes/access-decisions.js';
import { organizationDecider } from '../organization.decider.js';
import { organizationKind } from '../organization/organization.state.js';
import { principalDecider } from '../principal.decider.js';
import type { PrincipalEvent } from '../principal/principal.events.js';
import { isActiveOwner, principalKind, type PrincipalState } from '../principal/principal.state.js';
import { RoleReader } from '../role/role-reader.js';

const attemptsMax = 16;
const repairedMax = 200;

/** The principal's revision grew between the leaving and the change that rests on it. */
class MovedOn extends Error {}

type PrincipalEntry<C> = DeciderEntry<PrincipalState, PrincipalEvent, C>;

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
   * Takes    an entry of the principal's decider, the principal, who acts, and the command.
   * Gives    the state after, and what was written.
   * Refuses  what the decide function refuses; last_owner when the organization's last Owner would be gone.
   */
  async change<C>(entry: PrincipalEntry<C>, principalId: string, actor: Actor, command: C): Promise<PrincipalAfter> {
    const ownerRoleId = await this.roleReader.systemRoleId(actor.orgId, 'Owner');
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      const { state, revision } = await this.decisions.load(principalKind, principalId);
      const events = await this.decided(actor, principalId, () => entry.decide(command, state, revision));
      if (events.length === 0) return { state, revision, events };
      const after = fold(principalKind, events, state, revision);
      const wasOwner = isActiveOwner(state, ownerRoleId);
      const isOwner = isActiveOwner(after, ownerRoleId);
      if (wasOwner && !isOwner) await this.leave(actor, principalId, revision, ownerRoleId);
      const written = await this.writeAt(revision, entry, principalId, actor, command);
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
      await this.writeAt(revision, principalDecider.affirmOwnership, principalId, actor, { at });
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
    decide: () => readonly PrincipalEvent[],
  ): Promise<readonly PrincipalEvent[]> {
    try {
      const events = decide();
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
    const command = { principalId, principalRevision };
    const leaving = () => this.decisions.decide(organizationDecider.leaveOwners, idPart(actor.orgId), actor, command);
    try {
      await leaving();
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'last_owner') throw error;
      await this.enterMissing(actor, ownerRoleId);
      await leaving();
    }
  }

  private async enter(actor: Actor, principalId: string, principalRevision: number): Promise<void> {
    const command = { principalId, principalRevision };
    await this.decisions.decide(organizationDecider.enterOwners, idPart(actor.orgId), actor, command);
  }

  /** Enters active Owners that the set lacks, before a change is refused as that of the last one. */
  private async enterMissing(actor: Actor, ownerRoleId: string): Promise<void> {
    const { rows } = await assignmentRows.query(this.readStore, {
      scope: [actor.orgId],
      where: [{ index: 'role', eq: ownerRoleId }],
      limit: repairedMax,
    });
    for (const { doc } of rows) await this.ensureEntered(actor, doc.principal_id);
  }

  /** Decides at exactly this revision. Gives the new revision, or null when the stream has grown. */
  private async writeAt<C>(
    revision: number,
    { kind, decide }: PrincipalEntry<C>,
    principalId: string,
    actor: Actor,
    command: C,
  ): Promise<number | null> {
    try {
      const atRevision: PrincipalEntry<C> = {
        kind,
        decide: (asked, state, at) => {
          if (at !== revision) throw new MovedOn(principalId);
          return decide(asked, state, at);
        },
      };
      return (await this.decisions.decide(atRevision, principalId, actor, command)).revision;
    } catch (error) {
      if (error instanceof MovedOn) return null;
      throw error;
    }
  }
}
