import { status } from '@grpc/grpc-js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import { randomUUID } from 'node:crypto';
import type { CommitQueue } from './commit-queue.js';
import type { Faults } from './faults.js';
import type { LogRecord, ProtocolLog } from './log.js';
import { checkpointMessage, eventMessage, notFoundMessage, streamDeleted, streamName } from './messages.js';
import { Outlet } from './outlet.js';

export type ReadCall = ServerWritableStream<ReadReq, ReadResp>;

/** What the reading call needs; `subscriptions` holds those that run. */
export interface ReadContext {
  log: ProtocolLog;
  queue: CommitQueue;
  faults: Faults;
  subscriptions: Set<ReadCall>;
}

/** How many records a filtered subscription looks at between two checkpoints, times the caller's multiplier. */
const searchWindow = 32;
/** A live reader that falls this many bytes of log behind gets a message that says so. */
const behindBytes = 1024 * 1024;

/** Read: one stream or the whole log, once or for ever. */
export async function read(call: ReadCall, context: ReadContext): Promise<void> {
  const options = call.request.getOptions();
  const admission = context.faults.admit(call.metadata);
  if (admission === 'never_answer') return;
  if (admission !== 'go') {
    call.emit('error', admission);
    return;
  }
  if (!options) {
    call.emit('error', { code: status.INVALID_ARGUMENT, details: 'no options' });
    return;
  }
  const outlet = new Outlet(call, context.faults);
  await context.faults.beforeAnswer();
  if (options.hasSubscription()) return subscribe(call, options, outlet, context);
  if (options.hasAll()) await readAll(options, outlet, context.log);
  else if (!(await readStream(call, options, outlet, context.log))) return;
  if (!outlet.closed) call.end();
}

async function readStream(
  call: ReadCall,
  options: ReadReq.Options,
  outlet: Outlet,
  log: ProtocolLog,
): Promise<boolean> {
  const request = options.getStream();
  const stream = streamName(request?.getStreamIdentifier());
  const bounds = log.bounds(stream);
  if (bounds.tombstoned) {
    call.emit('error', streamDeleted(stream));
    return false;
  }
  if (bounds.last < 0 || bounds.softDeleted) {
    await outlet.send(notFoundMessage(stream));
    return true;
  }
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  let left = Number(options.getCount());
  let low = bounds.first;
  let high = bounds.last;
  if (request?.hasRevision()) {
    const asked = Number(request.getRevision());
    if (backwards) high = Math.min(high, asked);
    else low = Math.max(low, asked);
  } else if (backwards && request?.hasStart()) high = 0;
  else if (!backwards && request?.hasEnd()) low = bounds.last + 1;
  while (left > 0 && !outlet.closed) {
    const page = log.readStream(stream, low, high, backwards, left);
    for (const record of page) await outlet.send(eventMessage(record, wantsStructuredIds(options)));
    const last = page.at(-1);
    if (!last) break;
    left -= page.length;
    if (backwards) high = last.revision - 1;
    else low = last.revision + 1;
  }
  return true;
}

async function readAll(options: ReadReq.Options, outlet: Outlet, log: ProtocolLog): Promise<void> {
  const backwards = options.getReadDirection() === ReadReq.Options.ReadDirection.BACKWARDS;
  const matches = filterOf(options);
  const pageMax = (left: number) => (options.hasFilter() ? undefined : left);
  const all = options.getAll();
  let left = Number(options.getCount());
  // A read gives the record at the position asked for; backwards, those before it.
  let cursor = backwards
    ? startOf(all, log, log.end + 1, 0)
    : startOf(all, log, log.end, 0) - (all?.hasPosition() ? 1 : 0);
  while (left > 0 && !outlet.closed) {
    const page = backwards ? log.readBefore(cursor, pageMax(left)) : log.readAfter(cursor, pageMax(left));
    const last = page.at(-1);
    if (!last) return;
    for (const record of page.filter(matches).slice(0, left)) {
      await outlet.send(eventMessage(record, wantsStructuredIds(options)));
      left -= 1;
    }
    cursor = last.position;
  }
}

async function subscribe(
  call: ReadCall,
  options: ReadReq.Options,
  outlet: Outlet,
  context: ReadContext,
): Promise<void> {
  const { log, queue, subscriptions } = context;
  const all = options.getAll();
  if (!all) {
    call.emit('error', { code: status.UNIMPLEMENTED, details: 'only the whole log can be subscribed to here' });
    return;
  }
  subscriptions.add(call);
  const unfollow = queue.follow(() => outlet.wake());
  try {
    const cursor = startOf(all, log, log.end, 0);
    await outlet.send(
      new ReadResp().setConfirmation(new ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID())),
    );
    await feed(cursor, options, outlet, log);
  } finally {
    unfollow();
    subscriptions.delete(call);
  }
}

async function feed(start: number, options: ReadReq.Options, outlet: Outlet, log: ProtocolLog): Promise<void> {
  const matches = filterOf(options);
  const filter = options.getFilter();
  const checkpointEvery = filter
    ? Math.max(1, (filter.hasMax() ? filter.getMax() : searchWindow) * filter.getCheckpointintervalmultiplier())
    : Infinity;
  let cursor = start;
  let examined = 0;
  let live = false;
  while (!outlet.closed) {
    const page = log.readAfter(cursor);
    if (page.length === 0) {
      if (!live) {
        live = true;
        await outlet.send(new ReadResp().setCaughtUp(new ReadResp.CaughtUp()));
        continue;
      }
      await outlet.sleep(() => log.end > cursor);
      continue;
    }
    if (live && log.end - cursor > behindBytes) {
      live = false;
      await outlet.send(new ReadResp().setFellBehind(new ReadResp.FellBehind()));
    }
    for (const record of page) {
      if (outlet.closed) return;
      cursor = record.position;
      examined += 1;
      if (matches(record)) await outlet.send(eventMessage(record, wantsStructuredIds(options)));
      if (examined % checkpointEvery === 0) await outlet.send(checkpointMessage(cursor));
    }
  }
}

function startOf(all: ReadReq.Options.AllOptions | undefined, log: ProtocolLog, end: number, start: number): number {
  if (all?.hasPosition()) return Math.min(Number(all.getPosition()?.getCommitPosition() ?? 0), log.end + 1);
  return all?.hasEnd() ? end : start;
}

function filterOf(options: ReadReq.Options): (record: LogRecord) => boolean {
  const filter = options.getFilter();
  const byName = filter?.getStreamIdentifier();
  const expression = byName ?? filter?.getEventType();
  if (!expression) return () => true;
  const prefixes = expression.getPrefixList();
  const regex = prefixes.length === 0 ? new RegExp(expression.getRegex()) : null;
  return (record) => {
    const text = byName ? record.stream : record.type;
    return regex ? regex.test(text) : prefixes.some((prefix) => text.startsWith(prefix));
  };
}

function wantsStructuredIds(options: ReadReq.Options): boolean {
  return options.getUuidOption()?.hasStructured() === true;
}
