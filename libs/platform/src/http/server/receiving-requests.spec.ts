import type { FastifyRequest } from 'fastify';
import { bytesGrownOld } from '@aos/kernel/testing';
import { ReceivingRequests } from './receiving-requests.js';

const rounds = 80;
const together = 16;
const weight = 1024;
const bytesOf = together * weight * 8;

function request(body: number[]): FastifyRequest {
  const headers = { 'content-length': '1' };
  return { headers, routeOptions: { config: {} }, raw: {}, body } as unknown as FastifyRequest;
}

test('requests that were received go with the young generation', async () => {
  const receiving = new ReceivingRequests({ requestTimeoutMs: 60_000, checkIntervalMs: 60_000 });
  const grown = await bytesGrownOld(rounds, (round) => {
    const received = Array.from({ length: together }, () => request(new Array<number>(weight).fill(round)));
    for (const one of received) receiving.begin(one);
    for (const one of received) receiving.received(one);
  });
  receiving.close();
  expect(grown / bytesOf).toBeLessThan(rounds / 4);
});
