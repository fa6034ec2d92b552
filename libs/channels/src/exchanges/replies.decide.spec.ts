import { goldenOf } from '@aos/kernel/testing';
import { fold } from '@aos/kernel';
import type { ExchangeEvent } from '../exchange/exchange.events.js';
import { replyTriesMax } from '../exchange/exchange.limits.js';
import { exchangeKind } from '../exchange/exchange.state.js';
import { endReply, startReply } from './replies.decide.js';
import { join } from 'node:path';

const golden = goldenOf(join(__dirname, '..', 'exchange'), exchangeKind);
const admitted = [golden.recorded('MessageArrived'), golden.recorded('ExchangeAdmitted')];
const now = Date.parse('2026-01-01T00:00:02.000Z');
const begin = { first: true, nowMs: now, givenUpAfterMs: 30_000 };
const timer = { ...begin, first: false };
const start = (past: ExchangeEvent[], command = begin) => startReply(command, fold(exchangeKind, past));
const end = (past: ExchangeEvent[], error: string | null, attempt = 1) =>
  endReply(
    { attempt, nowMs: now, random: 0.5, statusCode: error === null ? 204 : 500, error },
    fold(exchangeKind, past),
  );

describe('a reply', () => {
  it('TE15: is begun once the turn has ended, and then by its timer only', () => {
    const begun = start(admitted);
    expect(begun).toEqual([
      {
        type: 'ReplyBegun',
        data: { attempt: 1, at: '2026-01-01T00:00:02.000Z', due_again_at: '2026-01-01T00:00:32.000Z' },
      },
    ]);
    expect(start(admitted, timer)).toEqual([]);
    expect(start([...admitted, ...begun])).toEqual([]);
    expect(start([...admitted, ...begun], timer)).toEqual([]);
    expect(start([...admitted, ...begun], { ...timer, nowMs: now + 30_000 })).toMatchObject([{ data: { attempt: 2 } }]);
    expect(start([golden.recorded('ExchangeIgnored')])).toEqual([]);
  });

  it('I35: is tried 20 times, 5 s after the first and then ever later', () => {
    let past = [...admitted];
    let at = now;
    const waits: number[] = [];
    for (let attempt = 1; attempt < replyTriesMax; attempt += 1) {
      past = [...past, ...startReply({ ...begin, first: attempt === 1, nowMs: at }, fold(exchangeKind, past))];
      const command = { attempt, nowMs: at, random: 0.5, statusCode: 500, error: 'http_status' };
      const failed = endReply(command, fold(exchangeKind, past));
      expect(failed).toMatchObject([{ type: 'ReplyFailed' }]);
      const [event] = failed;
      const next = event?.type === 'ReplyFailed' ? Date.parse(event.data.next_attempt_at) : 0;
      waits.push((next - at) / 1000);
      past = [...past, ...failed];
      at = next;
    }
    expect([waits[0], waits[1], waits.at(-1)]).toEqual([5, 10, 10_800]);
    past = [...past, ...startReply({ ...timer, nowMs: at }, fold(exchangeKind, past))];
    expect(end(past, 'http_status', replyTriesMax)).toMatchObject([
      { type: 'ReplyAbandoned', data: { attempt: replyTriesMax, reason: 'http_status' } },
    ]);
    expect(start(past, { ...timer, nowMs: at + 30_000 })).toMatchObject([
      { type: 'ReplyAbandoned', data: { reason: 'interrupted' } },
    ]);
  });

  it('ends by whichever try was taken, and fails by the newest only', () => {
    const twice = [...admitted, ...start(admitted)];
    const newest = [...twice, ...start(twice, { ...timer, nowMs: now + 30_000 })];
    expect(end(newest, 'timeout', 1)).toEqual([]);
    expect(end(newest, null, 1)).toMatchObject([{ type: 'ReplyDelivered', data: { attempt: 1, status_code: 204 } }]);
    expect(end([...newest, ...end(newest, null, 1)], null, 2)).toEqual([]);
  });
});
