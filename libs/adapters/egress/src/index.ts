export { GuardedEgress } from './guarded-egress.js';
export type { BlockedAddress, EgressOptions, Resolve, ResolvedAddress } from './guarded-egress.js';
export { isPublicAddress } from './public-address.js';
export { AllowList } from './target.js';
