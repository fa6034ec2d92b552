import type { ConsumedRecord } from '@aos/kernel';
import type { IHeaders, KafkaMessage } from 'kafkajs';

function headersOf(headers: IHeaders | undefined): Record<string, string> {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    const one = Array.isArray(value) ? value.at(-1) : value;
    if (one !== undefined) plain[name] = one.toString();
  }
  return plain;
}

export function consumedRecord(
  topic: string,
  partition: number,
  { key, value, headers, offset }: KafkaMessage,
): ConsumedRecord {
  return {
    topic,
    partition,
    offset,
    key: key?.toString() ?? '',
    value: value ?? new Uint8Array(),
    headers: headersOf(headers),
  };
}
