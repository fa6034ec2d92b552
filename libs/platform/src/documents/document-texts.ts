import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '@aos/kernel';
import type { DocumentKind } from './document-kind.js';
import { readingMax, readingMs, startMs, threadMegabytes } from './document.limits.js';
import { WaitingDocuments } from './waiting-documents.js';

/**
 * The text of a document, or why there is none, in words for the model. `isPassing`: the document was not looked at,
 * and may be given again.
 */
export type DocumentReading = { text: string } | { failure: string; isPassing?: true };

interface Waiting {
  orgId: string;
  kind: DocumentKind;
  bytes: Uint8Array;
  settle(reading: DocumentReading): void;
}

/** In tests a thread's file imports its neighbours by the names that they have once they are built. */
const resolveSources = `import { registerHooks } from 'node:module';
const ours = (name, { parentURL = '' }) => name.startsWith('.') && !parentURL.includes('/node_modules/');
registerHooks({ resolve: (name, context, next) => next(ours(name, context) ? name.replace(/\\.js$/, '.ts') : name, context) });`;

/**
 * Takes the text out of documents that callers send (rule TE82), each in a thread of its own that ends with it: with
 * 128 MiB, 5 seconds, and neither files nor network in what it runs. Two are read at once; the others wait, the
 * organizations in turns.
 */
@Injectable()
export class DocumentTexts implements OnApplicationShutdown {
  private readonly log = new Logger('documents');
  private readonly waiting = new WaitingDocuments<Waiting>();
  private readonly threads = new Set<Worker>();
  private isClosed = false;

  constructor(private readonly clock: Clock) {}

  /** Gives a failure for every fault of the document; throws nothing. */
  textOf(orgId: string, kind: DocumentKind, bytes: Uint8Array): Promise<DocumentReading> {
    return new Promise((settle) => {
      if (this.isClosed || !this.waiting.push({ orgId, kind, bytes, settle }))
        settle({ failure: 'too many documents wait to be read', isPassing: true });
      else this.next();
    });
  }

  async onApplicationShutdown(): Promise<void> {
    this.isClosed = true;
    for (let left = this.waiting.shift(); left; left = this.waiting.shift())
      left.settle({ failure: 'the service stops', isPassing: true });
    await Promise.all([...this.threads].map((thread) => thread.terminate()));
  }

  private next(): void {
    if (this.isClosed || this.threads.size >= readingMax) return;
    const document = this.waiting.shift();
    if (document) this.read(document);
  }

  private read({ kind, bytes, settle }: Waiting): void {
    const thread = startThread({ kind, bytes });
    this.threads.add(thread);
    let reading: DocumentReading = { failure: 'it could not be read' };
    const end = (ended: DocumentReading): void => {
      reading = ended;
      void thread.terminate();
    };
    let timer = this.clock.after(startMs, () => {
      end({ failure: 'the thread that reads it does not start', isPassing: true });
    });
    thread.on('message', (said: DocumentReading | 'ready') => {
      if (said !== 'ready') {
        reading = said;
        return;
      }
      timer.cancel();
      timer = this.clock.after(readingMs, () => {
        end({ failure: `it takes longer than ${readingMs / 1000} s to read` });
      });
    });
    thread.on('error', (error: Error & { code?: string }) => {
      if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
        reading = { failure: `it takes over ${threadMegabytes} MiB to read` };
      else this.log.warn(`${kind}: ${error.message}`);
    });
    thread.on('exit', () => {
      timer.cancel();
      this.threads.delete(thread);
      settle(this.isClosed && 'failure' in reading ? { ...reading, isPassing: true } : reading);
      this.next();
    });
  }
}

/** From the file beside this one: JavaScript when built, TypeScript in tests (Node strips its types). */
function startThread(workerData: { kind: DocumentKind; bytes: Uint8Array }): Worker {
  const extension = extname(__filename);
  const execArgv = ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'];
  if (extension === '.ts') execArgv.push('--import', `data:text/javascript,${encodeURIComponent(resolveSources)}`);
  return new Worker(join(__dirname, `document.worker${extension}`), {
    name: 'document',
    workerData,
    execArgv,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: threadMegabytes },
  });
}
