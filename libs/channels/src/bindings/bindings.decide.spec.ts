import { Refusal, fold } from '@aos/kernel';
import { given } from '@aos/kernel/testing';
import type { BindingEvent } from '../binding/binding.events.js';
import { bindingKind } from '../binding/binding.state.js';
import { deleteBinding, saveBinding, type BindingBody, type SaveBinding } from './bindings.decide.js';

const at = '2026-01-01T00:00:00.000Z';
const save = (body: Partial<BindingBody> = {}, more: Partial<SaveBinding> = {}): SaveBinding => ({
  orgId: 'org_1',
  agentId: 'agent_1',
  id: 'chan_1',
  body: { provider: 'slack', integration_id: 'conn_1', ...body },
  gone: null,
  by: 'user_1',
  now: at,
  ...more,
});
const saved = (...args: Parameters<typeof save>): BindingEvent[] => saveBinding(save(...args), bindingKind.initial());
const detailsOf = (run: () => unknown): [string, unknown] => {
  try {
    run();
  } catch (error) {
    if (error instanceof Refusal) return [error.code, error.details];
  }
  return ['(none)', null];
};

describe('bindings', () => {
  it('TE13: begin disabled and open for direct messages and mentions', () => {
    const { binding } = fold(bindingKind, saved());
    expect(binding).toMatchObject({
      enabled: false,
      dms: true,
      mentions: true,
      all_messages: false,
      channels: [],
      dm_policy: 'open',
      sender_allow: [],
      reply_mode: 'auto',
    });
    expect(fold(bindingKind, saved({ provider: 'email' })).binding?.dm_policy).toBe('allowlist');
  });

  it('TE12: one agent answers from an account, unless another replaces it or the first is gone', () => {
    const state = fold(bindingKind, saved());
    const other = (more: Partial<SaveBinding> = {}, body: Partial<BindingBody> = {}) =>
      saveBinding(save(body, { agentId: 'agent_2', ...more }), state);
    expect(detailsOf(() => other())).toEqual(['already_exists', { agent_id: 'agent_1' }]);
    expect(other({}, { replace_existing: true })).toMatchObject([{ data: { binding: { agent_id: 'agent_2' } } }]);
    expect(other({ gone: 'agent_1' })).toMatchObject([{ data: { binding: { agent_id: 'agent_2' } } }]);
    expect(detailsOf(() => other({ gone: 'agent_3' }))).toEqual(['already_exists', { agent_id: 'agent_1' }]);
  });

  it('keep their beginning when they are saved again, and say nothing when nothing changed', () => {
    const state = fold(bindingKind, saved());
    const later = { now: '2026-01-02T00:00:00.000Z', by: 'user_2' };
    expect(saveBinding(save({}, later), state)).toEqual([]);
    expect(saveBinding(save({ enabled: true }, later), state)).toMatchObject([
      { data: { binding: { enabled: true, created_at: at, created_by: 'user_1', updated_by: 'user_2' } } },
    ]);
  });

  it('TE16: an inbox is never open, and lists have a bound', () => {
    const argument = (body: Partial<BindingBody>) =>
      (detailsOf(() => saved(body))[1] as { argument?: string }).argument;
    expect(argument({ provider: 'email', dm_policy: 'open' })).toBe('dm_policy');
    expect(argument({ channels: Array.from({ length: 1001 }, (_, index) => `C${index}`) })).toBe('channels');
    expect(argument({ sender_allow: ['x'.repeat(256)] })).toBe('sender_allow');
    expect(argument({ sender_allow: [''] })).toBe('sender_allow');
    expect(argument({ model_route: { mode: 'worker', provider: 'p', model: 'm' } })).toBe('model_route');
  });

  it('are deleted by their own agent only', () => {
    const command = { orgId: 'org_1', agentId: 'agent_1', by: 'user_1', now: at };
    const past = saved();
    given(bindingKind, ...past)
      .when((state) => deleteBinding({ ...command, agentId: 'agent_2' }, state))
      .thenRefuses('not_found');
    given(bindingKind)
      .when((state) => deleteBinding(command, state))
      .thenRefuses('not_found');
    expect(deleteBinding(command, fold(bindingKind, past))).toMatchObject([{ type: 'BindingDeleted' }]);
  });
});
