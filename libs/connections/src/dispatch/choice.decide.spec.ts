import type { ConnectionRecord } from '../connection/connection.events.js';
import { chosenConnection, isUnsure, type AccessRule } from './choice.decide.js';

const action = { name: 'issues.list', provider: 'tracker', endpoint_url: 'https://api.example.com/issues' };
const connection = (fields: Partial<ConnectionRecord> = {}): ConnectionRecord => ({
  id: 'conn_1',
  org_id: 'org_1',
  name: 'Tracker',
  kind: 'api_key',
  provider: 'tracker',
  owner: { kind: 'team', id: null },
  hosts: ['https://api.example.com'],
  header: 'Authorization',
  format: '{secret}',
  username: null,
  header_names: [],
  url: null,
  client_id: null,
  token_endpoint: null,
  secret_version: 1,
  status: 'active',
  grants: { principal_ids: ['agent_1'], everyone: false, actions: [] },
  created_by: 'user_1',
  created_at: '',
  updated_by: 'user_1',
  updated_at: '',
  deleted_at: null,
  ...fields,
});
const covered = { principal_id: 'agent_1', name: action.name, endpoint_url: action.endpoint_url };
const ofAnn = (fields: Partial<ConnectionRecord> = {}) =>
  connection({
    id: 'conn_ann',
    owner: { kind: 'person', id: 'user_ann' },
    grants: { principal_ids: ['agent_1'], everyone: false, actions: [covered] },
    ...fields,
  });

function chosen(
  connections: ConnectionRecord[],
  rule: Partial<AccessRule> | null = {},
  person: string | null = null,
  called = action,
): string {
  const rules = rule ? [{ provider: 'tracker', ...rule }] : [];
  const choice = chosenConnection(called, { kind: 'agent', agentId: 'agent_1', rules, person }, connections);
  return 'fault' in choice ? choice.fault : choice.connection.id;
}

describe('the connection of a call (rules TE21, TE23, TE24)', () => {
  it('is the one of the team that grants the agent', () => {
    expect(chosen([connection()])).toBe('conn_1');
    expect(chosen([connection({ grants: { principal_ids: [], everyone: true, actions: [] } })])).toBe('conn_1');
    expect(chosen([connection({ grants: { principal_ids: [], everyone: false, actions: [] } })])).toBe(
      'connection_not_granted',
    );
    expect(chosen([connection(), connection({ id: 'conn_2' })])).toBe('connection_ambiguous');
    expect(chosen([connection()], null)).toBe('connection_not_granted');
    expect(chosen([connection({ provider: 'other' })])).toBe('connection_not_granted');
  });

  it('is the one that is pinned', () => {
    expect(chosen([connection(), connection({ id: 'conn_2' })], { pin: 'conn_2' })).toBe('conn_2');
    expect(chosen([connection()], { pin: 'conn_2' })).toBe('connection_not_granted');
    expect(chosen([ofAnn()], { pin: 'conn_ann' }, 'user_ann')).toBe('conn_ann');
    for (const person of [null, 'user_bob'])
      expect(chosen([ofAnn()], { pin: 'conn_ann' }, person)).toBe('connection_not_granted');
  });

  it("is a person's own with act_as_user, in that person's own turn only", () => {
    const both = [connection(), ofAnn()];
    expect(chosen(both, { act_as_user: true }, 'user_ann')).toBe('conn_ann');
    expect(chosen(both, { act_as_user: true }, 'user_bob')).toBe('conn_1');
    expect(chosen(both, { act_as_user: true })).toBe('conn_1');
    expect(chosen(both, {}, 'user_ann')).toBe('conn_1');
    expect(chosen([ofAnn()], {}, 'user_ann')).toBe('connection_not_granted');
  });

  it('is no account whose grant does not cover the action as it stands', () => {
    const rule = { act_as_user: true };
    const moved = { ...action, endpoint_url: 'https://api.example.com/other' };
    expect(chosen([ofAnn()], rule, 'user_ann', moved)).toBe('connection_not_granted');
    expect(chosen([ofAnn()], rule, 'user_ann', { ...action, name: 'issues.add' })).toBe('connection_not_granted');
    expect(chosen([connection(), ofAnn()], rule, 'user_ann', moved)).toBe('connection_not_granted');
  });

  it('sends nothing to another host, nor with an account that waits for its owner', () => {
    for (const endpoint_url of [
      'https://other.example.com/',
      'http://api.example.com/',
      'https://api.example.com:8443/',
    ])
      expect(chosen([connection()], {}, null, { ...action, endpoint_url })).toBe('connection_host_mismatch');
    expect(chosen([connection({ status: 'needs_authorization' })])).toBe('connection_needs_authorization');
  });

  it("of a direct invocation is the caller's own, or one that grants the caller", () => {
    const direct = (principalId: string, connections: ConnectionRecord[]) => {
      const choice = chosenConnection(action, { kind: 'direct', principalId }, connections);
      return 'fault' in choice ? choice.fault : choice.connection.id;
    };
    expect(direct('user_ann', [connection(), ofAnn()])).toBe('conn_ann');
    expect(direct('agent_1', [connection()])).toBe('conn_1');
    expect(direct('user_bob', [connection(), ofAnn()])).toBe('connection_not_granted');
  });
});

describe('TE133: a choice among connections that are remembered is unsure', () => {
  const agent = (rule: Omit<AccessRule, 'provider'>, person: string | null) => ({
    kind: 'agent' as const,
    agentId: 'agent_1',
    rules: [{ provider: 'tracker', ...rule }],
    person,
  });
  const unsure = (connections: ConnectionRecord[], use: Parameters<typeof isUnsure>[2]) =>
    isUnsure(chosenConnection(action, use, connections), action, use);

  it('where none grants the use, or where an account of the person could go before the one of the team', () => {
    expect(unsure([], agent({}, null))).toBe(true);
    expect(unsure([], { kind: 'direct', principalId: 'user_ann' })).toBe(true);
    expect(unsure([connection()], agent({ act_as_user: true }, 'user_ann'))).toBe(true);
  });

  it('and no other: the only one that grants, a pinned one, the own one, what is refused for a reason of its own', () => {
    expect(unsure([connection()], agent({}, 'user_ann'))).toBe(false);
    expect(unsure([connection()], agent({ act_as_user: true }, null))).toBe(false);
    expect(unsure([connection()], agent({ act_as_user: true, pin: 'conn_1' }, 'user_ann'))).toBe(false);
    expect(unsure([connection(), ofAnn()], agent({ act_as_user: true }, 'user_ann'))).toBe(false);
    expect(unsure([connection()], { kind: 'direct', principalId: 'agent_1' })).toBe(false);
    expect(unsure([connection(), connection({ id: 'conn_2' })], agent({}, null))).toBe(false);
  });
});
