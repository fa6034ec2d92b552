import { Injectable } from '@nestjs/common';
import { EventStore } from '@aos/kernel';
import { Decisions, Sealer, type Actor } from '@aos/platform';
import { secretDecider } from '../secret.decider.js';
import type { OpenedSecrets } from './secret.events.js';
import { secretKind } from './secret.state.js';

/** The state of a secret without its values. */
export interface SecretFacts {
  version: number;
  erased: boolean;
  /** Names of the values that are stored. */
  names: string[];
}

/** Secrets of connections: written by blueprint-service, opened where a call is dispatched. */
@Injectable()
export class ConnectionSecrets {
  constructor(
    private readonly decisions: Decisions,
    private readonly store: EventStore,
    private readonly sealer: Sealer,
  ) {}

  /** Gives the version of the secret that is in place now. Refuses not_found once it was erased. */
  async put(id: string, actor: Actor, values: OpenedSecrets): Promise<number> {
    const { orgId } = actor;
    const seal = (version: number) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [name, this.sealer.seal(value, owner(orgId, id, version, name))]),
      );
    const { state, revision } = await this.decisions.decide(secretDecider.storeSecret, id, actor, { orgId, seal });
    await this.forgetBefore(id, revision);
    return state.version;
  }

  /** A repeat changes nothing, and makes up for a truncation that was missed. */
  async erase(id: string, actor: Actor): Promise<void> {
    const { orgId } = actor;
    const { revision } = await this.decisions.decide(secretDecider.eraseSecret, id, actor, { orgId });
    await this.forgetBefore(id, revision);
  }

  async facts(orgId: string, id: string): Promise<SecretFacts> {
    const { state } = await this.decisions.load(secretKind, id);
    const isOurs = state.stored === null || state.stored.org_id === orgId;
    const { version, erased, stored } = state;
    return isOurs
      ? { version, erased, names: Object.keys(stored?.values ?? {}) }
      : { version: 0, erased: false, names: [] };
  }

  /** What is stored now, fresh from the log; null when nothing is. Throws `SealBroken` when the master key is gone. */
  async opened(orgId: string, id: string): Promise<OpenedSecrets | null> {
    const { stored } = (await this.decisions.load(secretKind, id)).state;
    if (stored?.org_id !== orgId) return null;
    return Object.fromEntries(
      Object.entries(stored.values).map(([name, sealed]) => [
        name,
        this.sealer.open(sealed, owner(orgId, id, stored.version, name)),
      ]),
    );
  }

  private forgetBefore(id: string, revision: number): Promise<void> {
    return revision > 0 ? this.store.truncate(`${secretKind.category}-${id}`, revision) : Promise.resolve();
  }
}

/** The context that a value is sealed for: it opens nowhere else. */
function owner(orgId: string, id: string, version: number, name: string): { orgId: string; resource: string } {
  return { orgId, resource: `connection/${id}/secret/${version}/${name.toLowerCase()}` };
}
