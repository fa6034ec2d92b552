import { Injectable } from '@nestjs/common';
import { EventStore } from '@aos/kernel';
import { Decisions, SealBroken, Sealer, serviceActor, type Actor, type Resealed } from '@aos/platform';
import { secretDecider } from '../secret.decider.js';
import type { OpenedSecrets, SealedSecrets, TokenFacts } from './secret.events.js';
import { secretKind } from './secret.state.js';

/** The state of a secret without its values. */
export interface SecretFacts {
  version: number;
  erased: boolean;
  /** Names of the values that are stored. */
  names: string[];
  token: TokenFacts | null;
  /** Flow of the code that is stored. */
  codeOf: string | null;
}

/** What the token endpoint gave. */
export interface StoredTokens extends TokenFacts {
  accessToken: string;
  refreshToken: string | null;
}

/**
 * refreshed   beside what is stored; a refresh token stays when there is no other.
 * authorized  of an account that was authorized anew: nothing of the one before stays.
 */
export type TokensOf = 'refreshed' | 'authorized';

export type OpenedWithFacts = Pick<SecretFacts, 'token' | 'version' | 'codeOf'> & { values: OpenedSecrets };

const nothing: SecretFacts = { version: 0, erased: false, names: [], token: null, codeOf: null };
const ofCode = ['code', 'verifier'];

/** Secrets of connections and providers: written by blueprint-service, opened where a call is dispatched. */
@Injectable()
export class ConnectionSecrets {
  constructor(
    private readonly decisions: Decisions,
    private readonly store: EventStore,
    private readonly sealer: Sealer,
  ) {}

  /**
   * Puts values in place of all that is stored. Gives the version that is in place now. Refuses not_found once it was
   * erased.
   */
  async put(id: string, actor: Actor, values: OpenedSecrets): Promise<number> {
    const { orgId } = actor;
    const seal = (version: number) => this.sealed(orgId, id, version, values);
    const { state, revision } = await this.decisions.decide(secretDecider.storeSecret, id, actor, { orgId, seal });
    await this.forgetBefore(id, revision);
    return state.version;
  }

  /**
   * Puts the tokens of a try in place of the ones before.
   *
   * Takes    `from`: the version, or the try of the tokens, that the try rests on: another one makes it worthless.
   * Gives    false when those of a later try are there, or another version is.
   * Refuses  not_found once it was erased.
   */
  putTokens(
    id: string,
    actor: Actor,
    tokens: StoredTokens,
    { of, from }: { of: TokensOf; from: { version: number } | { attempt: number } | null },
  ): Promise<boolean> {
    const { attempt, expires_at, accessToken, refreshToken } = tokens;
    const got = { access_token: accessToken, ...(refreshToken !== null && { refresh_token: refreshToken }) };
    return this.change(id, actor, (stored) => {
      const inPlace = stored?.token?.attempt ?? 0;
      if (inPlace >= attempt) return null;
      if (from && ('version' in from ? stored?.version !== from.version : inPlace !== from.attempt)) return null;
      const token = { attempt, expires_at };
      if (of === 'authorized') return { values: got, token };
      return { values: { ...this.openedOf(id, stored), ...got }, token, codeOf: stored?.code_of };
    });
  }

  /**
   * Puts the code of a flow beside what is stored; false when one of the flow is there. What cannot be opened any more
   * makes room for it: to authorize anew is what repairs an account whose master key is gone.
   */
  putCode(id: string, actor: Actor, flowId: string, code: { code: string; verifier: string }): Promise<boolean> {
    return this.change(id, actor, (stored) => {
      if (stored?.code_of === flowId) return null;
      const values = this.readable(id, stored);
      return { values: { ...values, ...code }, token: values ? stored?.token : undefined, codeOf: flowId };
    });
  }

  /** Takes away a code that is not used any more; false when there is none of the flow. */
  dropCode(id: string, actor: Actor, flowId: string): Promise<boolean> {
    return this.change(id, actor, (stored) =>
      stored?.code_of === flowId ? { values: without(this.openedOf(id, stored), ofCode), token: stored.token } : null,
    );
  }

  /** A repeat changes nothing, and makes up for a truncation that was missed. */
  async erase(id: string, actor: Actor): Promise<void> {
    const { orgId } = actor;
    const { revision } = await this.decisions.decide(secretDecider.eraseSecret, id, actor, { orgId });
    await this.forgetBefore(id, revision);
  }

  async facts(orgId: string, id: string): Promise<SecretFacts> {
    const { version, erased, stored } = (await this.decisions.load(secretKind, id)).state;
    if (stored !== null && stored.org_id !== orgId) return nothing;
    const names = Object.keys(stored?.values ?? {});
    return { version, erased, names, token: stored?.token ?? null, codeOf: stored?.code_of ?? null };
  }

  /** What is stored now, fresh from the log; null when nothing is. Throws `SealBroken` when the master key is gone. */
  async opened(orgId: string, id: string): Promise<OpenedSecrets | null> {
    return (await this.openedWithFacts(orgId, id))?.values ?? null;
  }

  /** As `opened`, with what may be known of it. */
  async openedWithFacts(orgId: string, id: string): Promise<OpenedWithFacts | null> {
    const { stored } = (await this.decisions.load(secretKind, id)).state;
    if (stored?.org_id !== orgId) return null;
    const { version, token = null, code_of: codeOf = null } = stored;
    return { values: this.openedOf(id, stored), token, version, codeOf };
  }

  /** Seals what is stored under the present master key (control S32). */
  async reseal(id: string): Promise<Resealed> {
    const { stored } = (await this.decisions.load(secretKind, id)).state;
    if (!stored || !Object.values(stored.values).some((sealed) => this.sealer.isStale(sealed))) return 'fresh';
    const { org_id: orgId, version } = stored;
    try {
      const values = Object.fromEntries(
        Object.entries(stored.values).map(([name, sealed]) => [
          name,
          this.sealer.renewed(sealed, owner(orgId, id, version, name)),
        ]),
      );
      const actor = serviceActor(orgId, 'operator', `reseal-${id}`);
      const { revision } = await this.decisions.decide(secretDecider.resealSecret, id, actor, { version, values });
      await this.forgetBefore(id, revision);
      return 'resealed';
    } catch (error) {
      if (error instanceof SealBroken) return 'unreadable';
      throw error;
    }
  }

  private async change(
    id: string,
    actor: Actor,
    changed: (
      stored: SealedSecrets | null,
    ) => { values: OpenedSecrets; token?: TokenFacts | undefined; codeOf?: string | undefined } | null,
  ): Promise<boolean> {
    const { orgId } = actor;
    const change = (stored: SealedSecrets | null, version: number) => {
      const next = changed(stored);
      if (!next) return null;
      return {
        values: this.sealed(orgId, id, version, next.values),
        ...(next.token && { token: next.token }),
        ...(next.codeOf !== undefined && { code_of: next.codeOf }),
      };
    };
    const decided = await this.decisions.decide(secretDecider.changeSecret, id, actor, { orgId, change });
    await this.forgetBefore(id, decided.revision);
    return decided.events.length > 0;
  }

  private sealed(orgId: string, id: string, version: number, values: OpenedSecrets): Record<string, string> {
    return Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, this.sealer.seal(value, owner(orgId, id, version, name))]),
    );
  }

  private openedOf(id: string, stored: SealedSecrets | null): OpenedSecrets {
    if (!stored) return {};
    const { org_id: orgId, version, values } = stored;
    return Object.fromEntries(
      Object.entries(values).map(([name, sealed]) => [name, this.sealer.open(sealed, owner(orgId, id, version, name))]),
    );
  }

  /** Null when it cannot be opened. */
  private readable(id: string, stored: SealedSecrets | null): OpenedSecrets | null {
    try {
      return this.openedOf(id, stored);
    } catch (error) {
      if (error instanceof SealBroken) return null;
      throw error;
    }
  }

  private forgetBefore(id: string, revision: number): Promise<void> {
    return revision > 0 ? this.store.truncate(`${secretKind.category}-${id}`, revision) : Promise.resolve();
  }
}

function without(values: OpenedSecrets, names: readonly string[]): OpenedSecrets {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !names.includes(name)));
}

/** The context that a value is sealed for: it opens nowhere else. */
function owner(orgId: string, id: string, version: number, name: string): { orgId: string; resource: string } {
  return { orgId, resource: `connection/${id}/secret/${version}/${name.toLowerCase()}` };
}
