import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import {
  Clock,
  FairQueue,
  GenerationalCache,
  StoreUnavailable,
  badRequest,
  canonicalJson,
  sha256Hex,
  type Issue,
  type JsonObject,
} from '@aos/kernel';
import { RateCharges, type RateHolder } from '@aos/platform';
import type { SchemaFault, SchemaQuestion } from './schema-messages.js';
import { SchemaThread, type ThreadAnswer } from './schema-thread.js';
import { checkCost, schemaBudgetMs, slowSchemaMs, waitingMax, waitingPerOrganizationMax } from './schema.limits.js';
import { schemaIssues } from './schema-issues.decide.js';

export type { SchemaFault } from './schema-messages.js';

const ownBudgetMs = 10_000;
const slowKeptMax = 2_000;
/** A thread may have died of the question before: it is asked once more before the schema is blamed. */
const triesMax = 2;

interface Waiting {
  question: Omit<SchemaQuestion, 'id'>;
  resolve(answer: ThreadAnswer): void;
  reject(error: unknown): void;
}

/** Questions to one thread, one at a time; the organizations take turns. */
class CheckingQueue {
  private readonly waiting = new FairQueue<Waiting>(waitingPerOrganizationMax, waitingMax);
  private isWorking = false;

  constructor(
    private readonly thread: SchemaThread,
    private readonly budgetMs: number,
  ) {}

  ask(orgId: string, question: Omit<SchemaQuestion, 'id'>): Promise<ThreadAnswer> {
    if (!this.waiting.hasRoom(orgId)) return Promise.reject(new StoreUnavailable('too many schemas are being checked'));
    return new Promise((resolve, reject) => {
      this.waiting.push(orgId, { question, resolve, reject });
      if (!this.isWorking) void this.work();
    });
  }

  private async work(): Promise<void> {
    this.isWorking = true;
    for (let next = this.waiting.shift(() => true); next; next = this.waiting.shift(() => true)) {
      await this.answer(next.question).then(next.resolve, next.reject);
    }
    this.isWorking = false;
  }

  private async answer(question: Omit<SchemaQuestion, 'id'>): Promise<ThreadAnswer> {
    let answer: ThreadAnswer = 'died';
    for (let tries = 0; answer === 'died' && tries < triesMax; tries += 1)
      answer = await this.thread.ask(question, this.budgetMs);
    return answer;
  }
}

/**
 * JSON Schemas, compiled and applied in threads with a budget of processor time; compiled schemas are kept by hash.
 *
 * Callers' schemas have a thread of their own, apart from the service's. One that was too much work costs its author a
 * refusal: for a while it is refused at once in its organization, and what each check took beyond 100 ms counts on the
 * rate limit of the caller (rule L1, control S25).
 */
@Injectable()
export class SchemaChecker implements OnApplicationShutdown {
  private readonly log = new Logger('schemas');
  private readonly threads = [0, 1].map(
    () =>
      new SchemaThread((message) => {
        this.log.warn(message);
      }),
  ) as [SchemaThread, SchemaThread];
  private readonly callers = new CheckingQueue(this.threads[0], schemaBudgetMs);
  private readonly own = new CheckingQueue(this.threads[1], ownBudgetMs);
  /** When each schema that was too much work may be tried again, by organization and hash. */
  private readonly slowUntil = new GenerationalCache<number>(slowKeptMax);

  constructor(
    private readonly charges: RateCharges,
    private readonly clock: Clock,
  ) {}

  /**
   * Refuses  bad_request with issues below `at` for a schema that is too large, too deep, refers elsewhere, does not
   *          compile, has a pattern that cannot run in linear time, or takes too long.
   */
  async require(schema: JsonObject | undefined, at: string, who: RateHolder): Promise<void> {
    if (schema === undefined) return;
    const issues = schemaIssues(schema, at);
    if (issues.length === 0) issues.push(...(await this.compileIssues(schema, at, who)));
    if (issues.length > 0) throw badRequest(issues);
  }

  /**
   * What is wrong with a value by a caller's schema; null when it fits. A value that takes too long to check does not
   * fit.
   */
  async fault(schema: JsonObject, value: unknown, who: RateHolder): Promise<SchemaFault | null> {
    return faultOf(await this.ask(who, { ...named(schema), value: JSON.stringify(value) }));
  }

  /** As `fault`, by a schema of the service's own: nothing about it is too much work, however busy the machine is. */
  async ownFault(schema: JsonObject, value: unknown, { orgId }: RateHolder): Promise<SchemaFault | null> {
    return faultOf(await this.own.ask(orgId, { ...named(schema), value: JSON.stringify(value) }));
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private async compileIssues(schema: JsonObject, at: string, who: RateHolder): Promise<Issue[]> {
    const answer = await this.ask(who, named(schema));
    if (answer === 'too_slow') return [{ path: at, message: `takes more than ${schemaBudgetMs} ms to compile` }];
    if (answer === 'died') return [{ path: at, message: 'cannot be compiled' }];
    return answer.outcome === 'bad_schema' ? [{ path: at, message: answer.message }] : [];
  }

  private async ask(who: RateHolder, question: Omit<SchemaQuestion, 'id'>): Promise<ThreadAnswer> {
    const name = `${who.orgId}/${question.hash}`;
    if ((this.slowUntil.get(name) ?? 0) > this.clock.monotonic()) return 'too_slow';
    const answer = await this.callers.ask(who.orgId, question);
    if (typeof answer === 'string') this.slowUntil.set(name, this.clock.monotonic() + slowSchemaMs);
    this.charges.add(who, checkCost(typeof answer === 'string' ? schemaBudgetMs : answer.spentMs));
    return answer;
  }
}

function faultOf(answer: ThreadAnswer): SchemaFault | null {
  if (answer === 'too_slow') return { path: '', message: 'takes too long to check by its schema' };
  if (answer === 'died') return { path: '', message: 'cannot be checked by its schema' };
  if (answer.outcome === 'bad_schema') return { path: '', message: `the schema does not compile: ${answer.message}` };
  return answer.outcome === 'faulty' ? answer.fault : null;
}

function named(schema: JsonObject): { hash: string; schema: string } {
  const text = canonicalJson(schema);
  return { hash: sha256Hex(text), schema: text };
}
