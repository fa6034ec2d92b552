import type { Job, Parameter, PutParameters, RunPart, Step } from './views-messages.js';

const revisionAt = 3;

export function putStep(parameters: PutParameters): Step {
  return ['put', parameters];
}

/** Who hears what became of a job. */
export interface WaitingJob {
  resolve(changed: number): void;
  reject(error: Error): void;
}

/** A part of a message to the views' thread. What waits for it is kept in few objects. */
export class GatheredWrites {
  readonly part: RunPart = { statements: [], jobs: [], parameters: [] };
  /** One for each job, in their order. */
  readonly waiting: WaitingJob[] = [];
  /** Those with rows in it. */
  readonly collections = new Set<string>();
  steps = 0;
  /** Of all texts. */
  characters = 0;
  private readonly statementIndexes = new Map<string, number>();
  /** Where the parameters of each row's put begin. */
  private readonly puts = new Map<string, number>();

  add({ steps, isAwaited, losses, isBuilding }: Job, waiting: WaitingJob, collections: Iterable<string>): void {
    const { part } = this;
    part.jobs.push(steps.length, isAwaited ? 1 : 0, losses ?? -1, isBuilding ? 1 : 0);
    for (const [sql, parameters] of steps) {
      let index = this.statementIndexes.get(sql);
      if (index === undefined) {
        index = part.statements.push(sql) - 1;
        this.statementIndexes.set(sql, index);
      }
      part.jobs.push(index, parameters.length);
      for (const parameter of parameters) part.parameters.push(parameter);
      this.characters += charactersOf(parameters);
    }
    this.waiting.push(waiting);
    for (const collection of collections) this.collections.add(collection);
    this.steps += steps.length;
  }

  /**
   * Adds the put as a job. A row that is put already takes the place of its earlier revision, never a later place: a
   * commit between the two rests on the earlier put. Gives whether a job was needed.
   */
  put(row: PutParameters, waiting: WaitingJob): boolean {
    const key = keyOf(row);
    const begin = this.puts.get(key);
    if (begin !== undefined) {
      this.renew(row, begin);
      return false;
    }
    this.puts.set(key, this.part.parameters.length);
    this.add({ steps: [putStep(row)], isAwaited: false, losses: null, isBuilding: false }, waiting, [row[0]]);
    return true;
  }

  /** What is put from now on takes no place before this: a step was added that changes rows in other ways. */
  separate(): void {
    this.puts.clear();
  }

  /** The row whose parameters begin there is put again. */
  private renew(row: PutParameters, begin: number): void {
    const { parameters } = this.part;
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
