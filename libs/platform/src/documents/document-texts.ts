import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '@aos/kernel';
import { ReadingProcesses, type ReadingFailure } from '../reading/index.js';
import type { DocumentKind } from './document-kind.js';
import * as limits from './document.limits.js';

/** The text of a document, or why there is none, in words for the model. */
export type DocumentReading = { text: string } | ReadingFailure;

/** What the process of a document is given. */
export interface DocumentWork {
  readonly kind: DocumentKind;
  readonly bytes: Uint8Array;
}

const bounds = {
  processes: limits.readingMax,
  startMs: limits.startMs,
  readingMs: limits.readingMs,
  megabytes: limits.processMegabytes,
  waiting: { count: limits.waitingMax, bytes: limits.waitingBytesMax },
  waitingPerOrganization: { count: limits.waitingPerOrganizationMax, bytes: limits.waitingBytesPerOrganizationMax },
};

/**
 * Takes the text out of documents that callers send (rule TE82), each in a process of its own that ends with it: with
 * 128 MiB, 5 seconds, and neither files nor network in what it runs. Two are read at once; the others wait, the
 * organizations in turns.
 */
@Injectable()
export class DocumentTexts implements OnApplicationShutdown {
  private readonly log = new Logger('documents');
  private readonly processes: ReadingProcesses<DocumentWork, { text: string }>;

  constructor(clock: Clock) {
    this.processes = new ReadingProcesses(clock, {
      things: 'documents',
      bounds,
      code: { caller: __filename, file: 'read-document' },
      onTrouble: ({ kind }, message) => {
        this.log.warn(`${kind}: ${message}`);
      },
    });
  }

  /** Gives a failure for every fault of the document; throws nothing. */
  textOf(orgId: string, kind: DocumentKind, bytes: Uint8Array): Promise<DocumentReading> {
    return this.processes.read(orgId, { kind, bytes });
  }

  async onApplicationShutdown(): Promise<void> {
    await this.processes.close();
  }
}
