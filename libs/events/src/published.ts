export { PublicEvents } from './publishing/public-events.js';
export type { SourceEvent } from './publishing/envelope.wire.js';
export type { Envelope } from './publishing/size.limits.js';
export { FeedBell, FeedBells, LiveBusFeedBell } from './doorbell/feed-bell.js';
export { KafkaDoorbell, type KafkaDoorbellParts } from './doorbell/kafka-doorbell.js';
export { partitionOf } from './relay/partition.js';
export { sessionTopic, sourceTopic } from './relay/records.js';
