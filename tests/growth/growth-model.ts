import { OwnerMap, ownerPartition } from '@aos/kernel';
import { Random } from '../simulation/random.js';
import { modelMs, processorMs, refusedMs } from './measured-costs.js';
import { ModelledReplica } from './modelled-replica.js';
import { ModelledStore } from './modelled-store.js';
import { VirtualTime } from './virtual-time.js';

export interface GrowthOptions {
  seed: number;
  replicas: number;
  /** Turns that are asked for in a second, by organization. */
  perSecond: ReadonlyMap<string, number>;
  /** Share of the turns that begin a session; the others go on with one of their organization. */
  newShare?: number;
}

/** A turn that came to its end. */
export interface EndedTurn {
  orgId: string;
  askedAt: number;
  ms: number;
  /** It was begun again after its process died. */
  wasTakenOver: boolean;
}

interface Turn {
  orgId: string;
  session: string;
  askedAt: number;
  /** Acknowledged: its client asks no more, and who owns the session takes it over. */
  isAdmitted: boolean;
  isOver: boolean;
}

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
/** A gateway asks a process that did not answer behind the others for this long; a member lives this long. */
const avoidedMs = 1_000;
const memberMs = 15_000;
const usualNewShare = 0.25;
const sessionsPerReplica = 500;
/** The least busy of two random replicas takes a new session. */
const choices = 2;

/**
 * Replicas of session-service on one event store, with measured costs: gateways send each session to its owner and a
 * new one to the less busy of two, as `Upstreams` does, over the real map of owners.
 */
export class GrowthModel {
  readonly time = new VirtualTime();
  readonly replicas: ModelledReplica[];
  readonly ended: EndedTurn[] = [];
  /** Calls that full queues did not take, by organization. */
  readonly refusedOf = new Map<string, number>();
  private readonly random: Random;
  private readonly sessions = new Map<string, string[]>();
  private readonly underWay = new Map<ModelledReplica, Set<Turn>>();
  private readonly busy = new Map<ModelledReplica, number>();
  private readonly avoidedUntil = new Map<string, number>();
  private owners: OwnerMap;
  private readonly newShare: number;
  private readonly byAddress: ReadonlyMap<string, ModelledReplica>;
  private names = 0;

  constructor(options: GrowthOptions) {
    this.random = new Random(options.seed);
    this.newShare = options.newShare ?? usualNewShare;
    const store = new ModelledStore(this.time, this.random);
    this.replicas = Array.from(
      { length: options.replicas },
      (_, n) => new ModelledReplica(`http://10.${options.seed % 250}.0.${n}:8080`, this.time, store, this.refused),
    );
    this.byAddress = new Map(this.replicas.map((replica) => [replica.address, replica]));
    this.owners = this.mapOf(this.replicas);
    const orgIds = [...options.perSecond.keys()];
    for (let made = 0; made < options.replicas * sessionsPerReplica; made += 1)
      this.keep(orgIds[made % orgIds.length] ?? '', this.name());
    for (const [orgId, rate] of options.perSecond) this.askLater(orgId, rate);
  }

  /** Turns that were asked for within a time and have ended. */
  endedOf(from: number, to: number): EndedTurn[] {
    return this.ended.filter(({ askedAt }) => askedAt >= from && askedAt < to);
  }

  /** A process dies: what it had not acknowledged is asked again at once, the rest is taken over by the next owner. */
  kill(index: number, { takenOverAfterMs }: { takenOverAfterMs: number }): void {
    const dead = this.replicas[index] as ModelledReplica;
    dead.kill();
    for (const turn of this.underWay.get(dead) ?? []) {
      if (!turn.isAdmitted) this.time.after(refusedMs, () => this.send(turn));
      else this.time.after(takenOverAfterMs, () => this.takeOver(turn));
    }
    this.time.after(memberMs, () => {
      this.owners = this.mapOf(this.replicas.filter(({ isAlive }) => isAlive));
    });
  }

  /** So many streams of an organization come back at once, of sessions that none has in memory. */
  returnStreams(orgId: string, count: number): void {
    for (let each = 0; each < count; each += 1) {
      const session = this.name();
      const replica = this.next(session);
      replica.enter(orgId, processorMs.answer, () => {
        replica.load(session, () => undefined);
      });
    }
  }

  private askLater(orgId: string, rate: number): void {
    this.time.after((-1000 * Math.log(1 - this.random.next())) / rate, () => {
      this.askLater(orgId, rate);
      const known = this.sessions.get(orgId);
      const isNew = !known || this.random.chance(this.newShare);
      const session = isNew ? '' : this.random.pick(known);
      this.send({ orgId, session, askedAt: this.time.now, isAdmitted: false, isOver: false });
    });
  }

  /** To its owner or to who comes next; a new session to the less busy of two. */
  private send(turn: Turn): void {
    if (turn.session !== '') {
      this.sendTo(this.next(turn.session), turn);
      return;
    }
    const all = this.replicas.filter((each) => this.isReachable(each));
    const drawn = Array.from({ length: choices }, () => this.random.pick(all));
    const replica = drawn.reduce((least, each) => (this.busyOf(each) < this.busyOf(least) ? each : least));
    this.sendTo(replica, turn);
  }

  private sendTo(replica: ModelledReplica, turn: Turn): void {
    if (!replica.isAlive) {
      this.avoidedUntil.set(replica.address, this.time.now + avoidedMs);
      this.time.after(refusedMs, () => this.send(turn));
      return;
    }
    this.count(replica, 1);
    const under = this.underWay.get(replica) ?? new Set();
    this.underWay.set(replica, under.add(turn));
    const isNew = turn.session === '';
    const entered = replica.enter(turn.orgId, processorMs.admit, () => {
      if (isNew) this.open(replica, turn);
      replica.load(turn.session, () => {
        replica.append(turn.orgId, () => {
          replica.goOn(processorMs.answer, () => this.admitted(replica, turn));
        });
      });
    });
    if (!entered) this.over(replica, turn);
  }

  private admitted(replica: ModelledReplica, turn: Turn): void {
    turn.isAdmitted = true;
    this.count(replica, -1);
    this.runTurn(replica, turn, false);
  }

  private runTurn(replica: ModelledReplica, turn: Turn, wasTakenOver: boolean): void {
    this.time.after(modelMs, () => {
      replica.goOn(processorMs.end, () => {
        replica.append(turn.orgId, () => {
          replica.goOn(processorMs.after, () => {
            this.ended.push({ ...turn, ms: this.time.now - turn.askedAt, wasTakenOver });
            this.over(replica, turn);
          });
        });
      });
    });
  }

  private takeOver(turn: Turn): void {
    const replica = this.next(turn.session);
    replica.load(turn.session, () => {
      this.runTurn(replica, turn, true);
    });
  }

  private over(replica: ModelledReplica, turn: Turn): void {
    turn.isOver = true;
    this.underWay.get(replica)?.delete(turn);
  }

  private open(replica: ModelledReplica, turn: Turn): void {
    do turn.session = this.name();
    while (this.owners.owner(ownerPartition(turn.session)) !== replica.address);
    this.keep(turn.orgId, turn.session);
  }

  private keep(orgId: string, session: string): void {
    const names = this.sessions.get(orgId);
    if (names) names.push(session);
    else this.sessions.set(orgId, [session]);
    this.next(session).knows(session);
  }

  /** The first that a gateway asks for a session: its owner, or who comes next while that does not answer. */
  private next(session: string): ModelledReplica {
    for (const address of this.owners.order(ownerPartition(session))) {
      const replica = this.byAddress.get(address);
      if (replica && this.isReachable(replica)) return replica;
    }
    throw new Error('no replica is left');
  }

  private isReachable({ address }: ModelledReplica): boolean {
    return (this.avoidedUntil.get(address) ?? 0) <= this.time.now;
  }

  private readonly refused = (orgId: string): void => {
    this.refusedOf.set(orgId, (this.refusedOf.get(orgId) ?? 0) + 1);
  };

  private mapOf(replicas: readonly ModelledReplica[]): OwnerMap {
    return new OwnerMap(replicas.map(({ address }) => ({ address, weight: 1 })));
  }

  private busyOf(replica: ModelledReplica): number {
    return this.busy.get(replica) ?? 0;
  }

  private count(replica: ModelledReplica, by: number): void {
    this.busy.set(replica, this.busyOf(replica) + by);
  }

  private name(): string {
    this.names += 1;
    const [last, before] = [this.random.below(alphabet.length), this.random.below(alphabet.length)];
    return `session-ses_${this.names}${alphabet[before] ?? ''}${alphabet[last] ?? ''}`;
  }
}
