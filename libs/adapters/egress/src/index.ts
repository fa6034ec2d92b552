export { GuardedEgress } from './guarded-egress.js';
export type { BlockedAddress, EgressOptions, Resolve } from './guarded-egress.js';
export { NameResolver } from './name-resolver.js';
export type { ResolvedAddress } from './system-names.js';
export { isPublicAddress } from './public-address.js';
export { AllowList } from './target.js';
