import type { Clock, ConsumedRecord, ConsumeOptions, LogConsumer } from '@aos/kernel';

const retryMs = 50;

export type RecordHandler = (records: ConsumedRecord[]) => Promise<void>;

interface Member {
  options: ConsumeOptions;
  handler: RecordHandler;
  busy: Promise<void> | null;
}

/** What a group needs of its log. */
export interface GroupParts {
  clock: Clock;
  /** Records of a topic after an offset, those of one partition in order. */
  after(topic: string, offset: number): ConsumedRecord[];
  /** Offset after which the group begins to read a topic. */
  begin(options: ConsumeOptions, topic: string): number;
  commit(topic: string, offset: number): void;
  /** The last member left. */
  ended(): void;
}

/** The consumers of one group. One loop fetches for all and gives each member the partitions of its share. */
export class MemoryConsumerGroup {
  private members: Member[] = [];
  /** Topic -> offset of the last record that was handled. */
  private readonly handled = new Map<string, number>();
  private readonly closing = new AbortController();
  private isFetchDue = false;
  private running: Promise<void> | null = null;

  constructor(private readonly parts: GroupParts) {}

  join(options: ConsumeOptions, handler: RecordHandler): LogConsumer {
    const member: Member = { options, handler, busy: null };
    for (const topic of options.topics)
      if (!this.handled.has(topic)) this.handled.set(topic, this.parts.begin(options, topic));
    this.members.push(member);
    this.fetch();
    return { ready: Promise.resolve(), close: () => this.leave(member) };
  }

  /** Fetches soon. */
  fetch(): void {
    if (this.closing.signal.aborted) return;
    this.isFetchDue = true;
    this.running ??= this.run();
  }

  /** Tells every member of an answered fetch. */
  fetched(): void {
    for (const { options } of this.members) options.onFetch?.();
  }

  /** Resolves when all is handled. */
  async idle(): Promise<void> {
    await this.running;
  }

  async close(): Promise<void> {
    await Promise.all(this.members.map((member) => this.leave(member)));
  }

  private async leave(member: Member): Promise<void> {
    this.members = this.members.filter((other) => other !== member);
    if (this.members.length === 0 && !this.closing.signal.aborted) {
      this.closing.abort();
      this.parts.ended();
    }
    await (this.closing.signal.aborted ? this.running : member.busy);
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    await Promise.resolve(); // the caller that joins or publishes goes on first
    while (this.isFetchDue && !signal.aborted) {
      this.isFetchDue = false;
      try {
        await this.round();
      } catch (error) {
        for (const { options } of this.members) options.onTrouble?.(error);
        this.isFetchDue = true;
        await this.parts.clock.sleep(retryMs, signal).catch((reason: unknown) => {
          if (!signal.aborted) throw reason;
        });
      }
    }
    this.running = null;
  }

  private async round(): Promise<void> {
    for (const [topic, offset] of this.handled) {
      const records = this.parts.after(topic, offset);
      await this.share(topic, records);
      if (this.closing.signal.aborted) return;
    }
    this.fetched();
  }

  private async share(topic: string, records: ConsumedRecord[]): Promise<void> {
    const members = this.members.filter(({ options }) => options.topics.includes(topic));
    const results = await Promise.allSettled(
      members.map(async (member, n) => {
        const own = records.filter(({ partition }) => partition % members.length === n);
        if (own.length === 0) return;
        const handling = member.handler(own);
        member.busy = handling.catch(() => undefined); // the error is thrown below
        await handling;
      }),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    if (records.length === 0 || members.length === 0) return;
    const last = Math.max(...records.map(({ offset }) => Number(offset)));
    this.handled.set(topic, last);
    if (members.some(({ options }) => options.commit)) this.parts.commit(topic, last);
  }
}
