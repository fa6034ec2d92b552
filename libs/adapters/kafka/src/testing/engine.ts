import type { KafkaSettings } from '../kafka-client.js';

/** The brokers that `tools/engine-tests.mjs` started or was given; missing ones fail the suite. */
export function kafkaSettings(): KafkaSettings {
  const brokers = process.env['SVC_KAFKA_BROKERS'];
  if (!brokers) throw new Error('SVC_KAFKA_BROKERS is not set: run tools/engine-tests.mjs');
  return { brokers: brokers.split(','), clientId: 'spec' };
}

/** Stops or starts the broker of this run. Resolves when that is done. */
export async function engineKafka(verb: 'restart' | 'halt' | 'kill' | 'resume'): Promise<void> {
  const control = process.env['SVC_ENGINES_CONTROL'];
  if (!control) throw new Error('SVC_ENGINES_CONTROL is not set: run tools/engine-tests.mjs without SVC_KAFKA_BROKERS');
  const answer = await fetch(`${control}/kafka/${verb}`, { method: 'POST' });
  if (!answer.ok) throw new Error(`kafka ${verb}: ${await answer.text()}`);
}
