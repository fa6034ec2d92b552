import { eventLogContract } from '@aos/kernel/contracts';
import { KafkaEventLog } from './index.js';
import { kafkaSettings } from './testing/engine.js';

eventLogContract('Kafka', async () => {
  const log = new KafkaEventLog(kafkaSettings());
  return { log, close: () => log.close() };
});
