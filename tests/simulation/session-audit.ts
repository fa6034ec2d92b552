import type { RecordedEvent } from '@aos/kernel';
import type {
  CompactionPass,
  NudgeRecord,
  Row,
  SessionEvent,
  ToolCall,
  TurnRecord,
  TurnStatus,
  Usage,
} from '../../libs/sessions/src/session/session.events.js';
import type { Written } from './shared.js';

/** A rule that was broken; `rule` is its number in the list of invariants. */
export class Violation extends Error {
  constructor(
    readonly rule: number,
    message: string,
  ) {
    super(`invariant ${rule}: ${message}`);
    this.name = 'Violation';
  }
}

export interface AuditedTurn {
  id: string;
  key: string | null;
  direct: boolean;
  /** Sequence of its input row. */
  input: number | null;
  requestId: string;
  queuedAt: string;
  finalAt: string | null;
  status: TurnStatus;
  /** Place that holds the newest claim. */
  owner: string | null;
  epoch: number;
  calls: number;
  usage: Usage;
  asked: Map<string, ToolCall>;
  open: Set<string>;
  wait: TurnRecord['wait'] | null;
  /** When something happened to it: position and monotonic time. */
  moves: { position: string; at: number; type: string; owner: string | null }[];
}

/** A call that goes on outside its turn: who began it and when (monotonic), and when it ended. */
export interface AuditedJob {
  turnId: string;
  callId: string;
  starts: { at: number; place: string }[];
  endedAt: number | null;
}

interface AuditedNudge {
  record: NudgeRecord;
  ordinal: number;
  key: string | null;
  status: NudgeRecord['status'];
  rows: number;
}

const pendingMax = 32;
/** A runner that wakes up may write once more while the takeover is under way. */
const raceMs = 1000;
const nonterminal: readonly TurnStatus[] = ['queued', 'running', 'waiting'];

/**
 * Reads one session's log event by event and throws at the first event after which an invariant does not hold. Shares
 * no code with the service.
 */
export class SessionAudit {
  readonly turns = new Map<string, AuditedTurn>();
  readonly jobs = new Map<string, AuditedJob>();
  readonly nudges = new Map<string, AuditedNudge>();
  readonly rows: Row[] = [];
  readonly texts = new Map<string, number>();
  deletedAt: string | null = null;
  private readonly rowIds = new Set<string>();
  private readonly eventIds = new Set<string>();
  private readonly keys = new Set<string>();
  private readonly nudgeKeys = new Set<string>();
  private readonly results = new Set<string>();
  private readonly outcomes = new Set<string>();
  private pass: CompactionPass | null = null;
  private coveredThrough = 0;
  private first = -1;
  private nudgesInAppend = 0;
  private resumedInAppend: { turnId: string; reason: string }[] = [];
  private wokenInAppend: string[] = [];

  constructor(
    readonly sessionId: string,
    private readonly leaseMs: number,
  ) {}

  take(recorded: RecordedEvent, written: Written): void {
    const event = { type: recorded.type, data: recorded.data } as unknown as SessionEvent;
    if (this.eventIds.has(recorded.id)) throw new Violation(75, `event ${recorded.id} is there twice`);
    this.eventIds.add(recorded.id);
    if (this.deletedAt !== null) throw new Violation(68, `${event.type} after the deletion`);
    if (written.first !== this.first) this.beginAppend(written.first);
    this.fence(recorded, written, event);
    this.takeEvent(event, recorded, written);
    if ([...this.turns.values()].filter(({ direct, status }) => direct && nonterminal.includes(status)).length > 1)
      throw new Violation(8, 'two direct turns are open');
    const pending = [...this.nudges.values()].filter(({ status }) => status === 'pending').length;
    if (pending > pendingMax) throw new Violation(41, `${pending} nudges are pending`);
  }

  /** What must hold once everything is quiet. */
  end(): void {
    this.beginAppend(-2);
    for (const nudge of this.nudges.values()) {
      if (nudge.status === 'pending') throw new Violation(43, `${nudge.record.id} still waits`);
      const expected = nudge.status === 'delivered' ? 1 : 0;
      if (nudge.rows !== expected)
        throw new Violation(43, `${nudge.record.id} is ${nudge.status} and has ${nudge.rows} rows`);
    }
    for (const turn of this.turns.values()) {
      if (nonterminal.includes(turn.status)) throw new Violation(79, `${turn.id} is ${turn.status}`);
    }
  }

  private beginAppend(first: number): void {
    this.checkSleepers();
    for (const turnId of this.wokenInAppend) {
      if (!this.resumedInAppend.some((resumed) => resumed.turnId === turnId && resumed.reason === 'nudge'))
        throw new Violation(46, `woke_turn without a resumed ${turnId}`);
    }
    this.first = first;
    this.nudgesInAppend = 0;
    this.resumedInAppend = [];
    this.wokenInAppend = [];
  }

  /** No turn waits while a nudge of it is pending that would wake it. */
  private checkSleepers(): void {
    for (const { record, status } of this.nudges.values()) {
      const turn = this.turns.get(record.turn.id);
      if (status !== 'pending' || turn?.status !== 'waiting') continue;
      if (record.wake || turn.wait?.kind === 'interaction')
        throw new Violation(46, `${turn.id} waits while ${record.id} is pending, which would wake it`);
    }
  }

  /** What a runner writes is written by the place that holds the turn's newest claim. */
  private fence(recorded: RecordedEvent, written: Written, event: SessionEvent): void {
    const turnId = recorded.meta.correlation_id ?? '';
    if (
      recorded.meta.principal_kind !== 'agent' ||
      (event.type === 'TurnClaimed' && event.data.active_ms === undefined)
    )
      return;
    const turn = this.turns.get(turnId);
    if (!turn) throw new Violation(18, `${event.type} by a runner of no turn`);
    if (event.type === 'TurnRequeued' && event.data.epoch > turn.epoch) return this.takenOver(turn, written);
    if (turn.owner !== written.place)
      throw new Violation(18, `${event.type} of ${turnId} by ${written.place}, which is ${turn.owner ?? 'nobody'}'s`);
  }

  /** A process may take over at once what it claimed itself and does not run: an append without an answer. */
  private takenOver(turn: AuditedTurn, written: Written): void {
    if (turn.owner === written.place) return;
    const claims = ['TurnClaimed', 'TurnRequeued', 'TurnQueued'];
    const last = turn.moves.filter(({ at, type }) => claims.includes(type) || written.at - at > raceMs).at(-1)?.at ?? 0;
    if (written.at - last < this.leaseMs - raceMs)
      throw new Violation(17, `${turn.id} was taken over ${written.at - last} ms after its runner's last event`);
    turn.owner = written.place;
  }

  private takeEvent(event: SessionEvent, recorded: RecordedEvent, written: Written): void {
    switch (event.type) {
      case 'SessionDeleted':
        this.deletedAt = recorded.position;
        return;
      case 'MessageAppended':
      case 'ContextRecorded':
        this.takeRow(event.data.row);
        return;
      case 'TurnQueued':
        this.takeTurn(event.data, recorded, written);
        return;
      case 'TurnClaimed': {
        if (event.data.active_ms !== undefined) {
          this.mark(
            this.running(event.data.turn.id, event.data.epoch, 'a renewed claim'),
            recorded,
            written,
            'a renewed claim',
          );
          return;
        }
        const turn = this.moved(event.data.turn, recorded, written, event.type);
        if (event.data.epoch < turn.epoch || (event.data.epoch === turn.epoch && turn.owner !== written.place))
          throw new Violation(18, `${turn.id} was claimed at epoch ${event.data.epoch} after ${turn.epoch}`);
        turn.owner = written.place;
        turn.epoch = event.data.epoch;
        return;
      }
      case 'TurnRequeued':
        this.moved(event.data.turn, recorded, written, event.type).epoch = event.data.epoch;
        if (this.pass?.turn_id === event.data.turn.id) this.pass = null;
        return;
      case 'TurnParked': {
        const turn = this.moved(event.data.turn, recorded, written, event.type);
        if (!turn.open.has(turn.wait?.tool_call_id ?? ''))
          throw new Violation(46, `${turn.id} waits for a call that is not open`);
        const hasJob = [...turn.open].some((callId) => this.jobs.has(callId));
        if (hasJob !== (turn.wait?.kind === 'event'))
          throw new Violation(
            46,
            `${turn.id} shows the wait for ${turn.wait?.kind ?? 'nothing'}, ${hasJob ? 'with a' : 'without a'} job under way`,
          );
        return;
      }
      case 'TurnResumed': {
        if (this.turns.get(event.data.turn.id)?.status !== 'waiting')
          throw new Violation(46, `${event.data.turn.id} resumed and did not wait`);
        const { open } = this.moved(event.data.turn, recorded, written, event.type);
        if (open.size > 0)
          throw new Violation(17, `${event.data.turn.id} resumed, and [${[...open].join()}] have no result`);
        this.resumedInAppend.push({ turnId: event.data.turn.id, reason: event.data.reason });
        return;
      }
      case 'TurnCompleted':
      case 'TurnFailed':
      case 'TurnCancelled':
        this.takeFinal(event.data.turn, this.moved(event.data.turn, recorded, written, event.type), recorded.position);
        for (const { turnId, callId } of this.jobs.values())
          if (turnId === event.data.turn.id) this.endJob(callId, written);
        return;
      case 'ModelAnswered': {
        const turn = this.running(event.data.turn_id, event.data.epoch, event.type);
        this.mark(turn, recorded, written, event.type);
        if (event.data.call !== turn.calls)
          throw new Violation(19, `call ${event.data.call} of ${turn.id} after ${turn.calls}`);
        turn.calls += 1;
        turn.usage = added(turn.usage, event.data.usage);
        return;
      }
      case 'ToolCallsRequested': {
        const turn = this.running(event.data.turn_id, event.data.epoch, event.type);
        for (const call of event.data.calls) {
          turn.asked.set(call.tool_call_id, call);
          turn.open.add(call.tool_call_id);
        }
        return;
      }
      case 'ToolCallFinished': {
        const turn = this.turns.get(event.data.turn_id);
        if (!turn?.open.delete(event.data.outcome.tool_call_id))
          throw new Violation(26, `a second outcome of ${event.data.outcome.tool_call_id}`);
        if (turn.status !== 'waiting') this.mark(turn, recorded, written, event.type);
        this.endJob(event.data.outcome.tool_call_id, written);
        return;
      }
      case 'ToolJobStarted':
        this.startJob(event.data.turn_id, event.data.tool_call_id, written);
        return;
      case 'NudgeQueued':
        this.takeNudge(event.data);
        return;
      case 'NudgeRetargeted':
        this.pendingNudge(event.data.nudge, 'retargeted').record = event.data.nudge;
        return;
      case 'NudgeDelivered':
        this.deliver(event.data.nudge);
        return;
      case 'NudgeCancelled':
        this.pendingNudge(event.data.nudge, 'cancelled').status = 'cancelled';
        return;
      case 'OutcomeReceived':
        return;
      case 'OutcomeDelivered':
        return;
      case 'CompactionStarted':
        this.startPass(event.data.pass, recorded.meta.recorded_at ?? '');
        return;
      case 'CompactionFailed':
        this.endPass(event.data.pass);
        return;
      case 'TranscriptSummarised':
        this.summarise(event.data);
        return;
      default:
        return;
    }
  }

  private takeRow(row: Row): void {
    if (row.sequence !== this.rows.length + 1) throw new Violation(22, `row ${row.sequence} after ${this.rows.length}`);
    if (this.rowIds.has(row.id)) throw new Violation(22, `row id ${row.id} is there twice`);
    this.rowIds.add(row.id);
    this.rows.push(row);
    const turn = row.turn_id ? this.turns.get(row.turn_id) : undefined;
    if (turn && !nonterminal.includes(turn.status))
      throw new Violation(13, `a row of ${turn.id}, which is ${turn.status}`);
    for (const block of row.content) {
      if (block.type === 'text' || block.type === 'reminder') this.count(String(block.text ?? block.content));
      if (block.type !== 'tool_result') continue;
      const id = String(block.tool_use_id);
      if (this.results.has(id) || !turn?.asked.has(id)) throw new Violation(17, `a second or unasked result of ${id}`);
      this.results.add(id);
    }
    const nudge = typeof row.metadata?.session_nudge_id === 'string' ? row.metadata.session_nudge_id : null;
    if (nudge) this.nudgeRow(nudge);
    const interaction = row.metadata?.interaction_id;
    if (typeof interaction !== 'string') return;
    if (this.outcomes.has(interaction)) throw new Violation(51, `a second row of ${interaction}`);
    this.outcomes.add(interaction);
  }

  hasOutcome(interactionId: string): boolean {
    return this.outcomes.has(interactionId);
  }

  private count(text: string): void {
    const input = /#\w+/.exec(text)?.[0];
    if (input) this.texts.set(input, (this.texts.get(input) ?? 0) + 1);
  }

  private nudgeRows = new Map<string, number>();

  /** A row may stand before its nudge's event in the same append. */
  private nudgeRow(id: string): void {
    const rows = (this.nudgeRows.get(id) ?? 0) + 1;
    this.nudgeRows.set(id, rows);
    const nudge = this.nudges.get(id);
    if (nudge) nudge.rows = rows;
  }

  private takeTurn(
    { turn, input }: Extract<SessionEvent, { type: 'TurnQueued' }>['data'],
    recorded: RecordedEvent,
    written: Written,
  ): void {
    if (this.turns.has(turn.id)) throw new Violation(12, `${turn.id} was queued twice`);
    if (input.idempotency_key) {
      if (this.keys.has(input.idempotency_key)) throw new Violation(1, `two turns of key ${input.idempotency_key}`);
      this.keys.add(input.idempotency_key);
    }
    const audited: AuditedTurn = {
      id: turn.id,
      key: input.idempotency_key,
      direct: input.direct,
      input: input.input_sequence,
      requestId: recorded.meta.request_id ?? '',
      queuedAt: recorded.position,
      finalAt: null,
      status: 'queued',
      owner: null,
      epoch: 0,
      calls: 0,
      usage: {},
      asked: new Map(),
      open: new Set(),
      wait: null,
      moves: [],
    };
    this.turns.set(turn.id, audited);
    this.mark(audited, recorded, written, 'TurnQueued');
  }

  private mark(turn: AuditedTurn, recorded: RecordedEvent, written: Written, type: string): void {
    turn.moves.push({
      position: recorded.position,
      at: written.at,
      type,
      owner: type === 'TurnClaimed' ? written.place : turn.owner,
    });
  }

  private moved(record: TurnRecord, recorded: RecordedEvent, written: Written, type: string): AuditedTurn {
    const turn = this.turns.get(record.id);
    if (!turn) throw new Violation(12, `${type} of ${record.id}, which was never queued`);
    if (!nonterminal.includes(turn.status)) throw new Violation(12, `${type} of ${turn.id}, which is ${turn.status}`);
    turn.status = record.status;
    turn.wait = record.wait ?? null;
    this.mark(turn, recorded, written, type);
    return turn;
  }

  private running(turnId: string, epoch: number, type: string): AuditedTurn {
    const turn = this.turns.get(turnId);
    if (!turn || turn.status !== 'running')
      throw new Violation(13, `${type} of ${turnId}, which is ${turn?.status ?? 'unknown'}`);
    if (turn.epoch !== epoch)
      throw new Violation(18, `${type} of ${turnId} at epoch ${epoch}, which is at ${turn.epoch}`);
    return turn;
  }

  private takeFinal(record: TurnRecord, turn: AuditedTurn, position: string): void {
    turn.finalAt = position;
    if (record.status !== 'completed') {
      if (record.usage) throw new Violation(19, `${turn.id} is ${record.status} and carries usage`);
      return;
    }
    if (Object.values(record.usage ?? {}).some((counter) => counter === 0))
      throw new Violation(19, `${turn.id} carries a zero counter`);
    if (JSON.stringify(sorted(record.usage ?? {})) !== JSON.stringify(sorted(turn.usage))) {
      throw new Violation(
        19,
        `${turn.id} says ${JSON.stringify(record.usage)}, its calls add up to ${JSON.stringify(turn.usage)}`,
      );
    }
    if (turn.open.size > 0) throw new Violation(17, `${turn.id} completed with open calls`);
  }

  private startJob(turnId: string, callId: string, { at, place }: Written): void {
    if (!this.turns.get(turnId)?.open.has(callId)) throw new Violation(26, `a start of ${callId}, which is not open`);
    const job = this.jobs.get(callId) ?? { turnId, callId, starts: [], endedAt: null };
    job.starts.push({ at, place });
    this.jobs.set(callId, job);
  }

  private endJob(callId: string, { at }: Written): void {
    const job = this.jobs.get(callId);
    if (job) job.endedAt ??= at;
  }

  private takeNudge({
    nudge,
    idempotency_key: key,
    woke_turn: woke,
  }: Extract<SessionEvent, { type: 'NudgeQueued' }>['data']): void {
    if (this.nudges.has(nudge.id)) throw new Violation(42, `${nudge.id} was queued twice`);
    if (key) {
      if (this.nudgeKeys.has(key)) throw new Violation(42, `two nudges of key ${key}`);
      this.nudgeKeys.add(key);
    }
    this.nudges.set(nudge.id, {
      record: nudge,
      ordinal: this.nudges.size,
      key,
      status: nudge.status,
      rows: this.nudgeRows.get(nudge.id) ?? 0,
    });
    if (woke) this.wokenInAppend.push(nudge.turn.id);
  }

  private pendingNudge(record: NudgeRecord, what: string): AuditedNudge {
    const nudge = this.nudges.get(record.id);
    if (nudge?.status !== 'pending')
      throw new Violation(45, `${record.id} ${what}, which is ${nudge?.status ?? 'unknown'}`);
    return nudge;
  }

  private deliver(record: NudgeRecord): void {
    const nudge = this.pendingNudge(record, 'delivered');
    this.nudgesInAppend += 1;
    if (this.nudgesInAppend > 1) throw new Violation(44, 'two nudges at one boundary');
    const older = [...this.nudges.values()].find(
      ({ status, ordinal, record: other }) =>
        status === 'pending' && ordinal < nudge.ordinal && other.turn.id === nudge.record.turn.id,
    );
    if (older) throw new Violation(44, `${record.id} was delivered before ${older.record.id}`);
    nudge.status = 'delivered';
  }

  private startPass(pass: CompactionPass, at: string): void {
    if (this.pass && at < this.pass.deadline) throw new Violation(54, 'a pass began while one ran');
    if (pass.from_sequence !== this.coveredThrough + 1)
      throw new Violation(54, `a pass from ${pass.from_sequence} after ${this.coveredThrough}`);
    for (const { id, status, input } of this.turns.values()) {
      if (!nonterminal.includes(status) || input === null || input > pass.through_sequence) continue;
      if (!pass.keeps?.includes(input)) throw new Violation(55, `a pass over the input of ${id}, which is open`);
    }
    this.pass = pass;
  }

  private endPass(pass: CompactionPass): void {
    if (JSON.stringify(this.pass) !== JSON.stringify(pass))
      throw new Violation(54, 'a pass ended that is not the running one');
    this.pass = null;
  }

  private summarise({ pass, row, usage }: Extract<SessionEvent, { type: 'TranscriptSummarised' }>['data']): void {
    this.endPass(pass);
    this.takeRow(row);
    const turn = row.turn_id ? this.turns.get(row.turn_id) : undefined;
    if (turn) turn.usage = added(turn.usage, { ...usage, calls: 1 });
    const through = row.covers_through_sequence ?? 0;
    // What a failed turn kept is never sent to the model (rule T20), so that its calls have no results.
    const covered = this.rows
      .filter(({ sequence, hidden }) => sequence <= through && hidden !== 'partial' && !pass.keeps?.includes(sequence))
      .flatMap(({ content }) => content);
    const halves = (type: string, id: string) =>
      covered.filter((block) => block.type === type).map((block) => block[id]);
    const asked = new Set(halves('tool_use', 'id'));
    const answered = new Set(halves('tool_result', 'tool_use_id'));
    if (asked.size !== answered.size || [...asked].some((id) => !answered.has(id)))
      throw new Violation(55, 'a summary splits a call from its result');
    this.coveredThrough = through;
  }
}

function added(a: Usage, b: Usage): Usage {
  const sum: Record<string, number> = { ...a };
  for (const [counter, value] of Object.entries(b))
    if (value !== 0) sum[counter] = (sum[counter] ?? 0) + (value as number);
  return sum;
}

function sorted(usage: Usage): [string, unknown][] {
  return Object.entries(usage).sort(([a], [b]) => (a < b ? -1 : 1));
}
