import { goldenOf } from '@aos/kernel/testing';
import { bindingsProjection } from './binding.projection.js';
import { bindingId, bindingKind } from './binding.state.js';
import { bindingWire } from './binding.wire.js';

const golden = goldenOf(__dirname, bindingKind);

describe('recorded events of messaging bindings', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    const { binding } = golden.after('BindingSaved');
    expect(binding && bindingWire(binding)).toMatchObject({
      provider: 'slack',
      integration_id: 'conn_1',
      dm_policy: 'allowlist',
      model_route: { mode: 'managed', model: 'svc-scripted-1' },
      compaction_policy: { strategy: 'manual' },
    });
    expect(binding && bindingWire(binding)).not.toHaveProperty('org_id');
    expect(golden.after('BindingSaved', 'BindingDeleted').binding).toBeNull();
  });

  it('stand in the list of their agent until they are deleted', () => {
    const row = (...types: Parameters<typeof golden.after>) =>
      bindingsProjection.rows({ state: golden.after(...types), id: 'chan_1', revision: 0 })[0];
    expect(row('BindingSaved')).toMatchObject({ scope: ['org_1'], index: { agent: 'agent_1' }, doc: {} });
    expect(row('BindingSaved', 'BindingDeleted')?.doc).toBeNull();
  });

  it('TE12: one account has one binding; the account of a mail is the inbox of its agent', () => {
    const slack = { provider: 'slack' as const, integration_id: 'conn_1', agent_id: 'agent_1' };
    expect(bindingId('org_1', { ...slack, agent_id: 'agent_2' })).toBe(bindingId('org_1', slack));
    const ids = [
      bindingId('org_1', slack),
      bindingId('org_2', slack),
      bindingId('org_1', { ...slack, provider: 'linear' }),
      bindingId('org_1', { ...slack, integration_id: 'conn_2' }),
      bindingId('org_1', { ...slack, provider: 'email' }),
      bindingId('org_1', { ...slack, provider: 'email', agent_id: 'agent_2' }),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    const inbox = { ...slack, provider: 'email' as const };
    expect(bindingId('org_1', { ...inbox, integration_id: 'conn_2' })).toBe(bindingId('org_1', inbox));
  });
});
