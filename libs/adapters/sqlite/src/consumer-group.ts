import type { ConsumedRecord, ConsumeOptions, LogConsumer } from '@aos/kernel';
import type { ViewRow, ViewsFile } from './views-file.js';

const FETCH_RECORDS = 500;
const FETCH_WAIT_MS = 250;
const BACKOFF_FIRST_MS = 50;
const BACKOFF_MAX_MS = 5000;

type Handler = (records: ConsumedRecord[]) => Promise<void>;

interface Member {
  options: ConsumeOptions;
  handler: Handler;
  busy: Promise<void> | null;
}

export function consumed(row: ViewRow): ConsumedRecord {
  return {
    topic: row['topic'] as string,
    partition: row['partition'] as number,
    offset: String(row['id']),
    key: row['key'] as string,
    value: row['value'] as Uint8Array,
    headers: JSON.parse(row['headers'] as string) as Record<string, string>,
  };
}

/** The consumers of one group in this process. One loop fetches for all and gives each member the partitions of its share. */
export class ConsumerGroup {
  private members: Member[] = [];
  /** Topic -> the last record that was handled. */
  private readonly handled = new Map<string, number>();
  private readonly closing = new AbortController();
  private rung = true;
  private wake: () => void = () => undefined;
  private readonly running: Promise<void>;

  constructor(
    private readonly views: ViewsFile,
    private readonly options: ConsumeOptions,
    private readonly onEmpty: () => void,
  ) {
    this.running = Promise.resolve().then(() => this.run());
  }

  join(options: ConsumeOptions, handler: Handler): LogConsumer {
    const member: Member = { options, handler, busy: null };
    for (const topic of options.topics)
      if (!this.handled.has(topic)) this.handled.set(topic, this.beginning(topic, options));
    this.members.push(member);
    this.ringAll();
    return { ready: Promise.resolve(), close: () => this.leave(member) };
  }

  ring(topic: string): void {
    if (this.handled.has(topic)) this.ringAll();
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => this.leave(member)));
  }

  private ringAll(): void {
    this.rung = true;
    this.wake();
  }

  private async leave(member: Member): Promise<void> {
    this.members = this.members.filter((other) => other !== member);
    if (this.members.length === 0 && !this.closing.signal.aborted) {
      this.closing.abort();
      this.onEmpty();
      this.wake();
    }
    await (this.closing.signal.aborted ? this.running : member.busy);
  }

  private beginning(topic: string, { group, from, commit }: ConsumeOptions): number {
    const committed = commit
      ? this.views.get('SELECT record FROM commits WHERE consumers = ? AND topic = ?', group, topic)?.['record']
      : undefined;
    if (typeof committed === 'number') return committed;
    return from === 'earliest'
      ? 0
      : Number(this.views.get('SELECT max(id) AS last FROM records WHERE topic = ?', topic)?.['last'] ?? 0);
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.closing.signal.aborted) {
      try {
        if (!(await this.round())) await this.untilRung();
        failures = 0;
      } catch (error) {
        for (const { options } of this.members) options.onTrouble?.(error);
        failures += 1;
        const spanMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(failures, 10));
        await this.sleep(spanMs / 2 + Math.random() * (spanMs / 2));
      }
    }
  }

  /** One fetch of each topic. Gives whether there was anything. */
  private async round(): Promise<boolean> {
    this.rung = false;
    let any = false;
    for (const [topic, after] of this.handled) {
      const rows = this.views.all(
        `SELECT * FROM records WHERE topic = ? AND id > ? ORDER BY id LIMIT ${FETCH_RECORDS}`,
        topic,
        after,
      );
      if (rows.length === 0) continue;
      any = true;
      await this.hand(topic, rows.map(consumed));
      if (this.closing.signal.aborted) return true;
    }
    for (const { options } of this.members) options.onFetch?.();
    return any;
  }

  private async hand(topic: string, records: ConsumedRecord[]): Promise<void> {
    const members = this.members.filter(({ options }) => options.topics.includes(topic));
    if (members.length === 0) {
      this.handled.delete(topic);
      return;
    }
    const results = await Promise.allSettled(
      members.map(async (member, n) => {
        const share = records.filter(({ partition }) => partition % members.length === n);
        if (share.length === 0) return;
        const handling = member.handler(share);
        member.busy = handling.then(
          () => undefined,
          () => undefined,
        ); // its error is thrown below
        await handling;
        member.busy = null;
      }),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    const last = Number(records.at(-1)?.offset);
    this.handled.set(topic, last);
    if (!this.options.commit) return;
    await this.views.run([
      [
        'INSERT INTO commits (consumers, topic, record) VALUES (?, ?, ?) ON CONFLICT (consumers, topic) DO UPDATE SET record = excluded.record',
        [this.options.group, topic, last],
      ],
    ]);
  }

  private async untilRung(): Promise<void> {
    if (this.rung || this.closing.signal.aborted) return;
    const waiting = new AbortController();
    this.wake = () => {
      waiting.abort();
    };
    await this.views.clock.sleep(FETCH_WAIT_MS, waiting.signal).catch((reason: unknown) => {
      if (!waiting.signal.aborted) throw reason;
    });
  }

  private async sleep(ms: number): Promise<void> {
    await this.views.clock.sleep(ms, this.closing.signal).catch((reason: unknown) => {
      if (!this.closing.signal.aborted) throw reason;
    });
  }
}
