import { KafkaEventLog } from '@aos/adapters/kafka';
import { eventLogContract } from '@aos/kernel/contracts';
import { kafkaContainer } from './containers.js';

const broker = kafkaContainer();

eventLogContract('Kafka in a container', async () => {
  const log = new KafkaEventLog({ brokers: [broker()], clientId: 'containers' });
  return { log, close: () => log.close() };
});
