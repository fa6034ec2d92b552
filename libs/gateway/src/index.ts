export { gatewayModule } from './gateway.module.js';
export { GatewayProxy } from './proxy/gateway-proxy.js';
export { OpenStreams } from './proxy/open-streams.js';
export { HttpCommandGateway } from './routing/http-command-gateway.js';
export { SharedRateLimiter, type SharedBuckets } from './limits/shared-rate-limiter.js';
export { SharedStreamSlots, type SharedMembers } from './limits/shared-stream-slots.js';
export { IdentityRefused, Upstreams, UpstreamDown, type Answer, type Forwarded } from './routing/upstreams.js';
export {
  ownOperationsOnly,
  ownerOfCommand,
  ownersOf,
  serviceNames,
  services,
  type Owner,
  type ServiceName,
} from './routing/services.js';
