import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { engine } from './fleet.js';

export interface TopicRecord {
  partition: number;
  offset: number;
  key: string;
  headers: Record<string, string>;
  value: string;
}

/** The console consumer ends when nothing has come for so long. */
const silenceMs = 4_000;
const longSilenceMs = 30_000;
const fieldSeparator = '\t';
const headerSeparator = '|~|';
const errorsKept = 5_000;

export const publicTopic = 'svc.source-events.v1';

/** The class path of Kafka's own tools; `tools/fleet-tests.mjs` names it. */
export function kafkaClassPath(): string {
  const path = process.env['KAFKA_CLASS_PATH'];
  if (!path) throw new Error('KAFKA_CLASS_PATH names the jars of Kafka: run these suites with `npm run test:fleet`');
  return path;
}

/**
 * Everything on a topic from its beginning, as Kafka's own console consumer prints it: no code of ours reads it. One
 * that saw nothing is given more time: on a slow machine it ends before it has begun.
 */
export async function consoleConsumer(topic: string): Promise<TopicRecord[]> {
  const records = await printed(topic, silenceMs);
  return records.length > 0 ? records : printed(topic, longSilenceMs);
}

async function printed(topic: string, endsAfterMs: number): Promise<TopicRecord[]> {
  const shown = ['key', 'headers', 'partition', 'offset'].flatMap((what) => ['--property', `print.${what}=true`]);
  const child = spawn(
    'java',
    [
      '-Xmx256m',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      kafkaClassPath(),
      'org.apache.kafka.tools.consumer.ConsoleConsumer',
      '--bootstrap-server',
      engine('kafka').url,
      '--topic',
      topic,
      '--from-beginning',
      '--timeout-ms',
      String(endsAfterMs),
      ...shown,
      '--property',
      `key.separator=${fieldSeparator}`,
      '--property',
      `headers.separator=${headerSeparator}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-errorsKept);
  });
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const records: TopicRecord[] = [];
  for await (const line of lines(child.stdout)) records.push(recordOf(line));
  await exited;
  if (!/Processed a total of \d+ messages/.test(errors)) throw new Error(`the console consumer failed:\n${errors}`);
  return records;
}

/** Ends of lines are line feeds and nothing else: what a person wrote may hold any other mark. */
async function* lines(stream: Readable): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    yield* parts;
  }
}

/** `Partition:3<tab>Offset:5<tab>name:value|~|name:value<tab>key<tab>value` */
function recordOf(line: string): TopicRecord {
  const [partition = '', offset = '', headers = '', key = '', ...value] = line.split(fieldSeparator);
  return {
    partition: Number(partition.replace('Partition:', '')),
    offset: Number(offset.replace('Offset:', '')),
    key,
    value: value.join(fieldSeparator),
    headers: Object.fromEntries(
      headers
        .split(headerSeparator)
        .map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]),
    ),
  };
}

/**
 * What a consumer keeps that follows the documented rule: of each key only what lies above the last place taken.
 * Throws when a record that is there twice differs in anything but its place on the topic.
 */
export function taken(records: readonly TopicRecord[]): Map<string, TopicRecord[]> {
  const first = new Map<string, string>();
  const byKey = new Map<string, TopicRecord[]>();
  for (const record of [...records].sort((a, b) => a.partition - b.partition || a.offset - b.offset)) {
    const { headers, key, value } = record;
    const id = String(headers['ce_id']);
    const text = JSON.stringify([key, headers, value]);
    if ((first.get(id) ?? text) !== text)
      throw new Error(`${id} is there twice and not the same:\n${first.get(id)}\n${text}`);
    first.set(id, text);
    const kept = byKey.get(key) ?? [];
    if (String(headers['ce_position']) > String(kept.at(-1)?.headers['ce_position'] ?? ''))
      byKey.set(key, [...kept, record]);
  }
  return byKey;
}
