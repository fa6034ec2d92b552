import { ownerPartition, sessionIdFor, type Identity } from '@aos/kernel';
import { Destinations, type Asked } from './destinations.js';

const session = 'ses_01hqzxk3m8v9w2n4r6t8y0b1c7';
const agent = 'agent_1';
const identity = { orgId: 'org_1', principalId: 'svc_1', kind: 'service' } as Identity;
const person = { ...identity, principalId: 'user_1', kind: 'human' } as Identity;
const partitionOf = (id: string) => ({ partition: ownerPartition(`session-${id}`) });
const keyed = (key: string) => partitionOf(sessionIdFor('salt of org_1', agent, key, 0));

let troubles: string[];
let asked: string[];
const destinations = new Destinations(
  {
    of: async (orgId) => {
      asked.push(orgId);
      if (orgId === 'org_gone') throw new Error('no such organization');
      return `salt of ${orgId}`;
    },
  },
  (reason) => troubles.push(reason),
);

beforeEach(() => {
  troubles = [];
  asked = [];
});

const ask = (operationId: string, rest: Partial<Asked> = {}) =>
  destinations.of({ operation: { operationId }, params: {}, body: null, identity, ...rest });
const invoke = (body: unknown, who = identity) =>
  ask('invokeAgent', { body: Buffer.from(JSON.stringify(body)), identity: who });

it('is the owner of what the path names', async () => {
  expect(await ask('getSession', { params: { session_id: session } })).toEqual(partitionOf(session));
  expect(await ask('getSessionTurn', { params: { session_id: session, turn_id: 'turn_x' } })).toEqual(
    partitionOf(session),
  );
  expect(await ask('listTurnMessages', { params: { turn_id: `turn_${session.slice(4)}000001` } })).toEqual(
    partitionOf(session),
  );
  expect(await ask('respondToInteraction', { params: { interaction_id: 'iact_x4z' } })).toEqual({
    partition: ownerPartition('interaction-iact_x4z'),
  });
  expect(await ask('listSessions')).toBeUndefined();
});

it('of an invocation is the owner of the session that it resolves to', async () => {
  const agentRef = { id: agent };
  expect(await invoke({ agent_ref: agentRef, session: { session_key: 'k' } })).toEqual(keyed('k'));
  expect(await invoke({ agent_ref: agentRef })).toEqual(keyed('default'));
  expect(await invoke({ agent_ref: agentRef }, person)).toEqual(keyed('default:user_1'));
  expect(await invoke({ agent_ref: { name: 'a' }, session: { session_key: session } })).toEqual(partitionOf(session));
  expect(await invoke({ agent_ref: agentRef, session: { mode: 'new', session_key: 'k' } })).toEqual(keyed('k'));
});

it('of an invocation that makes a session is the less busy of two', async () => {
  expect(await invoke({ agent_ref: { name: 'a' }, session: { mode: 'new' } })).toBe('less busy');
  expect(asked).toEqual([]);
});

it('is any where the gateway cannot know it, or the request is wrong', async () => {
  expect(await invoke({ agent_ref: { name: 'a' }, session: { session_key: 'k' } })).toBeUndefined();
  expect(await invoke({ agent_ref: { id: agent }, session: { session_key: 7 } })).toBeUndefined();
  expect(await invoke([])).toBeUndefined();
  expect(await ask('invokeAgent', { body: Buffer.from('{') })).toBeUndefined();
  expect(await ask('invokeAgent', { body: Buffer.alloc(65 * 1024, ' ') })).toBeUndefined();
  expect(troubles).toEqual([]);
  const other = { agent_ref: { id: agent }, session: { session_key: 'default:user_2' } };
  expect(await invoke(other, person)).toBeUndefined();
  expect(await invoke({ agent_ref: { id: agent } }, { ...identity, orgId: 'org_gone' })).toBeUndefined();
  expect(troubles).toHaveLength(2);
});
