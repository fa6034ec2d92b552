import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { StoreUnavailable, badRequest, canonicalJson, sha256Hex, type Issue, type JsonObject } from '@aos/kernel';
import type { SchemaAnswer, SchemaFault, SchemaQuestion } from './schema.messages.js';
import { processorBudget } from './processor-budget.js';
import { schemaBudgetMs, schemaIssues } from './schema.limits.js';

export type { SchemaFault } from './schema.messages.js';

const startMs = 10_000;
const waitingMax = 256;
const ownBudgetMs = 10_000;
/** A question takes no longer, however little of that is its own work. */
const patienceMs = 10_000;

interface Waiting {
  question: Omit<SchemaQuestion, 'id'>;
  budgetMs: number;
  resolve(answer: SchemaAnswer | 'too_slow'): void;
  reject(error: Error): void;
}

/**
 * Callers' JSON Schemas, compiled and applied in a thread of their own with a budget of processor time: a schema that is too much work costs its
 * author a refusal and nobody else anything. One question at a time; compiled schemas are kept by hash.
 */
@Injectable()
export class SchemaChecker implements OnApplicationShutdown {
  private readonly log = new Logger('schemas');
  private readonly waiting: Waiting[] = [];
  private worker: Promise<Worker> | null = null;
  private busy = false;
  private asked = 0;

  /**
   * Refuses  bad_request with issues below `at` for a schema that is too large, too deep, refers elsewhere, does not compile, has a pattern that
   *          cannot run in linear time, or takes too long.
   */
  async require(schema: JsonObject | undefined, at: string): Promise<void> {
    if (schema === undefined) return;
    const issues = schemaIssues(schema, at);
    if (issues.length === 0) issues.push(...(await this.compileIssues(schema, at)));
    if (issues.length > 0) throw badRequest(issues);
  }

  /** What is wrong with a value by a caller's schema; null when it fits. A value that takes too long to check does not fit. */
  fault(schema: JsonObject, value: unknown): Promise<SchemaFault | null> {
    return this.faultWithin(schema, value, schemaBudgetMs);
  }

  /** As `fault`, by a schema of the service's own: nothing about it is too much work, however busy the machine is. */
  ownFault(schema: JsonObject, value: unknown): Promise<SchemaFault | null> {
    return this.faultWithin(schema, value, ownBudgetMs);
  }

  private async faultWithin(schema: JsonObject, value: unknown, budgetMs: number): Promise<SchemaFault | null> {
    const answer = await this.ask({ ...named(schema), value: JSON.stringify(value) }, budgetMs);
    if (answer === 'too_slow') return { path: '', message: 'takes too long to check by its schema' };
    if (answer.outcome === 'bad_schema') return { path: '', message: `the schema does not compile: ${answer.message}` };
    return answer.outcome === 'faulty' ? answer.fault : null;
  }

  async onApplicationShutdown(): Promise<void> {
    const worker = await this.worker?.catch(() => null);
    this.worker = null;
    await worker?.terminate();
  }

  private async compileIssues(schema: JsonObject, at: string): Promise<Issue[]> {
    const answer = await this.ask(named(schema), schemaBudgetMs);
    if (answer === 'too_slow') return [{ path: at, message: `takes more than ${schemaBudgetMs} ms to compile` }];
    return answer.outcome === 'bad_schema' ? [{ path: at, message: answer.message }] : [];
  }

  private ask(question: Omit<SchemaQuestion, 'id'>, budgetMs: number): Promise<SchemaAnswer | 'too_slow'> {
    if (this.waiting.length >= waitingMax) return Promise.reject(new StoreUnavailable('too many schemas are being checked'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ question, budgetMs, resolve, reject });
      if (!this.busy) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.busy = true;
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      try {
        next.resolve(await this.put(next.question, next.budgetMs));
      } catch (error) {
        next.reject(error instanceof Error ? error : new Error(String(error)));
      }
    }
    this.busy = false;
  }

  private async put(question: Omit<SchemaQuestion, 'id'>, budgetMs: number): Promise<SchemaAnswer | 'too_slow'> {
    this.worker ??= startSchemaWorker();
    let worker: Worker;
    try {
      worker = await this.worker;
    } catch (error) {
      this.worker = null;
      throw error;
    }
    const id = (this.asked += 1);
    const answer = await new Promise<SchemaAnswer | 'too_slow' | Error>((resolve) => {
      const budget = processorBudget(worker, budgetMs, patienceMs);
      void budget.isSpent.then((isSpent) => { if (isSpent) resolve('too_slow'); });
      const settle = (outcome: SchemaAnswer | Error) => {
        if (!(outcome instanceof Error) && outcome.id !== id) return;
        budget.cancel();
        resolve(outcome);
      };
      worker.removeAllListeners('message').removeAllListeners('error');
      worker.on('message', settle).on('error', settle);
      worker.postMessage({ id, ...question } satisfies SchemaQuestion);
    });
    if (answer !== 'too_slow' && !(answer instanceof Error)) return answer;
    this.worker = null;
    await worker.terminate();
    this.log.warn(answer === 'too_slow' ? `schema ${question.hash} takes too long` : `schema ${question.hash}: ${answer.message}`);
    return 'too_slow';
  }
}

function named(schema: JsonObject): { hash: string; schema: string } {
  const text = canonicalJson(schema);
  return { hash: sha256Hex(text), schema: text };
}

/** Starts the thread from the file beside this one: JavaScript when built, TypeScript in tests (Node strips its types). */
function startSchemaWorker(): Promise<Worker> {
  const worker = new Worker(join(__dirname, `schema.worker${extname(__filename)}`), {
    execArgv: ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON'],
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  worker.unref();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      void worker.terminate();
      reject(new StoreUnavailable('the schema thread does not start'));
    }, startMs);
    worker.once('error', (error: Error) => {
      clearTimeout(timer);
      reject(error);
    });
    worker.once('message', () => {
      clearTimeout(timer);
      resolve(worker);
    });
  });
}
