import {
  covers,
  coversExecute,
  executePermissionOf,
  grantsOf,
  intersection,
  isKnownPermission,
  lacking,
  listed,
} from './grants.decide.js';

describe('execute permissions', () => {
  it('are known by their form', () => {
    for (const good of [
      'actions.execute.*',
      'actions.execute.slack.*',
      'actions.execute.svc.table.save_row',
      'actions.execute.custom.send-email',
    ])
      expect(isKnownPermission(good)).toBe(true);
    for (const bad of [
      'actions.execute',
      'actions.execute.',
      'actions.execute.slack',
      'actions.execute.*.x',
      'actions.execute.a.*.b',
      'actions.execute.A.b',
      'svc.resource',
      '',
      `actions.execute.a.${'b'.repeat(300)}`,
    ]) {
      expect(isKnownPermission(bad)).toBe(false);
    }
  });

  it('follow from the name of the action', () => {
    expect(executePermissionOf('send-email')).toBe('actions.execute.custom.send-email');
    expect(executePermissionOf('slack.post')).toBe('actions.execute.slack.post');
  });

  it('cover by wildcard, family and name, and nothing that only begins alike', () => {
    expect(coversExecute(['actions.execute.*'], 'actions.execute.a.b')).toBe(true);
    expect(coversExecute(['actions.execute.slack.*'], 'actions.execute.slack.post')).toBe(true);
    expect(coversExecute(['actions.execute.slack.*'], 'actions.execute.slackbot.post')).toBe(false);
    expect(coversExecute(['actions.execute.slack.*'], 'actions.execute.*')).toBe(false);
    expect(coversExecute(['actions.execute.slack.post'], 'actions.execute.slack.*')).toBe(false);
  });
});

describe('grants', () => {
  it('imply as rule A22 says', () => {
    expect(covers(grantsOf(['svc.org.admin']), 'svc.resource.build')).toBe(true);
    expect(covers(grantsOf(['svc.resource.build']), 'svc.resource.use')).toBe(false);
    expect(covers(grantsOf(['svc.resource.use']), 'svc.resource.view')).toBe(true);
    expect(covers(grantsOf(['svc.org.admin']), 'svc.billing.view')).toBe(false);
  });

  it('meet in what both hold', () => {
    const both = intersection(
      grantsOf(['svc.org.admin', 'actions.execute.*']),
      grantsOf(['svc.resource.view', 'svc.billing.view', 'actions.execute.slack.*']),
    );
    expect(listed(both).sort()).toEqual(['actions.execute.slack.*', 'svc.resource.view']);
  });

  it('name what somebody would hand out without holding it', () => {
    const held = grantsOf(['svc.org.admin', 'actions.execute.slack.*']);
    expect(lacking(held, ['svc.resource.use', 'actions.execute.slack.post'])).toBeNull();
    expect(lacking(held, ['svc.resource.use', 'actions.execute.*'])).toBe('actions.execute.*');
  });
});
