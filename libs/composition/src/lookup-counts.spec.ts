import 'reflect-metadata';
import { GenerationalCache, ShortLivedMap } from '@aos/kernel';
import { CountedService } from './testing/counted-service.js';

const turns = 10;
/** Of a streamed turn: by names that are mostly put together for it. */
const lookUpsMax = 127;

test(`TP45: a streamed turn looks at most ${lookUpsMax} times into caches and maps of what is under way`, async () => {
  const service = await CountedService.start({ alone: true });
  const lookUps = [
    ...(['get', 'set', 'delete'] as const).map((name) => jest.spyOn(GenerationalCache.prototype, name)),
    ...(['get', 'has', 'set', 'delete'] as const).map((name) => jest.spyOn(ShortLivedMap.prototype, name)),
  ];
  const taken = () => lookUps.reduce((sum, { mock }) => sum + mock.calls.splice(0).length, 0);
  try {
    const agent = await service.call('POST', '/v1/agents', {
      name: 'counted',
      visibility: 'organization',
      model: 'svc-scripted-1',
    });
    const turn = () =>
      service.streamed('/v1/agents/invoke', {
        agent_ref: { id: agent.id },
        session: { mode: 'new' },
        input: { content: [{ type: 'text', text: 'tokens=50' }] },
      });
    await turn();
    await service.settled();
    taken();
    await service.counted(turns, turn);
    const each = taken() / turns;
    expect(each).toBeLessThanOrEqual(lookUpsMax);
    expect(each).toBeGreaterThan(lookUpsMax / 2); // else it counts nothing any more
  } finally {
    jest.restoreAllMocks();
    await service.stop();
  }
}, 120_000);
