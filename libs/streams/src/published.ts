export { SessionFeedsModule } from './streams.module.js';
export { SessionStreams } from './http/session-streams.js';
export { SessionFeeds } from './feed/session-feeds.js';
export { Doorbell, Doorbells, LiveBusDoorbell, MoreDoorbells } from './feed/doorbell.js';
