import { createServer } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Identity } from '@aos/kernel';
import { ManualClock } from '@aos/kernel/testing';
import { finishAnswer } from './answers.js';
import { ReadyServerAdapter } from './nest-adapter.js';
import { LocalRateLimiter, type RateLimiter } from './rate-limit.js';
import { RequestPipeline } from './request-pipeline.js';

const identity = { orgId: 'org_1', principalId: 'svc_1', permissions: new Set() } as unknown as Identity;

function entered(identified: Identity | Promise<Identity>, limiter: RateLimiter | null = null): unknown {
  const pipeline = new RequestPipeline({
    identities: () => ({ identify: () => identified }),
    limiter: () => limiter,
  } as unknown as ConstructorParameters<typeof RequestPipeline>[0]);
  const headers = { host: 'here' };
  const raw = { url: '/', rawHeaders: [], headers, httpVersionMajor: 1, httpVersionMinor: 1, socket: {} };
  const request = { routeOptions: { config: { bound: {} } }, params: {}, headers, raw, ip: '127.0.0.1' };
  const reply = { header: () => reply, headers: () => reply };
  return pipeline.enter(request as unknown as FastifyRequest, reply as unknown as FastifyReply);
}

/** What an answer of so many characters becomes on its way out. */
function finished(characters: number): unknown {
  const headers = new Map([['content-type', 'application/json']]);
  const reply = {
    statusCode: 200,
    getHeader: (name: string) => headers.get(name),
    header: (name: string, value: string) => headers.set(name, value),
  };
  const request = { svc: null, method: 'GET', headers: { 'accept-encoding': 'gzip' } };
  return finishAnswer(request as unknown as FastifyRequest, reply as unknown as FastifyReply, 'y'.repeat(characters));
}

describe('TP43: on the way of a request', () => {
  it('a promise is made only where something has to be waited for', async () => {
    const limiter = new LocalRateLimiter({ keyPerMinute: 60, orgPerMinute: 60 }, new ManualClock());
    expect([entered(identity), entered(identity, limiter)]).toEqual([undefined, undefined]);
    expect(finished(1_000)).toBe('y'.repeat(1_000));
    for (const waiting of [entered(Promise.resolve(identity)), finished(2_000)]) {
      expect(waiting).toBeInstanceOf(Promise);
      await waiting;
    }
  });

  it('Nest adds no hook', () => {
    const addHook = jest.fn();
    const server = { server: createServer(), addHook } as unknown as FastifyInstance;
    expect(new ReadyServerAdapter(server).getInstance()).toBe(server);
    expect(addHook).not.toHaveBeenCalled();
  });
});
