import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { IPv6, parse, parseCIDR } from 'ipaddr.js';

/** An address without the IPv6 form of an IPv4 one; null for none. */
export function plainAddress(ip: string | undefined): string | null {
  if (ip === undefined || ip === '') return null;
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;
}

/**
 * Address of who asks, as the trusted proxies tell it.
 *
 * What such a proxy passes on in `X-Forwarded-For` and is no address is ignored, with all before it: the nearest
 * address counts.
 */
export function clientAddress(request: FastifyRequest): string | null {
  const told = plainAddress(request.ip);
  if (told === null || isIP(told) !== 0) return told;
  return plainAddress(request.ips?.findLast((address) => isIP(plainAddress(address) ?? '') !== 0));
}

/** Whether an address lies in one of the ranges of the trusted proxies. */
export function trustedBy(ranges: readonly string[]): (address: string | undefined) => boolean {
  const parsed = ranges.map((range) => parseCIDR(range));
  return (address) => {
    const plain = plainAddress(address);
    if (plain === null || isIP(plain) === 0) return false;
    const ip = parse(plain);
    return parsed.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network, bits));
  };
}

/** What counts as one address where addresses are counted: an IPv6 network of 64 bits belongs to one subscriber. */
export function countedAddress(ip: string | null): string {
  const plain = plainAddress(ip ?? undefined);
  if (plain === null || isIP(plain) !== 6) return plain ?? 'unknown';
  const network = parse(plain);
  return network instanceof IPv6
    ? `${network.parts
        .slice(0, 4)
        .map((part) => part.toString(16))
        .join(':')}::/64`
    : plain;
}
