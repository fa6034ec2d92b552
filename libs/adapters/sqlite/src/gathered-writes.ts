import type { Job, RunMessage } from './views-messages.js';

/** The next message to the views' thread. What waits for it is kept in few objects. */
export class GatheredWrites {
  readonly message: RunMessage = { kind: 'run', statements: [], jobs: [], parameters: [] };
  jobs = 0;
  private readonly statementIndexes = new Map<string, number>();

  add({ steps, isAwaited, losses }: Job): void {
    const { message } = this;
    message.jobs.push(steps.length, isAwaited ? 1 : 0, losses ?? -1);
    for (const [sql, parameters] of steps) {
      let index = this.statementIndexes.get(sql);
      if (index === undefined) {
        index = message.statements.push(sql) - 1;
        this.statementIndexes.set(sql, index);
      }
      message.jobs.push(index, parameters.length);
      for (const parameter of parameters) message.parameters.push(parameter);
    }
    this.jobs += 1;
  }
}
