import { impliedPermissions, type Viewer } from '@aos/kernel';
import { canSee } from './custody.decide.js';

const viewer = (principalId: string, kind: Viewer['kind']): Viewer => ({
  orgId: 'org_a',
  principalId,
  kind,
  permissions: impliedPermissions(['svc.resource.use']),
});
const [agent, ann, bob] = [viewer('agent_a', 'agent'), viewer('user_ann', 'human'), viewer('user_bob', 'human')];
const table = {
  id: 'tbl_a',
  org_id: 'org_a',
  owner: { kind: 'person' as const, id: 'user_ann' },
  visibility: 'restricted' as const,
  members: ['agent_a'],
};

describe('rule A33: an agent in a turn', () => {
  it("sees what both it and the turn's principal see", () => {
    expect(canSee(table, agent)).toBe(true);
    expect(canSee(table, { ...agent, actsFor: ann })).toBe(true);
    expect(canSee(table, { ...agent, actsFor: bob })).toBe(false);
    expect(canSee({ ...table, members: [] }, { ...agent, actsFor: ann })).toBe(false);
    expect(canSee({ ...table, visibility: 'organization' }, { ...agent, actsFor: bob })).toBe(true);
    expect(canSee({ ...table, visibility: 'organization' }, { ...agent, actsFor: { ...bob, orgId: 'org_b' } })).toBe(
      false,
    );
  });
});
