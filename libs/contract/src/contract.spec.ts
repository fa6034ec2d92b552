import type { JsonObject } from '@aos/kernel';
import type { Members, QueryOf, Reply, RequestBody, Schema } from './index.js';

/** Compiles when both are the same type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type Listed = { list?: { b?: 1 }[]; any: JsonObject };

const isSame = <A, B>(same: Same<A, B>) => same;

describe('types of the wire', () => {
  it('give what operations take and answer', () => {
    expect(isSame<RequestBody<'createAgent'>, Schema<'CreateAgentRequest'>>(true)).toBe(true);
    expect(isSame<Reply<'createAgent'>, Schema<'Agent'>>(true)).toBe(true);
    expect(isSame<Reply<'deleteAgent'>, never>(true)).toBe(true);
    expect(isSame<RequestBody<'getAgent'>, never>(true)).toBe(true);
    expect(isSame<QueryOf<'listAgents'>['limit'], number | undefined>(true)).toBe(true);
  });

  it('are fit for classes by their named members, also where the schema is open to more', () => {
    class TurnBody implements Members<RequestBody<'startTurn'>> {
      idempotency_key?: string;
    }
    expect(new TurnBody()).toEqual({});
    expect(isSame<Members<Schema<'ActionInvocationScopeV1'>>, { org_id: string }>(true)).toBe(true);
    expect(isSame<Members<{ list?: ({ b?: 1 } & JsonObject)[]; any: JsonObject }>, Listed>(true)).toBe(true);
    // @ts-expect-error -- the scope has no such member
    const scope: Members<Schema<'ActionInvocationScopeV1'>> = { org_id: 'org_1', more: 1 };
    expect(scope.org_id).toBe('org_1');
  });

  it('fit JSON both ways where the contract has no more to say', () => {
    const owner: Schema<'ActionInvocationActionV1'> = { id: 'action_1', name: 'a', more: [1, null] };
    const sent: JsonObject = owner;
    const agent = (one: Schema<'Agent'>): JsonObject => one;
    expect(agent).toBeInstanceOf(Function);
    expect(sent).toEqual({ id: 'action_1', name: 'a', more: [1, null] });
  });
});
