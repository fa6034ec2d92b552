import { StoreRefused, StoreUnavailable } from '@aos/kernel';
import { ManualClock, eventually } from '@aos/kernel/testing';
import type { Log } from '@aos/platform';
import { enginesAnswer } from './engines-answer.js';

function silentLog(lines: string[]): Log {
  const note = (message: string) => {
    lines.push(message);
  };
  return { debug: note, info: note, warn: note, error: note } as unknown as Log;
}

describe('a start waits for its engines', () => {
  it('until each answered once, in any order, and says so once a minute', async () => {
    const [clock, lines] = [new ManualClock(), [] as string[]];
    const down = new Set(['event_store', 'redis']);
    let asked = 0;
    const engine = (name: string) => ({
      name,
      setting: 'SVC_X',
      check: () => {
        asked += 1;
        return down.has(name) ? Promise.reject(new StoreUnavailable('away')) : Promise.resolve();
      },
    });
    let isDone = false;
    const done = enginesAnswer({ clock, log: silentLog(lines) }, [
      engine('event_store'),
      engine('redis'),
      engine('kafka'),
    ]).then(() => {
      isDone = true;
    });
    await eventually('a first line', () => lines.length === 1);
    expect(lines[0]).toBe('waiting for event_store');
    for (let second = 0; second < 125; second += 1) {
      const before = asked;
      clock.advance(500);
      await eventually('both are asked again', () => asked === before + 2);
    }
    expect(lines).toEqual(['waiting for event_store', 'waiting for event_store, redis']);
    down.delete('event_store');
    clock.advance(500);
    down.delete('redis');
    await eventually('the end', () => {
      clock.advance(500);
      return isDone;
    });
    await done;
    expect(lines.at(-1)).toBe('every engine answers');
  });

  it('and ends at once when one of them refuses the account', async () => {
    const engines = [
      {
        name: 'redis',
        setting: 'SVC_REDIS_URL',
        check: () => Promise.reject(new StoreRefused('user or password is not let in (WRONGPASS)')),
      },
      { name: 'kafka', setting: 'SVC_KAFKA_BROKERS', check: () => Promise.reject(new StoreUnavailable('away')) },
    ];
    await expect(enginesAnswer({ clock: new ManualClock(), log: silentLog([]) }, engines)).rejects.toMatchObject({
      name: 'SettingsRefused',
      faults: ['SVC_REDIS_URL: user or password is not let in (WRONGPASS)'],
    });
  });
});
