import { groupsOf, holding, type Permission } from './permission-sets';

describe('what a role holds', () => {
  it.each([
    [['svc.resource.view'], 'svc.resource.view', 'held'],
    [['svc.resource.use'], 'svc.resource.view', 'implied'],
    [['svc.resource.use'], 'svc.resource.build', 'no'],
    [['svc.org.admin'], 'svc.resource.build', 'implied'],
    [['svc.org.admin'], 'svc.billing.view', 'no'],
    [['actions.execute.*'], 'actions.execute.svc.table.get', 'implied'],
    [['actions.execute.*'], 'actions.execute.svc.*', 'implied'],
    [['actions.execute.svc.*'], 'actions.execute.slack.post', 'no'],
    [['actions.execute.svc.*'], 'actions.execute.*', 'no'],
  ])('of %j for %s is %s', (held, wanted, expected) => {
    expect(holding(held, wanted)).toBe(expected);
  });

  it('is shown by category, families of actions before single ones', () => {
    const permission = (id: string, scope: string, category: string) => ({ id, scope, category }) as Permission;
    const groups = groupsOf([
      permission('actions.execute.a.b', 'action', 'resource'),
      permission('svc.org.admin', 'org', 'org'),
      permission('actions.execute.*', 'action', 'resource'),
      permission('svc.resource.view', 'org', 'resource'),
    ]);
    expect(groups.map(({ title, permissions }) => [title, permissions.map(({ id }) => id)])).toEqual([
      ['Resources', ['svc.resource.view']],
      ['Organization', ['svc.org.admin']],
      ['Execute actions', ['actions.execute.*']],
      ['Execute single actions', ['actions.execute.a.b']],
    ]);
  });
});
