import { canHold, counting, unholdable } from './holding.js';

describe('rule A32: what a kind of principal can hold', () => {
  it('follows the catalog', () => {
    expect(
      (['human', 'service', 'worker', 'agent', 'system'] as const).filter((kind) =>
        canHold(kind, 'svc.resource.build'),
      ),
    ).toEqual(['human', 'service', 'system']);
    expect(
      (['human', 'service', 'worker', 'agent', 'system'] as const).filter((kind) => canHold(kind, 'svc.job.execute')),
    ).toEqual(['service', 'worker', 'system']);
    expect((['human', 'worker', 'agent'] as const).filter((kind) => canHold(kind, 'actions.execute.slack.*'))).toEqual([
      'human',
    ]);
  });

  it('alone counts, with what it implies', () => {
    expect(counting('agent', ['svc.org.admin', 'svc.resource.use', 'actions.execute.*'])).toEqual(['svc.resource.use']);
    expect(counting('human', ['svc.resource.use', 'svc.job.execute'])).toEqual(['svc.resource.use']);
  });

  it('bounds custom roles, not system roles', () => {
    const role = { system_defined: false, permissions: ['svc.resource.view', 'svc.resource.build'] };
    expect(unholdable('worker', role)).toMatchObject({
      code: 'invalid_argument',
      details: { permission: 'svc.resource.build' },
    });
    expect(unholdable('human', role)).toBeNull();
    expect(unholdable('worker', { ...role, system_defined: true })).toBeNull();
  });
});
