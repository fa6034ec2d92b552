import { goldenOf } from '@aos/kernel/testing';
import { providersProjection } from './provider.projection.js';
import { providerId, providerKind } from './provider.state.js';
import { providerWire } from './provider.wire.js';

const golden = goldenOf(__dirname, providerKind);

describe('recorded events of providers', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant, and show no place of a secret', () => {
    const { provider } = golden.after('ProviderSaved');
    if (!provider) throw new Error('no record');
    const wire = providerWire(provider);
    expect(wire).toMatchObject({ provider: 'github', iss_required: true, scopes: ['repo'] });
    expect(wire).not.toHaveProperty('resource');
    expect(JSON.stringify(wire)).not.toContain('secret');
    expect(golden.after('ProviderSaved', 'ProviderDeleted').provider?.deleted_at).not.toBeNull();
  });

  it('stand in the lists until they are deleted', () => {
    const row = (...types: Parameters<typeof golden.after>) =>
      providersProjection.rows({ state: golden.after(...types), id: 'prov_1', revision: 1 })[0];
    expect(row('ProviderSaved')).toMatchObject({ scope: ['org_1'], index: { name: 'github' } });
    expect(row('ProviderSaved', 'ProviderDeleted')?.doc).toBeNull();
  });

  it('have one id for each organization and name', () => {
    expect(providerId('org_1', 'github')).toBe(providerId('org_1', 'github'));
    expect(new Set([providerId('org_1', 'a'), providerId('org_1', 'b'), providerId('org_2', 'a')]).size).toBe(3);
  });
});
