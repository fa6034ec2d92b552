import type { FastifyRequest } from 'fastify';
import { parse } from 'ipaddr.js';
import { plainAddress } from './client-address.js';

/** A name or address of this machine, with the port. */
const hostForm = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;
const portOfHttp = 80;
/** Headers that a proxy adds. */
const forwarding = /^(?:forwarded|via|x-real-ip|x-forwarded-.*|cf-connecting-ip|true-client-ip)$/;

/** Whether an address to listen on is reached from this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || addressIsLoopback(host);
}

/**
 * Whether a program of this machine asks, for itself and under a name of this machine: no proxy passes the request on,
 * and no page of another address sends it, also where that has a name which leads here.
 */
export function comesFromHere({ raw }: FastifyRequest): boolean {
  const { headers, socket } = raw;
  const [, , port] = hostForm.exec(headers.host ?? '') ?? [null, null, null];
  if (!hostForm.test(headers.host ?? '') || Number(port ?? portOfHttp) !== socket.localPort) return false;
  if (!addressIsLoopback(socket.remoteAddress ?? '')) return false;
  if (!raw.url?.startsWith('/') || Object.keys(headers).some((name) => forwarding.test(name))) return false;
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`) return false;
  return headers['sec-fetch-site'] === undefined || headers['sec-fetch-site'] === 'same-origin';
}

function addressIsLoopback(address: string): boolean {
  const plain = plainAddress(address);
  if (plain === null) return false;
  try {
    return parse(plain).range() === 'loopback';
  } catch {
    return false; // no address
  }
}
