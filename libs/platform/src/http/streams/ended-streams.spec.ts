import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ManualClock, bytesGrownOld, viewerOf } from '@aos/kernel/testing';
import { InFlight } from '../server/in-flight.js';
import { SseStreams } from './sse-streams.js';
import { StreamSlots } from './stream-slots.js';

const rounds = 80;
const streamsOf = 64; // a round
const together = 16;
const weight = 256;
const bytesOf = streamsOf * weight * 8;

const identity = viewerOf('org_1');

function opening(): { request: FastifyRequest; reply: FastifyReply; raw: ServerResponse } {
  const message = new IncomingMessage(new Socket());
  const raw = new ServerResponse(message);
  const request = { raw: message, svc: { identity } } as unknown as FastifyRequest;
  const reply = { raw, hijack: () => undefined, getHeaders: () => ({}) } as unknown as FastifyReply;
  return { request, reply, raw };
}

test('streams that ended go with the young generation', async () => {
  const slots = new StreamSlots({ perKey: 0, perOrg: 0, perProcess: 0 });
  const times = { heartbeatSeconds: 15, rotateSeconds: 600 };
  const streams = new SseStreams(slots, new InFlight(), new ManualClock(), times);
  const start = (heavy: number[]) => {
    const { request, reply, raw } = opening();
    streams.start(request, reply, { closed: () => heavy.pop() });
    return raw;
  };
  const open: ServerResponse[] = [];
  const grown = await bytesGrownOld(rounds, async (round) => {
    for (let count = 0; count < streamsOf; count += 1) {
      open.push(start(new Array<number>(weight).fill(round)));
      if (open.length > together) open.shift()?.emit('close');
    }
    for (const raw of open.splice(0)) raw.emit('close');
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate); // what waited for more frames lets go
  });
  expect(streams.open).toBe(0);
  expect(grown / bytesOf).toBeLessThan(rounds * 0.75);
});
