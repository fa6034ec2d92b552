import { MemoryEventStore } from '@aos/adapters/memory';
import { CountingIds, ManualClock, eventually } from '@aos/kernel/testing';
import { DueTimers, serviceActor } from '@aos/platform';
import { memoryDecisions } from '@aos/platform/testing';
import type { ChannelTurns } from '@aos/sessions/published';
import { exchangeDecider } from '../exchange.decider.js';
import type { ExchangeRecord } from '../exchange/exchange.events.js';
import { exchangeKind } from '../exchange/exchange.state.js';
import type { ExchangeIntake } from './exchange-intake.js';
import type { ReplyCarriers } from './reply-carriers.js';
import { ReplySender } from './reply-sender.js';

const at = '2026-01-01T00:00:00.000Z';

function world() {
  const clock = new ManualClock();
  const decisions = memoryDecisions({ store: new MemoryEventStore({ clock }), clock });
  const sent: string[] = [];
  const send: ReplyCarriers['send'] = async ({ id, integration_id }, _text, signal) => {
    sent.push(id);
    if (integration_id === 'conn_hangs')
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
    return signal.aborted ? { statusCode: null, error: 'aborted' } : { statusCode: 200, error: null };
  };
  const answer: ChannelTurns['answer'] = () => Promise.resolve({ status: 'completed', text: 'an answer' });
  let due: Parameters<DueTimers['register']>[1] | null = null;
  const timers: Pick<DueTimers, 'register'> = {
    register: (_name, handler) => {
      due = handler;
    },
  };
  const sender = new ReplySender(
    decisions,
    {} as ExchangeIntake,
    { answer } as ChannelTurns,
    { send } as ReplyCarriers,
    timers as DueTimers,
    clock,
    new CountingIds(),
  );
  sender.onModuleInit();
  /** A message whose turn has ended; its answer begins to leave. */
  const ended = async (id: string, connectionId: string) => {
    const exchange: ExchangeRecord = {
      ...{ id, org_id: 'org_1', provider: 'slack', integration_id: connectionId, message_id: id, text: 'Hello' },
      ...{ channel: { id: 'D1', kind: 'dm' }, sender: { id: 'U1' }, agent_id: 'agent_1', binding_id: 'chan_1' },
      arrived_at: at,
    };
    const actor = serviceActor('org_1', 'svc_1', id);
    await decisions.decide(exchangeDecider.arrive, id, actor, { exchange, ignored: null });
    await decisions.decide(exchangeDecider.admit, id, actor, { session_id: 'ses_1', turn_id: 'turn_1', at });
    await sender.first('org_1', id);
  };
  const stateOf = async (id: string) => (await decisions.load(exchangeKind, id)).state;
  const comesDue = async (id: string) => due?.({ org_id: 'org_1', exchange_id: id }, clock.now());
  return { clock, sender, sent, ended, stateOf, comesDue };
}

describe('answers that leave (rules TE15, TE132)', () => {
  it('a connection that hangs keeps up no other: what it has no room for is put off', async () => {
    const { clock, sender, sent, ended, stateOf, comesDue } = world();
    for (let n = 0; n < 70; n += 1) await ended(`exch_${n}`, 'conn_hangs');
    await eventually('those with room left', () => sent.length === 64);
    await ended('exch_good', 'conn_good');
    await eventually('it was delivered', async () => (await stateOf('exch_good')).status === 'delivered');
    const late = await stateOf('exch_69');
    expect(late).toMatchObject({ status: 'replying', attempts: 1 });
    const waitMs = Date.parse(late.nextAttemptAt ?? '') - clock.now();
    expect([waitMs > 4_000, waitMs < 6_000]).toEqual([true, true]);
    clock.advance(6_000);
    await comesDue('exch_69');
    expect(await stateOf('exch_69')).toEqual(late);
    expect(sent).toHaveLength(65);
    await sender.onApplicationShutdown();
  });
});
