import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RecordedEvent } from '@aos/kernel';
import { Decisions, Reactors, ReleaseWrites, type Reactor } from '@aos/platform';
import { emailKind, type Email } from '@aos/events/published';
import { MailIntake } from './mail-intake.js';

const takeoverMs = 5000;
const prefix = 'email-';

/** Takes each mail that reaches an inbox as a message of its binding; once in the fleet, in the order of the log. */
@Injectable()
export class ArrivedMailReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reactor: Reactor;

  constructor(
    reactors: Reactors,
    private readonly decisions: Decisions,
    private readonly intake: MailIntake,
    private readonly writes: ReleaseWrites,
  ) {
    this.reactor = reactors.consume(
      {
        name: 'channel_mail',
        prefixes: [prefix],
        leaseMsMax: takeoverMs,
        from: 'start',
        readiness: 'channel_mail',
        stoppedGauge: { name: 'channel_mail_stopped', help: 'Whether mail stopped being answered for good.' },
      },
      (batch) => this.take(batch),
    );
  }

  /** Mail waits in the log beside a release that does not answer it. */
  onApplicationBootstrap(): void {
    if (this.writes.allowed === 'current') this.reactor.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reactor.close();
  }

  private async take(batch: readonly RecordedEvent[]): Promise<void> {
    for (const event of batch) {
      if (event.type !== 'EmailReachedAgent') continue; // before its data is asked for: that decodes it
      const { data, meta, stream } = event;
      const atMs = Date.parse(String(meta.recorded_at));
      const binding = await this.intake.bindingAt(meta.org_id ?? '', String(data.agent_id), atMs);
      if (binding) await this.intake.take(await this.mailOf(stream), binding, atMs);
    }
  }

  private async mailOf(stream: string): Promise<Email> {
    const [arrived] = await this.decisions.read(emailKind, stream.slice(prefix.length), { limit: 1 });
    if (arrived?.type !== 'EmailArrived') throw new Error(`${stream} does not begin with its mail`);
    return arrived.data.email;
  }
}
