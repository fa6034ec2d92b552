import 'reflect-metadata';
import { CountedService } from './testing/counted-service.js';

const turns = 100;
const turnMs = 20;
const gatherMs = 250;
const askedMs = 1000; // a start reads what it goes on from, and who asked is taken to ask again so long

test('TP8: 100 turns without lists are at most one transaction of the views per 250 ms', async () => {
  const service = await CountedService.start({ alone: true });
  try {
    const { id } = await service.call('POST', '/v1/agents', {
      name: 'counted',
      model: 'svc-scripted-1',
      visibility: 'organization',
    });
    const turn = {
      agent_ref: { id },
      session: { mode: 'new' },
      input: { content: [{ type: 'text', text: 'tokens=50' }] },
    };
    await service.streamed('/v1/agents/invoke', turn);
    await service.settled();
    service.pass(askedMs);
    await service.settled();
    const [before, from] = [service.viewsTransactions, service.elapsedMs];
    for (let n = 0; n < turns; n += 1) {
      await service.streamed('/v1/agents/invoke', turn);
      service.pass(turnMs);
    }
    await service.settled();
    const transactions = service.viewsTransactions - before;
    expect(transactions).toBeGreaterThan(0);
    expect(transactions).toBeLessThanOrEqual((service.elapsedMs - from) / gatherMs + 1);
  } finally {
    await service.stop();
  }
}, 120_000);
