import { fold, type RecordedEvent, collectionOf } from '@aos/kernel';
import { jobTimersProjection } from '../../libs/sessions/src/session/jobs.projection.js';
import { sessionsProjection } from '../../libs/sessions/src/session/session.projection.js';
import { openTurnsProjection } from '../../libs/sessions/src/session/open-turns.projection.js';
import type { SessionEvent } from '../../libs/sessions/src/session/session.events.js';
import { sessionKind } from '../../libs/sessions/src/session/session.state.js';
import { leaseMs } from './replica.js';
import { SessionAudit, Violation } from './session-audit.js';
import type { Written } from './shared.js';
import type { Command, World } from './world.js';

const pollMs = 2000;
const slackMs = 3000;
const readMax = 4096;

/** The logs of all sessions. */
export async function sessionLogs(world: World): Promise<Map<string, RecordedEvent[]>> {
  const logs = new Map<string, RecordedEvent[]>();
  for (const stream of world.shared.written.keys()) {
    if (stream.startsWith('session-'))
      logs.set(stream.slice('session-'.length), await world.shared.log.read(stream, { from: 0, limit: readMax }));
  }
  return logs;
}

/** Nothing is open, and the read models are what the log makes of them. */
export async function isQuiet(world: World): Promise<boolean> {
  for (const events of (await sessionLogs(world)).values()) if (folded(events).open.size > 0) return false;
  if (world.replicas.some(({ projectors }) => !projectors.caughtUp)) return false;
  if (world.replicas.some(({ turnQueue }) => turnQueue.depth.running > 0)) return false;
  return (await readModelFault(world)) === null;
}

/** Throws the first `Violation` in what happened. */
export async function judge(world: World, wasQuiet: boolean): Promise<void> {
  const logs = await sessionLogs(world);
  const audits = new Map<string, SessionAudit>();
  for (const [sessionId, events] of logs) {
    const audit = new SessionAudit(sessionId, leaseMs);
    audits.set(sessionId, audit);
    const written = world.shared.written.get(`session-${sessionId}`) ?? [];
    for (const event of events) audit.take(event, written[event.revision] as Written);
  }
  if (world.shared.troubles.length > 0) throw new Violation(0, world.shared.troubles[0] ?? '');
  for (const audit of audits.values()) {
    checkTakeovers(world, audit);
    if (world.onlyDeaths) checkStops(world, audit);
    checkJobs(world, audit);
  }
  for (const command of world.commands) checkCommand(command, audits);
  checkDeliveries(world, logs);
  checkDepartures(world, logs, audits);
  for (const audit of audits.values()) audit.end();
  for (const { projectors } of world.replicas)
    for (const { name, failure } of projectors.stopped) throw new Violation(79, `${name} stopped: ${String(failure)}`);
  const fault = await readModelFault(world);
  if (fault) throw new Violation(71, fault);
  checkQuestions(world, audits);
  const pending = world.commands.find(({ outcome }) => outcome === 'pending');
  if (pending) throw new Violation(79, `${pending.kind} ${pending.requestId} at ${pending.place} was never answered`);
  if (!wasQuiet) throw new Violation(79, 'not quiet in time');
  for (const { place, slots } of world.replicas)
    if (slots.taken > 0) throw new Violation(79, `${place.name} has no turn and ${slots.taken} slots that are taken`);
}

function folded(events: readonly RecordedEvent[]) {
  return fold(
    sessionKind,
    events.map(({ type, data }) => ({ type, data }) as unknown as SessionEvent),
  );
}

const compared = [sessionsProjection, openTurnsProjection, jobTimersProjection];

/** Compares rows with those of a rebuild from nothing; gives the first difference. */
async function readModelFault(world: World): Promise<string | null> {
  const expected = new Map<string, string>();
  for (const [id, events] of await sessionLogs(world)) {
    const state = folded(events);
    for (const projection of compared) {
      for (const row of projection.rows({ state, id, revision: events.length - 1 }))
        if (row.doc && row.collection === collectionOf(projection))
          expected.set(`${row.collection}/${row.scope.join('/')}/${row.key}`, JSON.stringify(row.doc));
    }
  }
  let found = 0;
  for (const projection of compared) {
    const collection = collectionOf(projection);
    for await (const { scope, key, doc } of world.shared.readStore.dump(collection)) {
      if (!doc) continue;
      found += 1;
      const wanted = expected.get(`${collection}/${scope}/${key}`);
      if (wanted !== JSON.stringify(doc))
        return `${collection} ${key}: ${JSON.stringify(doc)} instead of ${wanted ?? 'nothing'}`;
    }
  }
  return found === expected.size ? null : `${expected.size} rows should be there, ${found} are`;
}

/** Of a turn: invariant 17. The owner takes it sooner, any replica by then. */
const takeoverMsMax = 2 * leaseMs + 10_000;
/** Of a call that goes on outside, which has no owner. */
const jobTakeoverMsMax = 2 * leaseMs + pollMs + slackMs;
const restful = ['TurnParked', 'TurnCompleted', 'TurnFailed', 'TurnCancelled'];
const givenBack = [...restful, 'TurnRequeued', 'TurnResumed'];

/**
 * Where only processes die, a turn whose runner died moves within two leases and a poll of the death, whatever others
 * write meanwhile.
 */
function checkDeaths(world: World, audit: SessionAudit): void {
  for (const [place, diedAt] of world.deadSince) {
    for (const { id, moves } of audit.turns.values()) {
      const before = moves.filter(({ at }) => at <= diedAt).at(-1);
      if (before?.owner !== place || restful.includes(before.type)) continue;
      const next = moves.find(({ at }) => at > diedAt);
      if (!next || next.at > diedAt + takeoverMsMax)
        throw new Violation(17, `${id} of ${place} moved ${next ? `${next.at - diedAt} ms` : 'never'} after its death`);
    }
  }
}

/** Where only processes die or go down, one that went down in good order leaves no turn that it claimed. */
function checkStops(world: World, audit: SessionAudit): void {
  for (const [place, diedAt] of world.stoppedSince)
    for (const { id, moves } of audit.turns.values()) {
      const last = moves.filter(({ at }) => at <= diedAt).at(-1);
      if (last?.owner === place && !givenBack.includes(last.type))
        throw new Violation(76, `${place} went down in good order and left ${id} behind: ${last.type} is its last`);
    }
}

/** Once nothing is wrong any more, a turn whose runner is dead moves within two leases and a poll. */
function checkTakeovers(world: World, audit: SessionAudit): void {
  if (world.onlyDeaths) checkDeaths(world, audit);
  for (const turn of audit.turns.values()) {
    const before = turn.moves.filter(({ at }) => at <= world.calmAt).at(-1);
    const next = turn.moves.find(({ at }) => at > world.calmAt);
    if (!before?.owner || restful.includes(before.type) || !world.deadSince.has(before.owner)) continue;
    if (!next || next.at > world.calmAt + takeoverMsMax) {
      throw new Violation(
        17,
        `${turn.id} of ${before.owner} moved ${next ? `${next.at - world.calmAt} ms` : 'never'} after the faults ended`,
      );
    }
  }
}

/** Once nothing is wrong any more, a call whose process is dead is begun again within two leases and a poll. */
function checkJobs(world: World, audit: SessionAudit): void {
  for (const { callId, starts, endedAt } of audit.jobs.values()) {
    const before = starts.filter(({ at }) => at <= world.calmAt).at(-1);
    if (!before || (endedAt !== null && endedAt <= world.calmAt) || !world.deadSince.has(before.place)) continue;
    const next = starts.find(({ at }) => at > world.calmAt)?.at ?? endedAt;
    if (next === null || next > world.calmAt + jobTakeoverMsMax) {
      throw new Violation(
        17,
        `call ${callId} of ${before.place} moved ${next === null ? 'never' : `${next - world.calmAt} ms`} after the faults ended`,
      );
    }
  }
}

function checkCommand(command: Command, audits: Map<string, SessionAudit>): void {
  const queued = [...audits.values()]
    .flatMap(({ turns }) => [...turns.values()])
    .filter(({ requestId }) => requestId === command.requestId);
  if (queued.length > 1) throw new Violation(75, `${command.requestId} queued ${queued.length} turns`);
  const copies = command.text.startsWith('#')
    ? [...audits.values()].reduce((sum, { texts }) => sum + (texts.get(command.text) ?? 0), 0)
    : 0;
  if (copies > 1) throw new Violation(75, `${command.text} stands in ${copies} rows`);
  if (command.outcome === 'refused' && copies > 0)
    throw new Violation(7, `${command.text} was refused (${command.code}) and stands in the log`);
  if (command.outcome !== 'done') return;
  const audit = audits.get(command.sessionId ?? '');
  if (!audit) throw new Violation(68, `${command.requestId}: no log of ${command.sessionId ?? ''}`);
  switch (command.kind) {
    case 'invoke':
      checkInvoke(command, audit, copies);
      return;
    case 'cancelTurn': {
      const turn = audit.turns.get(command.text);
      if (!turn?.finalAt || turn.finalAt > command.answeredPosition)
        throw new Violation(14, `${command.text} was cancelled and is open`);
      if (command.answer.status !== turn.status)
        throw new Violation(12, `${command.text} was shown as ${String(command.answer.status)} and is ${turn.status}`);
      return;
    }
    case 'cancelSession':
      for (const turn of audit.turns.values()) {
        if (turn.queuedAt > command.sentPosition || (turn.finalAt && turn.finalAt <= command.answeredPosition))
          continue;
        throw new Violation(16, `${turn.id} outlived the cancel of its session`);
      }
      return;
    case 'nudge': {
      const nudge = audit.nudges.get(String(command.answer.nudge_id));
      if (!nudge) throw new Violation(43, `${String(command.answer.nudge_id)} was acknowledged and is not there`);
      if (command.key && nudge.key !== command.key)
        throw new Violation(42, `key ${command.key} gave ${nudge.record.id} of key ${String(nudge.key)}`);
      if (command.text && nudge.record.content !== command.text)
        throw new Violation(42, `${nudge.record.id} holds other content`);
      return;
    }
    case 'cancelNudge':
      if (audit.nudges.get(command.text)?.status !== 'cancelled')
        throw new Violation(
          45,
          `${command.text} was cancelled and is ${audit.nudges.get(command.text)?.status ?? 'gone'}`,
        );
      return;
    case 'remove':
      if (audit.deletedAt === null || audit.deletedAt > command.answeredPosition)
        throw new Violation(68, `${audit.sessionId} was deleted and lives`);
      return;
    default:
      return;
  }
}

function checkInvoke(command: Command, audit: SessionAudit, copies: number): void {
  const turn = audit.turns.get(String(command.answer.turnId));
  if (!turn || turn.queuedAt > command.answeredPosition)
    throw new Violation(68, `${String(command.answer.turnId)} was acknowledged and is not there`);
  if (command.answer.deduped) {
    if (turn.key !== command.key)
      throw new Violation(4, `key ${String(command.key)} gave ${turn.id} of key ${String(turn.key)}`);
    if (copies > 0) throw new Violation(3, `${command.text} was a repeat and stands in the log`);
  } else if (turn.requestId !== command.requestId) {
    throw new Violation(1, `${command.requestId} was told of ${turn.id} of ${turn.requestId} as its own`);
  }
}

function checkDeliveries(world: World, logs: Map<string, RecordedEvent[]>): void {
  for (const [call, ids] of world.outside.deliveries)
    if (ids.size > 1) throw new Violation(23, `${call} was delivered as ${[...ids].join(', ')}`);
  for (const [deliveryId, { sessionId, position }] of world.outside.seenAt) {
    const named = logs
      .get(sessionId)
      ?.find(({ type, data }) => type === 'ToolCallsRequested' && JSON.stringify(data).includes(deliveryId));
    if (!named || named.position > position) throw new Violation(24, `${deliveryId} left before it was in the log`);
  }
}

/**
 * While the bus is cut, and after it, no call leaves of a turn that another process cancelled meanwhile (rule TP24): at
 * the moment a call leaves the log has no cancel, so only what is under way then can be the later one.
 */
function checkDepartures(world: World, logs: Map<string, RecordedEvent[]>, audits: Map<string, SessionAudit>): void {
  for (const { sessionId, turnId, callId, place, position } of world.outside.departures) {
    const turn = audits.get(sessionId)?.turns.get(turnId);
    if (turn?.status !== 'cancelled' || turn.finalAt === null || turn.finalAt > position) continue;
    const end = logs.get(sessionId)?.find((event) => event.position === turn.finalAt);
    const written = world.shared.written.get(`session-${sessionId}`)?.[end?.revision ?? -1];
    if (!written) throw new Error(`no append wrote the end of ${turnId}`);
    if (written.busWasCut && written.place !== place)
      throw new Violation(
        13,
        `${callId} left ${place} after ${written.place} cancelled ${turnId} while the bus was cut`,
      );
  }
}

/** What was asked and answered reached its session once, unless that was deleted. */
function checkQuestions(world: World, audits: Map<string, SessionAudit>): void {
  for (const question of world.outside.questions.values()) {
    const audit = audits.get(question.sessionId);
    if (!audit || audit.deletedAt !== null) continue;
    if (!audit.hasOutcome(question.id)) throw new Violation(51, `the outcome of ${question.id} is in no row`);
  }
}
