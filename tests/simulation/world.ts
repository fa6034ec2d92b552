import type { RequestBody } from '@aos/contract';
import { Refusal, StoreUnavailable, sessionIdFor, type Identity } from '@aos/kernel';
import { sessionOwners } from '@aos/platform';
import { Door } from './door.js';
import { agentId, identity, leaseMs, Replica } from './replica.js';
import type { Step } from './schedule.js';
import { Shared, calm, rough, type Faults, type Planted } from './shared.js';
import { Outside, type Question } from './tools.js';

export interface WorldOptions {
  seed: number;
  replicas?: number;
  planted?: Planted;
  faults?: Faults;
  /** Every second replica that starts is of the next build: it writes what this one does not know. */
  twoBuilds?: boolean;
  /** One process has the log to itself. */
  soleWriter?: boolean;
  /** How a request finds its replica: mostly the owner's (the default), always the owner's, or any. */
  routing?: 'mostly' | 'owner' | 'any';
}

/** One request of a client, and what became of it. */
export interface Command {
  kind: string;
  place: string;
  requestId: string;
  /** Marks its content in the log. */
  text: string;
  sessionId: string | null;
  key: string | null;
  sentAt: number;
  sentPosition: string;
  outcome: 'pending' | 'done' | 'refused' | 'unavailable' | 'lost';
  code: string;
  answer: Record<string, unknown>;
  answeredAt: number;
  answeredPosition: string;
}

const sessionKeys = ['k0', 'k1', 'k2'];
const turnKeys = ['key-0', 'key-1', 'key-2', 'key-3'];
const plans = [
  '',
  '',
  'plan=echo',
  'plan=echo+none,echo',
  'plan=park',
  'plan=slow',
  'plan=park+echo,echo',
  'plan=park+park',
  'plan=slow+echo,park',
  'plan=echo,fail',
  'plan=job',
  'plan=job+echo,park',
  'plan=job+job+park,echo',
  'think=3000',
  'think=9000 plan=echo',
];
/** One request in so many goes to a replica that is not the owner. */
const wrongGuesses = 5;
const oldMapMsMax = 5_000;
const cutMsMax = 20_000;
const restartMsMax = 8000;
const pauseMsMax = 15_000;
/** Long enough for a takeover. */
const zombieMs = 2 * leaseMs + 2500;
const jumps = [24 * 3_600_000, -3_600_000, 5000, -5000];

/**
 * Replicas of session-service on shared engines, their clients, and everything that can go wrong. One seed gives one
 * history.
 */
export class World {
  readonly shared: Shared;
  readonly outside: Outside;
  readonly commands: Command[] = [];
  readonly replicas: Replica[] = [];
  readonly doors: readonly Door[];
  private readonly routing: NonNullable<WorldOptions['routing']>;
  /** When the faults ended. */
  calmAt = Infinity;
  /** Nothing else goes wrong than that processes die. */
  readonly onlyDeaths: boolean;
  /** Places that died, with the time. */
  readonly deadSince = new Map<string, number>();
  /** Of those, the ones that went down in good order. */
  readonly stoppedSince = new Map<string, number>();
  private readonly sessions: string[] = [];
  private readonly turns: { sessionId: string; turnId: string }[] = [];
  private readonly nudges: { sessionId: string; nudgeId: string }[] = [];
  private readonly answering = new Map<string, string>();
  private readonly twoBuilds: boolean;
  private started = 0;

  constructor(options: WorldOptions) {
    this.shared = new Shared(options.seed, options.planted ?? 'none', options.soleWriter);
    this.outside = new Outside(this.shared);
    this.shared.faults = options.faults ?? rough;
    this.onlyDeaths = options.faults === calm;
    this.twoBuilds = options.twoBuilds ?? false;
    this.routing = options.routing ?? 'mostly';
    this.doors = options.soleWriter ? [] : ['door-1', 'door-2'].map((name) => new Door(name, this.shared));
    for (let index = 0; index < (options.replicas ?? 2); index += 1) this.replicas.push(this.begin());
  }

  async play(steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      await this.shared.scheduler.runFor(step.waitMs);
      this.take(step);
    }
  }

  /** Faults off, everybody up: lets things happen until `isQuiet`, at most so long. */
  async calmDown(isQuiet: () => Promise<boolean>, limitMs: number): Promise<boolean> {
    this.shared.faults = calm;
    this.shared.busIsCut = false;
    for (const { place } of this.doors) place.resume();
    for (const [index, { place }] of this.replicas.entries()) {
      place.slowMs = 0;
      place.resume();
      if (place.state === 'dead') this.replicas[index] = this.begin();
    }
    this.calmAt = this.shared.now;
    while (this.shared.now - this.calmAt < limitMs) {
      this.answerQuestions();
      await this.shared.scheduler.runFor(500);
      const pending =
        this.commands.some(({ outcome }) => outcome === 'pending') ||
        [...this.outside.questions.values()].some(({ delivered }) => !delivered);
      if (!pending && (await isQuiet())) return true;
    }
    return false;
  }

  private begin(): Replica {
    this.started += 1;
    const isNextBuild = this.twoBuilds && this.started % 2 === 1;
    const name = `${isNextBuild ? 'next' : 'replica'}-${this.started}`;
    const replica = new Replica(name, this.shared, this.outside, isNextBuild);
    replica.start();
    return replica;
  }

  private take(step: Step): void {
    const { a, b, c, d } = step;
    const replica = this.replicas[a % this.replicas.length] as Replica;
    switch (step.kind) {
      case 'invoke':
        this.invoke(this.servedBy(step, keyedSession(b)), b, c, d);
        return;
      case 'race':
        for (let racer = 0; racer < 5; racer += 1) this.invoke(this.at(a + racer), b, c, d);
        return;
      case 'nudge':
        this.nudge(this.servedBy(step, this.sessionOf(b)), b, c);
        return;
      case 'nudgeStorm':
        for (let index = 0; index < 36; index += 1) this.nudge(this.at(a + index), b, 4 + 2 * index);
        return;
      case 'cancelTurn':
        this.onTurn(b, ({ sessionId, turnId }) => {
          const owner = this.servedBy(step, sessionId);
          this.send('cancelTurn', owner, { sessionId, text: turnId }, (who) =>
            owner.cancelTurn(who, sessionId, turnId),
          );
        });
        return;
      case 'cancelNudge': {
        const nudge = this.nudges.at(-1 - (b % Math.max(1, Math.min(4, this.nudges.length))));
        const owner = this.servedBy(step, nudge?.sessionId);
        if (nudge)
          this.send('cancelNudge', owner, { sessionId: nudge.sessionId, text: nudge.nudgeId }, (who) =>
            owner.cancelNudge(who, nudge.sessionId, nudge.nudgeId),
          );
        return;
      }
      case 'cancelSession':
        this.onSession(b, (sessionId) => {
          const owner = this.servedBy(step, sessionId);
          this.send('cancelSession', owner, { sessionId }, (who) => owner.cancelSession(who, sessionId));
        });
        return;
      case 'remove':
        this.onSession(b, (sessionId) => {
          const owner = this.servedBy(step, sessionId);
          this.send('remove', owner, { sessionId }, (who) => owner.remove(who, sessionId));
        });
        return;
      case 'archive':
        this.onSession(b, (sessionId) => {
          const owner = this.servedBy(step, sessionId);
          this.send('archive', owner, { sessionId }, (who) =>
            owner.change(who, sessionId, { status: c % 2 ? 'archived' : 'active', title: `t${c % 3}` }),
          );
        });
        return;
      case 'compact':
        this.onSession(b, (sessionId) => {
          const owner = this.servedBy(step, sessionId);
          this.send('compact', owner, { sessionId }, (who) => owner.compact(who, sessionId));
        });
        return;
      case 'answer':
        this.answerQuestions(b);
        return;
      case 'kill':
        this.kill(a % this.replicas.length, b % restartMsMax);
        return;
      case 'stop':
        this.stop(a % this.replicas.length, b % restartMsMax);
        return;
      default:
        this.disturb(step, replica);
    }
  }

  private disturb(step: Step, replica: Replica): void {
    const { place } = replica;
    switch (step.kind) {
      case 'pause':
        if (place.state !== 'up') return;
        place.state = 'paused';
        this.shared.scheduler.clock.after(step.b % 2 ? zombieMs + (step.b % pauseMsMax) : step.b % pauseMsMax, () => {
          place.resume();
        });
        return;
      case 'resume':
        for (const other of this.replicas) other.place.resume();
        return;
      case 'slow':
        place.slowMs = step.b % 2 ? 0 : step.c % 300;
        return;
      case 'jump':
        replica.clock.jump(jumps[step.b % jumps.length] as number);
        return;
      case 'loseRows':
        this.shared.loseRows(step.b % 3 === 0 ? 'all' : 'unsaved');
        return;
      case 'loseLeases':
        this.shared.loseLeases();
        return;
      default:
        this.disturbOwners(step, replica);
    }
  }

  private disturbOwners(step: Step, { place }: Replica): void {
    const { shared } = this;
    const { clock } = shared.scheduler;
    switch (step.kind) {
      case 'loseMembers':
        shared.loseMembers();
        return;
      case 'flap':
        shared.members.leave(sessionOwners, place.name).catch((error: unknown) => {
          shared.fault(error);
        });
        return;
      case 'oldMap': {
        const door = this.doors[step.a % Math.max(1, this.doors.length)];
        if (door?.place.state !== 'up') return;
        door.place.state = 'paused';
        clock.after(step.b % oldMapMsMax, () => {
          door.place.resume();
        });
        return;
      }
      case 'cutBus':
        if (shared.busIsCut) return;
        shared.busIsCut = true;
        clock.after(step.b % cutMsMax, () => {
          shared.busIsCut = false;
        });
        return;
      default:
        return;
    }
  }

  /** Where a door sends a request of the session: to its owner, or to who comes next while that is dead. */
  private servedBy(step: Step, sessionId: string | undefined): Replica {
    const any = this.at(step.a);
    const door = this.doors[step.a % Math.max(1, this.doors.length)];
    const isAny = this.routing === 'any' || (this.routing === 'mostly' && step.a % wrongGuesses === 0);
    if (!door || isAny || sessionId === undefined) return any;
    const names = door.order(sessionId);
    const alive = names.flatMap((name) =>
      this.replicas.filter(({ place }) => place.name === name && place.state !== 'dead'),
    );
    return alive[0] ?? any;
  }

  private at(index: number): Replica {
    return this.replicas[index % this.replicas.length] as Replica;
  }

  private sessionOf(choice: number): string | undefined {
    return this.sessions[choice % Math.max(1, this.sessions.length)];
  }

  private onSession(choice: number, action: (sessionId: string) => void): void {
    const sessionId = this.sessionOf(choice);
    if (sessionId) action(sessionId);
  }

  /** One of the newest turns. */
  private onTurn(choice: number, action: (turn: { sessionId: string; turnId: string }) => void): void {
    const turn = this.turns.at(-1 - (choice % Math.max(1, Math.min(4, this.turns.length))));
    if (turn) action(turn);
  }

  private invoke(replica: Replica, b: number, c: number, d: number): void {
    const text = `#i${this.commands.length}`;
    const sessionKey = sessionKeys[b % sessionKeys.length] as string;
    const key = c % 10 < 6 ? turnKeys[(c >> 4) % turnKeys.length] : c % 10 < 7 ? '  ' : undefined;
    const content: RequestBody<'invokeAgent'>['input']['content'] =
      d % 20 === 0
        ? [
            { type: 'file', file_id: 'f' },
            { type: 'text', text },
          ]
        : [{ type: 'text', text: `${text} ${plans[(d >> 5) % plans.length] ?? ''}` }];
    const context = d % 3 === 0 ? [{ name: 'board', content: `value ${(d >> 3) % 2}` }] : [];
    const operation = d % 11 === 0 ? { operation: { timeout_seconds: 5 } } : {};
    this.send('invoke', replica, { text, key: key?.trim() || null }, async (who) => {
      const { sessionId, turnId, deduped } = await replica.invoke(who, {
        agent_ref: { id: agentId },
        session: { session_key: sessionKey },
        input: { content, context, ...(key === undefined ? {} : { idempotency_key: key }) },
        ...operation,
      });
      return { sessionId, turnId, deduped };
    });
  }

  private nudge(replica: Replica, b: number, c: number): void {
    this.onSession(b, (sessionId) => {
      const key = c % 2 ? `n${(c >> 3) % 4}` : null;
      const text = `#n${this.commands.length}`;
      const content = key ? `nudge ${(c >> 6) % 2}` : text;
      this.send('nudge', replica, { sessionId, text: key ? '' : text, key }, (who) =>
        replica.nudge(who, sessionId, { content, wake: c % 3 === 0, ...(key ? { idempotency_key: key } : {}) }),
      );
    });
  }

  private send(
    kind: string,
    replica: Replica,
    about: Partial<Command>,
    carryOut: (who: Identity) => Promise<Record<string, unknown>>,
  ): void {
    const { place } = replica;
    if (place.state === 'dead') return;
    const requestId = `req_${this.commands.length}`;
    const command: Command = {
      kind,
      place: place.name,
      requestId,
      text: '',
      sessionId: null,
      key: null,
      sentAt: this.shared.now,
      sentPosition: this.shared.position,
      outcome: 'pending',
      code: '',
      answer: {},
      answeredAt: 0,
      answeredPosition: '',
      ...about,
    };
    this.commands.push(command);
    this.shared.onDeath(place, () => {
      if (command.outcome === 'pending') command.outcome = 'lost';
    });
    const ended = (outcome: Command['outcome']) => {
      Object.assign(command, { outcome, answeredAt: this.shared.now, answeredPosition: this.shared.position });
    };
    this.shared.scheduler
      .turn(place)
      .then(() => carryOut(identity(requestId)))
      .then((answer) => {
        command.answer = answer;
        command.sessionId ??= String(answer.sessionId);
        ended('done');
        this.learn(kind, command.sessionId, answer);
      })
      .catch((error: unknown) => {
        if (error instanceof Refusal) command.code = error.code;
        else if (!(error instanceof StoreUnavailable)) this.shared.fault(error);
        ended(error instanceof Refusal ? 'refused' : 'unavailable');
      });
  }

  private learn(kind: string, sessionId: string, answer: Record<string, unknown>): void {
    if (kind === 'invoke') {
      if (!this.sessions.includes(sessionId)) this.sessions.push(sessionId);
      this.turns.push({ sessionId, turnId: String(answer.turnId) });
    }
    if (kind === 'nudge') this.nudges.push({ sessionId, nudgeId: String(answer.nudge_id) });
  }

  /** Answers what was asked; each outcome is sent until a session took it, sometimes twice. */
  private answerQuestions(choice?: number): void {
    const open = [...this.outside.questions.values()].filter(({ delivered }) => !delivered);
    const chosen = choice === undefined ? open : open.slice(choice % Math.max(1, open.length)).slice(0, 1);
    for (const question of chosen) {
      this.bring(question);
      if (this.shared.random.chance(0.2)) this.bring(question);
    }
  }

  private bring(question: Question): void {
    const able = this.replicas.filter(({ place }) => place.state === 'up');
    if (able.length === 0) return;
    const [owner] = this.routing === 'owner' ? (this.doors[0]?.order(question.sessionId) ?? []) : [];
    const replica = able.find(({ place }) => place.name === owner) ?? this.shared.random.pick(able);
    const attempt = `${question.id}@${replica.place.name}`;
    if (this.answering.has(attempt)) return;
    this.answering.set(attempt, replica.place.name);
    question.answered = true;
    replica
      .answer(question)
      .then(() => {
        question.delivered = true;
      })
      .catch((error: unknown) => {
        if (!(error instanceof StoreUnavailable)) this.shared.fault(error);
      })
      .finally(() => {
        this.answering.delete(attempt);
      });
  }

  private kill(index: number, restartMs: number): void {
    const { place } = this.at(index);
    if (place.state === 'dead') return;
    this.shared.kill(place);
    this.deadSince.set(place.name, this.shared.now);
    this.restartAfter(index, restartMs, place.name);
  }

  private stop(index: number, restartMs: number): void {
    const replica = this.at(index);
    if (replica.place.state !== 'up') return;
    replica
      .stop()
      .then(() => {
        if (replica.place.state === 'dead') return;
        this.shared.kill(replica.place);
        this.deadSince.set(replica.place.name, this.shared.now);
        this.stoppedSince.set(replica.place.name, this.shared.now);
        this.restartAfter(index, restartMs, replica.place.name);
      })
      .catch((error: unknown) => {
        this.shared.fault(error);
      });
  }

  private restartAfter(index: number, ms: number, name: string): void {
    this.shared.scheduler.clock.after(ms, () => {
      if (this.at(index).place.name === name) this.replicas[index] = this.begin();
    });
  }
}

/** The session of a key before it is deleted: what a gateway works out. */
function keyedSession(choice: number): string {
  return sessionIdFor('salt', agentId, sessionKeys[choice % sessionKeys.length] as string, 0);
}
