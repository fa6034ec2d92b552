import type { Job, Parameter, PutParameters, RunMessage, Step } from './views-messages.js';

const revisionAt = 3;

export function putStep(parameters: PutParameters): Step {
  return ['put', parameters];
}

/** The next message to the views' thread. What waits for it is kept in few objects. */
export class GatheredWrites {
  readonly message: RunMessage = { kind: 'run', statements: [], jobs: [], parameters: [] };
  jobs = 0;
  steps = 0;
  /** Of all texts. */
  characters = 0;
  private readonly statementIndexes = new Map<string, number>();
  /** Where the parameters of each row's put begin. */
  private readonly puts = new Map<string, number>();

  add({ steps, isAwaited, losses, isBuilding }: Job): void {
    const { message } = this;
    message.jobs.push(steps.length, isAwaited ? 1 : 0, losses ?? -1, isBuilding ? 1 : 0);
    for (const [sql, parameters] of steps) {
      let index = this.statementIndexes.get(sql);
      if (index === undefined) {
        index = message.statements.push(sql) - 1;
        this.statementIndexes.set(sql, index);
      }
      message.jobs.push(index, parameters.length);
      for (const parameter of parameters) message.parameters.push(parameter);
      this.characters += charactersOf(parameters);
    }
    this.jobs += 1;
    this.steps += steps.length;
  }

  /**
   * Adds the puts as a job. A row that is put already takes the place of its earlier revision, never a later place: a
   * commit between the two rests on the earlier put. Gives whether a job was needed.
   */
  put(rows: readonly PutParameters[]): boolean {
    const fresh: PutParameters[] = [];
    const keys: string[] = [];
    for (const row of rows) {
      const key = keyOf(row);
      const begin = this.puts.get(key);
      if (begin !== undefined) this.renew(row, begin);
      else {
        fresh.push(row);
        keys.push(key);
      }
    }
    if (fresh.length === 0) return false;
    let begin = this.message.parameters.length;
    this.add({ steps: fresh.map(putStep), isAwaited: false, losses: null, isBuilding: false });
    for (const [n, row] of fresh.entries()) {
      this.puts.set(keys[n]!, begin);
      begin += row.length;
    }
    return true;
  }

  /** What is put from now on takes no place before this: a step was added that changes rows in other ways. */
  separate(): void {
    this.puts.clear();
  }

  /** The row whose parameters begin there is put again. */
  private renew(row: PutParameters, begin: number): void {
    const { parameters } = this.message;
    // what cannot be compared is written, and refused there
    if (row[revisionAt] <= (parameters[begin + revisionAt] as number)) return;
    for (const [n, parameter] of row.entries()) {
      this.characters += lengthOf(parameter) - lengthOf(parameters[begin + n]!);
      parameters[begin + n] = parameter;
    }
  }
}

/** The length of the scope tells it from the key. */
function keyOf([collection, scope, key]: PutParameters): string {
  return `${collection} ${scope.length} ${scope}${key}`;
}

function charactersOf(parameters: readonly Parameter[]): number {
  let count = 0;
  for (const parameter of parameters) count += lengthOf(parameter);
  return count;
}

function lengthOf(parameter: Parameter): number {
  return typeof parameter === 'string' ? parameter.length : 0;
}
