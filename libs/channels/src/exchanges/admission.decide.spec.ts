import { given } from '@aos/kernel/testing';
import type { BindingRecord } from '../binding/binding.events.js';
import type { ExchangeEvent, ExchangeRecord } from '../exchange/exchange.events.js';
import { exchangeKind } from '../exchange/exchange.state.js';
import { abandon, admit, arrive, whyIgnored, type Heard } from './admission.decide.js';

const at = '2026-01-01T00:00:00.000Z';
const binding: BindingRecord = {
  id: 'chan_1',
  org_id: 'org_1',
  agent_id: 'agent_1',
  provider: 'slack',
  integration_id: 'conn_1',
  enabled: true,
  dms: true,
  mentions: true,
  all_messages: false,
  channels: [],
  dm_policy: 'open',
  sender_allow: [],
  reply_mode: 'auto',
  model_route: null,
  compaction_policy: null,
  created_by: 'user_1',
  created_at: at,
  updated_by: 'user_1',
  updated_at: at,
};
const dm: Heard = { channel: { id: 'D1', kind: 'dm' }, sender: { id: 'U1' }, isBot: false, mentionsAgent: false };
const said: Heard = { ...dm, channel: { id: 'C1', kind: 'channel' } };
const mention: Heard = { ...said, mentionsAgent: true };

describe('a message of a channel', () => {
  it.each<[string | null, Partial<BindingRecord>, Heard]>([
    [null, {}, dm],
    [null, {}, mention],
    [null, { all_messages: true, mentions: false }, said],
    [null, { channels: ['C1'] }, mention],
    [null, { dm_policy: 'allowlist', sender_allow: ['U1'] }, dm],
    [null, { dm_policy: 'disabled', dms: false }, mention],
    ['not_enabled', { enabled: false }, dm],
    ['bot', {}, { ...dm, isBot: true }],
    ['bot', { all_messages: true }, { ...mention, isBot: true }],
    ['dms_off', { dms: false }, dm],
    ['dm_policy', { dm_policy: 'disabled' }, dm],
    ['sender_not_allowed', { dm_policy: 'allowlist', sender_allow: ['U2'] }, dm],
    ['channel_not_listed', { channels: ['C2'], all_messages: true }, mention],
    ['not_mentioned', {}, said],
    ['not_mentioned', { mentions: false }, mention],
  ])('TE13: %s under %j', (reason, changed, heard) => {
    expect(whyIgnored({ ...binding, ...changed }, heard, true)).toBe(reason);
  });

  it('TE13: has no answer without a binding, or an agent that is there', () => {
    expect(whyIgnored(null, dm, true)).toBe('no_binding');
    expect(whyIgnored(binding, dm, false)).toBe('agent_unavailable');
  });
});

describe('an exchange', () => {
  const exchange: ExchangeRecord = {
    id: 'exch_1',
    org_id: 'org_1',
    provider: 'slack',
    integration_id: 'conn_1',
    message_id: 'm-1',
    channel: dm.channel,
    sender: dm.sender,
    text: 'Hello',
    agent_id: 'agent_1',
    binding_id: 'chan_1',
    arrived_at: at,
  };
  const arrived: ExchangeEvent = { type: 'MessageArrived', data: { exchange } };
  const turn = { session_id: 'ses_1', turn_id: 'turn_1', at };
  const admitted: ExchangeEvent = { type: 'ExchangeAdmitted', data: turn };

  it('TE13: begins once, with what the binding said then', () => {
    given(exchangeKind)
      .when((state) => arrive({ exchange, ignored: null }, state))
      .thenEvents(arrived);
    given(exchangeKind)
      .when((state) => arrive({ exchange, ignored: 'bot' }, state))
      .thenEvents({ type: 'ExchangeIgnored', data: { exchange, reason: 'bot' } });
    given(exchangeKind, arrived)
      .when((state) => arrive({ exchange, ignored: 'bot' }, state))
      .thenNothing();
  });

  it('has one turn, and ends once', () => {
    given(exchangeKind, arrived)
      .when((state) => admit(turn, state))
      .thenEvents(admitted);
    given(exchangeKind, arrived, admitted)
      .when((state) => admit({ ...turn, turn_id: 'turn_2' }, state))
      .thenNothing();
    const end: ExchangeEvent = { type: 'ReplyAbandoned', data: { attempt: 0, reason: 'turn_failed', at } };
    given(exchangeKind, arrived, admitted)
      .when((state) => abandon({ reason: 'turn_failed', at }, state))
      .thenEvents(end);
    given(exchangeKind, arrived, admitted, end)
      .when((state) => abandon({ reason: 'turn_failed', at }, state))
      .thenNothing();
    given(exchangeKind)
      .when((state) => abandon({ reason: 'turn_failed', at }, state))
      .thenNothing();
  });
});
