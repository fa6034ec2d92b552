import type { LogAnswer, LogWrite, ProtocolLog } from './log.js';

const writesMax = 1024;

interface Waiting {
  write: LogWrite;
  resolve: (answer: LogAnswer) => void;
  reject: (error: unknown) => void;
}

/**
 * Gathers the writes of one turn of the event loop into one durable step, and tells followers when the log has grown.
 */
export class CommitQueue {
  private waiting: Waiting[] = [];
  private scheduled = false;
  private readonly followers = new Set<() => void>();

  constructor(private readonly log: ProtocolLog) {}

  submit(write: LogWrite): Promise<LogAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ write, resolve, reject });
      if (this.scheduled) return;
      this.scheduled = true;
      setImmediate(() => this.flush());
    });
  }

  /** Calls back after each step that may have made the log longer. Gives the way to stop. */
  follow(grown: () => void): () => void {
    this.followers.add(grown);
    return () => this.followers.delete(grown);
  }

  private flush(): void {
    this.scheduled = false;
    const batch = this.waiting.splice(0, writesMax);
    if (this.waiting.length > 0) {
      this.scheduled = true;
      setImmediate(() => this.flush());
    }
    try {
      const answers = this.log.commit(batch.map(({ write }) => write));
      batch.forEach(({ resolve }, index) => resolve(answers[index] ?? { kind: 'deleted' }));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    this.wakeFollowers();
  }

  wakeFollowers(): void {
    for (const grown of this.followers) grown();
  }
}
