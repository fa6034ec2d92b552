import { Injectable } from '@nestjs/common';
import type { Members, Schema } from '@aos/contract';
import {
  Clock,
  ModelProvider,
  Refusal,
  badRequest,
  invalidArgument,
  isSoftware,
  notFound,
  rfc3339,
  wantedOwner,
  type Identity,
  type JsonObject,
} from '@aos/kernel';
import { ActivePrincipals, OrganizationPlans } from '@aos/access/published';
import { AgentDirectory, type AgentRecord } from '@aos/definitions/published';
import type { Retention, SessionOpening } from '../session/session.events.js';
import { isExpired, resolvePolicy, type PolicyInput } from '../session/lifecycle.decide.js';
import type { SessionState } from '../session/session.state.js';
import { SessionDirectory } from './session-directory.js';
import { SessionNames } from './session-names.js';
import { isOwn, isOwnDefault, meantKey } from '../session-key/session-keys.decide.js';

/** The part of a request that names a session: which one, and the settings of a new one. */
export type SessionSpec = Members<Schema<'InvokeSessionSpec'>>;

/**
 * Where a resolving call ends up: the session's id, and how to open it when the stream is empty (null: it must exist).
 */
export interface SessionTarget {
  sessionId: string;
  open: SessionOpening | null;
  /** The id was made for this call: nothing can have been written under it. */
  isNew?: boolean;
}

/** Where a spec comes from: what a session of it says of its origin, and the pointer of the spec in the body. */
export interface SpecSource {
  origin?: string;
  at?: string;
}

/** A resolving call looks for its session so often when it is deleted under its hands. */
const resolutionsMax = 5;

/** Turns a session spec (mode, key, settings) into a target, without writing anything. */
@Injectable()
export class SessionTargets {
  constructor(
    private readonly directory: SessionDirectory,
    private readonly agents: AgentDirectory,
    private readonly models: ModelProvider,
    private readonly plans: OrganizationPlans,
    private readonly clock: Clock,
    private readonly names: SessionNames,
    private readonly principals: ActivePrincipals,
  ) {}

  /**
   * The agent a reference names, within the caller's reach, and whether it begins turns; 404 otherwise (rules T24,
   * A32).
   */
  async agent(who: Identity, reference: { id?: string; name?: string }): Promise<SessionAgent> {
    const agent =
      reference.id !== undefined
        ? await this.agents.agent(who.orgId, reference.id)
        : await this.agents.agentByName(who.orgId, reference.name ?? '');
    const isOther = who.token !== undefined && 'agentId' in who.token.reach && who.token.reach.agentId !== agent?.id;
    if (!agent || agent.deleted || isOther || !this.agents.canSee(agent, who)) throw notFound('agent');
    return { ...agent, standing: await standingOf(this.principals, agent) };
  }

  /**
   * Takes    the caller, the agent, and the contract's session spec.
   * Gives    the target; nothing is written.
   * Refuses  not_found (mode `continue` without a match); session_key_conflict (mode `new` with a taken key, a key of a
   *          session that is out of reach); invalid_argument and plan_limit_exceeded for `model_override`,
   *          invalid_argument for another principal's default key; bad_request for a policy or retention that
   *          contradicts itself; permission_denied for a browser token without an end user; as `namedOwner`.
   * Source   rules S1, S2, S3, S4, S5, S6, S14, S15, S16, S47, A28, A38.
   */
  async target(who: Identity, agent: AgentRecord, spec: SessionSpec, source: SpecSource = {}): Promise<SessionTarget> {
    const mode = spec.mode ?? 'continue_or_create';
    const isUnnamed = mode === 'new' && spec.session_key === undefined;
    if (isUnnamed && !who.token) {
      const sessionId = `ses_${this.names.ulid()}`;
      return {
        sessionId,
        open: await this.opening(who, agent, spec, source, { id: sessionId, key: sessionId }),
        isNew: true,
      };
    }
    if (who.token && !('endUser' in who.token.reach))
      throw new Refusal('permission_denied', { permission: 'svc.resource.use' }, 'the token opens no sessions');
    const key = meantKey(who, isUnnamed ? `new:${this.names.ulid()}` : spec.session_key);
    const now = this.clock.now();
    const { sessionId, live } = await this.directory.resolveMeant(who, agent.id, key, now);
    if (live) {
      if (mode === 'new' || !(await this.mayContinue(who, live.state, key, now))) {
        throw mode === 'continue'
          ? notFound('session')
          : new Refusal('session_key_conflict', {}, 'a live session holds this key');
      }
      return { sessionId, open: null, isNew: false };
    }
    if (mode === 'continue') throw notFound('session');
    return { sessionId, open: await this.opening(who, agent, spec, source, { id: sessionId, key }), isNew: false };
  }

  /**
   * Whether a session that was found under a key is within the caller's reach, and under a person's default key that
   * person's own. Refuses not_found when its time is past.
   */
  private async mayContinue(who: Identity, session: SessionState, key: string, now: number): Promise<boolean> {
    if (isExpired(session, now)) throw notFound('session');
    return (await this.directory.reaches(who, session)) && (!isOwnDefault(key) || isOwn(session, who));
  }

  /**
   * Finds the target of a resolving call and writes to it. A session that was deleted in between is looked for again:
   * its key leads to the next one, so that only `continue` has to tell its caller. So is one that another caller opened
   * in between: whether this one may join it is judged like that of any session that was there.
   */
  async resolving<Done>(
    who: Identity,
    agent: AgentRecord,
    spec: SessionSpec,
    write: (target: SessionTarget) => Promise<Done>,
    source: SpecSource = {},
  ): Promise<Done> {
    for (let resolution = 1; ; resolution += 1) {
      let target: SessionTarget | null = null;
      try {
        target = await this.target(who, agent, spec, source);
        return await write(target);
      } catch (error) {
        const code = error instanceof Refusal ? error.code : null;
        const isOther = code === 'not_found' || (target !== null && code === 'session_key_conflict');
        if (!isOther || spec.mode === 'continue' || resolution >= resolutionsMax) throw error;
      }
    }
  }

  private async opening(
    who: Identity,
    agent: AgentRecord,
    spec: SessionSpec,
    { origin = 'api', at = '' }: SpecSource,
    { id, key }: { id: string; key: string },
  ): Promise<SessionOpening> {
    const person = !isSoftware(who.kind);
    const owner = await this.namedOwner(who, spec, at);
    const opening: SessionOpening = {
      id,
      org_id: who.orgId,
      agent_id: agent.id,
      session_key: key,
      owner: owner ?? (person ? { kind: 'person', id: who.principalId } : { kind: 'team', id: null }),
      visibility: spec.visibility ?? (person ? 'private' : 'organization'),
      title: spec.title ?? '',
      origin,
      compaction_policy: resolvePolicy([
        agent.wire.compaction_policy as PolicyInput | undefined,
        spec.compaction_policy,
      ]),
      created_by: who.principalId,
      created_at: rfc3339(this.clock.now()),
    };
    if (opening.visibility === 'private' && opening.owner.kind === 'team') {
      throw invalidArgument('visibility', 'a private session needs a person as owner', {
        reason: 'human_custodian_required',
      });
    }
    if (spec.model_override) opening.model_override = await this.checkOverride(who.orgId, agent, spec.model_override);
    if (spec.retention) opening.retention = checkRetention(spec.retention, at);
    if (spec.thinking_effort && spec.thinking_effort !== 'inherit') opening.thinking_effort = spec.thinking_effort;
    if (spec.metadata) opening.metadata = spec.metadata;
    if (who.token && 'endUser' in who.token.reach) opening.end_user = who.token.reach.endUser;
    return opening;
  }

  /**
   * The owner that the spec names; null when it names none.
   *
   * Refuses  bad_request for a person without an id; invalid_argument {argument: owner} for another person of a caller
   *          that is no administrator, for what is no person of the organization, and for an id of the team.
   */
  private async namedOwner(who: Identity, spec: SessionSpec, at: string): Promise<SessionOpening['owner'] | null> {
    if (spec.owner?.kind === 'person' && !spec.owner.id)
      throw badRequest([{ path: `${at}/owner/id`, message: 'is required for a person' }]);
    const owner = wantedOwner(spec.owner);
    if (owner?.kind !== 'person' || !owner.id) return owner;
    if (owner.id !== who.principalId && !who.permissions.has('svc.org.admin'))
      throw invalidArgument('owner', 'only an administrator opens a session for another person');
    await this.principals.requirePerson(who, owner.id);
    return owner;
  }

  private async checkOverride(orgId: string, agent: AgentRecord, model: string): Promise<string> {
    const route = agent.wire.model_route as JsonObject | undefined;
    if (route?.mode === 'worker') throw invalidArgument('model_override', 'the agent is routed to a worker');
    const option = this.models.find(model);
    if (!option) throw invalidArgument('model_override', 'no such model', { reason: 'model_unavailable' });
    if (!(await this.plans.includes(orgId, option.plans)))
      throw new Refusal('plan_limit_exceeded', { model }, 'the billing plan does not allow this model');
    return model;
  }
}

function checkRetention({ mode, ttl_seconds: ttlSeconds }: Retention, at: string): Retention {
  if (mode === 'standard') return { mode };
  if (ttlSeconds === undefined)
    throw badRequest([{ path: `${at}/retention/ttl_seconds`, message: 'is required with bounded' }]);
  return { mode, ttl_seconds: ttlSeconds };
}

/** An agent with whether it begins turns. */
export type SessionAgent = AgentRecord & { standing: 'active' | 'inactive' };

/** An agent that was just found begins turns while it is active itself and its principal is not disabled (rule A32). */
export async function standingOf(principals: ActivePrincipals, agent: AgentRecord): Promise<SessionAgent['standing']> {
  const isActive = agent.wire.status === 'active' && (await principals.isEnabledAgent(agent.org_id, agent.id));
  return isActive ? 'active' : 'inactive';
}
