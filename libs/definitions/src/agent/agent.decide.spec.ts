import { given } from '@aos/kernel/testing';
import type { AgentEvent } from './agent.events.js';
import {
  agentKind,
  configured,
  unconfigured,
  type AgentPatch,
  type AgentRecord,
  type NewAgent,
} from './agent.state.js';
import { deleteDefinition } from '../definition/definition.decide.js';
import { differingFields } from '../definition/differences.decide.js';
import { admin, backend, caller, person } from '../testing/definitions.fixture.js';
import {
  changeAgent,
  changeAgentCustody,
  changeMembers,
  createAgent,
  finishFollowUp,
  provisionInbox,
} from './agent.decide.js';

const at = '2026-01-01T00:00:00.000Z';
const id = 'agent_00000000000000000000000001';

const made = (body: Partial<NewAgent> = {}, who = backend) =>
  createAgent({ who, at, id, body: { name: 'planner', visibility: 'organization', ...body } });
const created = (record: AgentRecord): AgentEvent => ({ type: 'AgentCreated', data: { record } });
const change =
  (body: AgentPatch, who = backend) =>
  ({ record }: { record: AgentRecord | null }) =>
    changeAgent({ who, at, body }, record as AgentRecord);
const refuses = (body: Partial<NewAgent>, code: string, who = backend) => {
  expect(() => made(body, who)).toThrow(expect.objectContaining({ code }));
};

describe('creating an agent', () => {
  it('fills in what was left out', () => {
    expect(made().wire).toEqual(unconfigured('planner'));
    expect(made()).toMatchObject({
      version: 1,
      owner: { kind: 'team', id: null },
      created_by: backend.principalId,
      deleted_at: null,
      protected: false,
    });
    expect(made({}, person)).toMatchObject({ owner: { kind: 'person', id: 'user_ann' } });
  });

  it('refuses what the shape cannot say', () => {
    refuses({ action_selectors: [], tool_selectors: [] }, 'bad_request');
    refuses({ compaction_policy: { threshold: 'md', threshold_tokens: 5 } }, 'bad_request');
    refuses({ timeout_seconds: 86_401 }, 'bad_request');
    refuses({ timeout_seconds: 1.5 }, 'bad_request');
    refuses({ name: '   ' }, 'bad_request');
    refuses({ skill_ids: ['a', 'a'] }, 'bad_request');
    refuses({ model_route: { mode: 'worker' } }, 'bad_request');
    refuses({ if_exists: 'adopt' }, 'bad_request');
    refuses({ action_selectors: [{ selector: ' ' }] }, 'bad_request');
    refuses({ tags: { 'svc:x': '1' } }, 'invalid_argument');
  });

  it('keeps custody with people (A25, A26)', () => {
    refuses({ visibility: undefined }, 'invalid_argument');
    refuses({ visibility: 'private' }, 'invalid_argument', admin);
    refuses({ owner: { kind: 'person' }, visibility: 'private' }, 'invalid_argument');
    refuses({ owner: { kind: 'team' } }, 'permission_denied', person);
    refuses({ owner: { kind: 'person', id: 'user_bob' } }, 'permission_denied', person);
    expect(made({ owner: { kind: 'team' } }, caller('human', 'svc.org.admin', 'user_eve')).owner).toEqual({
      kind: 'team',
      id: null,
    });
    expect(made({ visibility: 'private', owner: { kind: 'person', id: 'user_bob' } })).toMatchObject({
      visibility: 'private',
    });
  });
});

describe('changing an agent', () => {
  it('writes nothing when nothing differs', () => {
    given(agentKind, created(made({ thinking_effort: 'high' })))
      .when(change({ name: 'planner', thinking_effort: 'high', tags: {} }))
      .thenNothing();
  });

  it('replaces, keeps and clears', () => {
    const before = made({
      thinking_effort: 'high',
      description: 'd',
      compaction_policy: { strategy: 'manual' },
      memory_context: { mode: 'full' },
      tags: { a: 'b' },
    });
    given(agentKind, created(before))
      .when(
        change({ thinking_effort: 'inherit', compaction_policy: {}, memory_context: {}, tags: {}, timeout_seconds: 0 }),
      )
      .thenState(({ record }) => {
        expect(record?.wire).toEqual({ ...unconfigured('planner'), description: 'd', timeout_seconds: 0 });
        expect(record?.version).toBe(2);
      });
  });

  it('leaves a protected agent to its blueprint', () => {
    const binding = {
      namespace: 'crm',
      blueprint_key: 'base',
      blueprint_version: null,
      key: 'planner',
      delete_on_destroy: true,
    };
    const protectedAgent = given(agentKind, {
      type: 'ProtectionSet',
      data: { record: { ...made(), binding, protected: true } },
    });
    protectedAgent
      .when(change({ color: 'red' }))
      .thenRefuses('blueprint_resource_protected', { namespace: 'crm', blueprint_key: 'base' });
    protectedAgent
      .when(({ record }) => deleteDefinition(agentKind)({ who: admin, at }, record as AgentRecord))
      .thenRefuses('blueprint_resource_protected');
    protectedAgent
      .when(({ record }) => provisionInbox({ who: backend, at, domain: 'x.example' }, record as AgentRecord))
      .thenTypes('AgentInboxProvisioned');
  });

  it('asks for custody before anything else', () => {
    const ann = given(agentKind, created(made({ visibility: 'private' }, person)));
    ann.when(change({ timeout_seconds: -1 })).thenRefuses('not_found');
    ann.when(change({ color: 'red' }, admin)).thenRefuses('not_found');
    given(agentKind, created(made({ visibility: 'organization' }, person)))
      .when(change({ color: 'red' }, admin))
      .thenTypes('AgentConfigured');
    given(agentKind, created(made({}, person)))
      .when(change({ color: 'red' }))
      .thenRefuses('permission_denied', { permission: 'svc.org.admin' });
    given(agentKind, created(made()))
      .when(change({ color: 'red' }, person))
      .thenRefuses('permission_denied');
    given(agentKind, created(made()))
      .when(change({ visibility: 'restricted', members: ['user_bob'] }, admin))
      .thenTypes('AgentConfigured');
    given(agentKind, created(made()))
      .when(change({ visibility: 'private' }, admin))
      .thenRefuses('invalid_argument', { reason: 'human_custodian_required' });
  });

  it('lets a blueprint plan with the same functions', () => {
    const current = configured(unconfigured('planner'), { description: 'a', action_selectors: [{ selector: 'x' }] });
    expect(
      differingFields(
        current,
        configured(current, { description: 'a', tool_selectors: [{ selector: 'x', selector_type: 'exact' }] }),
      ),
    ).toEqual([]);
    expect(
      differingFields(current, configured(current, { description: 'b', timeout_seconds: 5, system_prompt: '' })),
    ).toEqual(['description', 'timeout_seconds']);
  });
});

describe('rule TE10: members of an agent', () => {
  const members =
    (wanted: Parameters<typeof changeMembers>[0]['members'], who = backend, when = at) =>
    ({ record }: { record: AgentRecord | null }) =>
      changeMembers({ who, at: when, members: wanted }, record as AgentRecord);
  const later = '2026-01-02T00:00:00.000Z';

  it('are added once, with when and by whom, and a repeat changes nothing', () => {
    const own = created(made({ members: ['user_bob'] }, person));
    given(agentKind, own)
      .when(members({ add: ['user_bob', 'user_eve'], remove: [] }, admin, later))
      .thenState(({ record }) => {
        expect(record?.members).toEqual(['user_bob', 'user_eve']);
        expect(record?.members_added).toEqual({
          user_bob: { at, by: person.principalId },
          user_eve: { at: later, by: admin.principalId },
        });
      });
    given(agentKind, own)
      .when(members(['user_bob'], person))
      .thenNothing();
    given(agentKind, own)
      .when(members({ add: [], remove: ['user_eve'] }, person))
      .thenNothing();
    given(agentKind, own)
      .when(members([], person))
      .thenState(({ record }) => expect([record?.members, record?.members_added]).toEqual([[], undefined]));
  });

  it('are changed by custody, and are at most 200', () => {
    given(agentKind, created(made({}, person)))
      .when(members(['user_bob']))
      .thenRefuses('permission_denied');
    const many = Array.from({ length: 201 }, (_, index) => `user_${index}`);
    given(agentKind, created(made({}, person)))
      .when(members(many, person))
      .thenRefuses('bad_request');
    given(agentKind, created(made({}, person)))
      .when(members(many.slice(1), person))
      .thenTypes('AgentConfigured');
  });
});

describe('rules TE10, TE11: what a change of custody brings about', () => {
  const disposition = (id: string, action: 'revoke' | 'make_private' | 'keep_and_widen' = 'revoke') => ({
    resource_type: 'skill' as const,
    resource_id: id,
    action,
  });
  const audience =
    (body: AgentPatch, who = admin, followUpId = 'f1') =>
    ({ record }: { record: AgentRecord | null }) =>
      changeAgent({ who, at, body, followUpId }, record as AgentRecord);
  const narrowed = (...dispositions: object[]) =>
    ({ visibility: 'restricted', affected_resource_dispositions: dispositions }) as AgentPatch;
  const transfer =
    (wanted: Partial<Parameters<typeof changeAgentCustody>[0]['wanted']>, who = admin, ownerIsGone = false) =>
    ({ record }: { record: AgentRecord | null }) =>
      changeAgentCustody(
        {
          who,
          at,
          followUpId: 'f2',
          wanted: { confirmed: false, ...wanted },
          basis: { kind: 'transfer', owner_is_gone: ownerIsGone },
        },
        record as AgentRecord,
      );

  it('is recorded with the change, and a revoked skill leaves the agent in the same event', () => {
    given(agentKind, created(made({ skill_ids: ['skill_1', 'skill_2'] })))
      .when(audience(narrowed(disposition('skill_1'), disposition('skill_2', 'keep_and_widen'))))
      .thenState(({ record }) => {
        expect(record).toMatchObject({ visibility: 'restricted', wire: { skill_ids: ['skill_2'] } });
        expect(record?.follow_ups).toEqual([
          expect.objectContaining({
            id: 'f1',
            dispositions: [disposition('skill_2', 'keep_and_widen')],
            before: { owner: { kind: 'team', id: null }, visibility: 'organization', members: [] },
            after: { owner: { kind: 'team', id: null }, visibility: 'restricted', members: [] },
            deletes_stranded: false,
            ends_grants: false,
          }),
        ]);
      });
  });

  it('is nothing when the audience stays, and needs administration where it deletes', () => {
    const agent = given(agentKind, created(made({ visibility: 'restricted' })));
    agent.when(audience(narrowed(disposition('skill_1')))).thenNothing();
    const own = given(agentKind, created(made({}, person)));
    own
      .when(audience({ visibility: 'private', stranded_disposition: 'delete' }, person))
      .thenRefuses('permission_denied');
    own.when(audience({ visibility: 'private', stranded_disposition: 'retain' }, person)).thenTypes('AgentConfigured');
    own.when(audience(narrowed(disposition('a'), disposition('a', 'make_private')), person)).thenRefuses('bad_request');
    own
      .when(audience(narrowed(...Array.from({ length: 101 }, (_, n) => disposition(`s${n}`))), person))
      .thenRefuses('bad_request');
  });

  it('waits while eight changes before are carried out, and is finished once', () => {
    const record = made();
    const before = { owner: record.owner, visibility: record.visibility, members: [] };
    const pending = (id: string) => ({
      id,
      at,
      by: { id: 'user_ann', kind: 'human' as const, permissions: [] },
      before,
      after: before,
      dispositions: [],
      deletes_stranded: false,
      ends_grants: true,
    });
    const busy = { ...record, follow_ups: Array.from({ length: 8 }, (_, n) => pending(`p${n}`)) };
    given(agentKind, created(busy))
      .when(audience(narrowed(disposition('skill_1'))))
      .thenRefuses('conflict', { reason: 'follow_ups' });
    given(agentKind, created({ ...record, follow_ups: [pending('p1'), pending('p2')] }))
      .when((state) => finishFollowUp({ id: 'p1' }, state))
      .thenState((state) => {
        expect(state.record?.follow_ups?.map(({ id: left }) => left)).toEqual(['p2']);
        expect(finishFollowUp({ id: 'p1' }, state)).toEqual([]);
        const [last] = finishFollowUp({ id: 'p2' }, state);
        expect(last?.data.record).not.toHaveProperty('follow_ups');
      });
  });

  it('comes with another owner only, who takes it from the team, from itself, or from a person who is gone', () => {
    const bob = { kind: 'person' as const, id: 'user_bob' };
    const teams = given(agentKind, created(made()));
    teams.when(transfer({ owner: bob })).thenState(({ record }) => {
      expect(record).toMatchObject({ owner: bob, follow_ups: [{ id: 'f2', ends_grants: true, dispositions: [] }] });
    });
    teams.when(transfer({ owner: { kind: 'team' } })).thenNothing();
    teams.when(transfer({ visibility: 'private' })).thenRefuses('invalid_argument');
    const anns = given(agentKind, created(made({ visibility: 'private' }, person)));
    anns.when(transfer({ owner: bob })).thenRefuses('not_found');
    anns.when(transfer({ owner: bob }, admin, true)).thenTypes('AgentCustodyChanged');
    anns.when(transfer({ visibility: 'organization' }, person)).thenRefuses('visibility_change_unconfirmed');
    anns.when(transfer({ visibility: 'organization', confirmed: true }, person)).thenTypes('AgentConfigured');
    given(agentKind, created(made({}, person)))
      .when(transfer({ owner: bob }))
      .thenRefuses('permission_denied', { reason: 'owner_active' });
  });
});
