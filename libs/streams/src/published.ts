export { SessionFeedsModule } from './streams.module.js';
export { SessionStreams } from './http/session-streams.js';
export { SessionFeeds } from './feed/session-feeds.js';
export { ChangeNotifier, ChangeNotifiers, LiveBusChangeNotifier, MoreChangeNotifiers } from './feed/change-notifier.js';
