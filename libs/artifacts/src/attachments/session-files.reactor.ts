import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { RecordedEvent } from '@aos/kernel';
import { Reactors, type Reactor } from '@aos/platform';
import type { ArtifactRecord } from '../artifact/artifact.events.js';
import { SessionFiles } from './session-files.js';

const sessionPrefix = 'session-';
const artifactPrefix = 'artifact-';
const takeoverMs = 5000;

/**
 * Deletes the files of a session that was deleted or expired; once in the fleet, in the order of the log. A file that
 * is stored after the end of its session goes as well (rule TE8).
 */
@Injectable()
export class SessionFilesReactor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly reactor: Reactor;

  constructor(
    reactors: Reactors,
    private readonly files: SessionFiles,
  ) {
    this.reactor = reactors.consume(
      {
        name: 'sessionfiles',
        prefixes: [sessionPrefix, artifactPrefix],
        leaseMsMax: takeoverMs,
        from: 'start',
        readiness: 'sessionfiles',
        stoppedGauge: {
          name: 'session_files_stopped',
          help: 'Whether files stopped going with their sessions for good.',
        },
      },
      (batch) => this.take(batch),
    );
  }

  onApplicationBootstrap(): void {
    this.reactor.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.reactor.close();
  }

  private async take(batch: readonly RecordedEvent[]): Promise<void> {
    for (const event of batch) {
      const { stream, type } = event; // what decodes an event is asked for behind them: most are of other types
      if (type === 'SessionDeleted' && stream.startsWith(sessionPrefix))
        await this.files.deleteAll(event.meta.org_id ?? '', stream.slice(sessionPrefix.length));
      if (type === 'ArtifactStored' && stream.startsWith(artifactPrefix))
        await this.files.stored(event.data.artifact as ArtifactRecord);
    }
  }
}
