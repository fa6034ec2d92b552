import type { FastifyRequest } from 'fastify';
import { comesFromHere, isLoopback } from './from-here.js';

const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}, url = '/x') =>
  comesFromHere({
    raw: { url, headers: { host: '127.0.0.1:8080', ...headers }, socket: { remoteAddress, localPort: 8080 } },
  } as unknown as FastifyRequest);

describe('CO4: a request of this machine', () => {
  it.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])('has a loopback address: %s', (address) => {
    expect(from(address)).toBe(true);
  });

  it.each(['10.0.0.1', '192.168.1.2', '::ffff:10.0.0.1', 'fe80::1', '::', '0.0.0.0', '128.0.0.1', '', undefined])(
    'has no other address: %s',
    (address) => {
      expect(from(address)).toBe(false);
    },
  );

  it('has a path, not the address of another server, and a host', () => {
    expect(from('127.0.0.1', {}, 'http://evil.example/x')).toBe(false);
    expect(from('127.0.0.1', { host: '' })).toBe(false);
  });

  it.each([
    ['127.0.0.1', true],
    ['localhost', true],
    ['::1', true],
    ['0.0.0.0', false],
    ['::', false],
    ['192.168.1.2', false],
    ['localhost.evil', false],
    ['', false],
  ])('listens to itself alone on %s: %s', (host, is) => {
    expect(isLoopback(host)).toBe(is);
  });
});
