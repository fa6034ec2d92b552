import { SpecEngine } from '@aos/kernel/testing';
import type { KafkaSettings } from '../kafka-client.js';

export const kafkaEngine = new SpecEngine('kafka', 'SVC_KAFKA_BROKERS');

/** The brokers of this run. */
export function kafkaSettings(): KafkaSettings {
  return { brokers: kafkaEngine.address.split(','), clientId: 'spec' };
}
