import { goldenOf } from '@aos/kernel/testing';
import { exchangeId, exchangeKind } from './exchange.state.js';
import { exchangeTimersProjection } from './timers.projection.js';

const golden = goldenOf(__dirname, exchangeKind);

describe('recorded events of exchanges', () => {
  it('are all kept, at every version', () => {
    expect(golden.missing).toEqual([]);
  });

  it('say what they meant', () => {
    expect(golden.after('MessageArrived')).toMatchObject({ status: 'arrived', exchange: { message_id: 'm-1' } });
    expect(golden.after('ExchangeIgnored')).toMatchObject({ status: 'ignored', reason: 'not_mentioned' });
    const admitted = ['MessageArrived', 'ExchangeAdmitted'] as const;
    expect(golden.after(...admitted)).toMatchObject({ status: 'admitted', turnId: 'turn_1', attempts: 0 });
    expect(golden.after(...admitted, 'ReplyBegun')).toMatchObject({ status: 'replying', attempts: 1 });
    expect(golden.after(...admitted, 'ReplyBegun', 'ReplyFailed')).toMatchObject({
      status: 'replying',
      nextAttemptAt: '2026-01-01T00:00:08.000Z',
    });
    expect(golden.after(...admitted, 'ReplyBegun', 'ReplyDelivered')).toMatchObject({ status: 'delivered' });
    expect(golden.after(...admitted, 'ReplyAbandoned')).toMatchObject({ status: 'abandoned', reason: 'http_status' });
  });

  it('stand on the timer while a turn is not started, and while a reply is under way', () => {
    const timers = (...types: Parameters<typeof golden.after>) =>
      exchangeTimersProjection
        .rows({ state: golden.after(...types), id: 'exch_1', revision: 1 })
        .map(({ index, doc }) => (doc === null ? null : index.at));
    const ms = (time: string) => Date.parse(`2026-01-01T00:00:${time}.000Z`);
    expect(timers('MessageArrived')).toEqual([ms('02'), null]);
    expect(timers('ExchangeIgnored')).toEqual([null, null]);
    expect(timers('MessageArrived', 'ExchangeAdmitted')).toEqual([null, null]);
    expect(timers('MessageArrived', 'ExchangeAdmitted', 'ReplyBegun')).toEqual([null, ms('32')]);
    expect(timers('MessageArrived', 'ExchangeAdmitted', 'ReplyBegun', 'ReplyFailed')).toEqual([null, ms('08')]);
    expect(timers('MessageArrived', 'ExchangeAdmitted', 'ReplyBegun', 'ReplyDelivered')).toEqual([null, null]);
  });

  it('TE13: one message of one connection has one id', () => {
    const ids = [
      exchangeId('org_1', 'conn_1', 'm-1'),
      exchangeId('org_1', 'conn_1', 'm-2'),
      exchangeId('org_1', 'conn_2', 'm-1'),
      exchangeId('org_2', 'conn_1', 'm-1'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    expect(exchangeId('org_1', 'conn_1', 'm-1')).toBe(ids[0]);
  });
});
