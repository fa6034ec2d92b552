export { KafkaEventLog } from './event-log.js';
export type { KafkaSettings } from './kafka-client.js';
