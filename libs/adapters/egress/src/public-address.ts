import ipaddr from 'ipaddr.js';

/** Reach a host's own platform although the registry calls them ordinary unicast. */
const deniedV4 = ['168.63.129.16/32'].map((range) => ipaddr.IPv4.parseCIDR(range));
/** All global IPv6 unicast lies here; outside are mapped, compatible, translated, local and unassigned forms. */
const globalV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Tells whether an address is one of the public internet (control S27).
 *
 * Takes    an IPv4 or IPv6 address in any form the resolver or a URL gives, without brackets; IPv4 inside IPv6 counts
 *          as its IPv4.
 * Gives    false for everything that is not plain public unicast, also for text that is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6) return parsed.match(globalV6);
  return !deniedV4.some((range) => parsed.match(range));
}

/** One spelling per address, so that two can be compared; null for text that is no address. */
export function canonicalAddress(address: string): string | null {
  const bare = address.split('%', 1)[0] ?? '';
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toNormalizedString() : null;
}
