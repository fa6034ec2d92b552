import { given } from '@aos/kernel/testing';
import {
  cancelJob,
  giveBackJob,
  giveUpJob,
  leaseJob,
  renewLease,
  reportJob,
  requestJob,
  leaseStatusOf,
  type Report,
} from './job.decide.js';
import type { JobEvent, JobOpening } from './job.events.js';
import { openJobsProjection } from './job.projection.js';
import { jobKind } from './job.state.js';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
const ms = (seconds: number) => Date.parse(at(seconds));
const opening: JobOpening = {
  job_id: 'job_1',
  org_id: 'org_1',
  kind: 'action_execution',
  origin: 'agent_tool_call',
  delivery_id: 'dlv_1',
  actor: { principal_id: 'agent_1', kind: 'agent' },
  action_name: 'pay',
  requested_at: at(0),
};
const requested: JobEvent = { type: 'JobRequested', data: { ...opening, parameters: { sum: 1 } } };
const leased = (attempt: number, from: number, hash = `hash${attempt}`): JobEvent => ({
  type: 'JobLeased',
  data: {
    attempt,
    worker_id: 'wrk_1',
    worker_instance_id: 'i1',
    token_hash: hash,
    leased_at: at(from),
    expires_at: at(from + 60),
  },
});
const done: Report = { status: 'completed', result: { paid: true }, errorType: null, errorMessage: null };
const reported: JobEvent = {
  type: 'JobReported',
  data: {
    attempt: 1,
    status: 'completed',
    result: { paid: true },
    error_type: null,
    error_message: null,
    reported_at: at(5),
  },
};
const holder = { workerId: 'wrk_1', tokenHash: 'hash1' };
const worker = { ...holder, workerInstanceId: 'i1', leaseMs: 60_000 };
const time = (seconds: number) => ({ now: ms(seconds), leaseMs: 60_000 });

describe('jobs of workers', () => {
  it('are recorded once for a delivery id', () => {
    given(jobKind)
      .when((job) => requestJob({ opening, parameters: { sum: 1 } }, job))
      .thenEvents(requested);
    given(jobKind, requested)
      .when((job) => requestJob({ opening, parameters: { sum: 2 } }, job))
      .thenNothing();
  });

  it('X4: are given to one worker for 60 s, and to another only once it was silent so long', () => {
    given(jobKind, requested)
      .when((job) => leaseJob({ ...worker, now: ms(0) }, job))
      .thenEvents(leased(1, 0));
    given(jobKind, requested, leased(1, 0))
      .when((job) => leaseJob({ ...worker, tokenHash: 'hash2', now: ms(59.999) }, job))
      .thenNothing();
    given(jobKind, requested, leased(1, 0))
      .when((job) => leaseJob({ ...worker, tokenHash: 'hash2', now: ms(60) }, job))
      .thenEvents(leased(2, 60));
    given(jobKind)
      .when((job) => leaseJob({ ...worker, now: ms(0) }, job))
      .thenNothing();
    given(jobKind, requested, leased(1, 0), reported)
      .when((job) => leaseJob({ ...worker, now: ms(90) }, job))
      .thenNothing();
  });

  it('stay with a worker that gives signs of life', () => {
    given(jobKind, requested, leased(1, 0))
      .when((job) => renewLease({ ...holder, ...time(50) }, job))
      .thenEvents({ type: 'JobLeaseRenewed', data: { attempt: 1, expires_at: at(110) } });
    given(jobKind, requested, leased(1, 0), { type: 'JobLeaseRenewed', data: { attempt: 1, expires_at: at(110) } })
      .when((job) => leaseJob({ ...worker, now: ms(100) }, job))
      .thenNothing();
    given(jobKind, requested, leased(1, 0))
      .when((job) => renewLease({ ...holder, workerId: 'wrk_2', ...time(50) }, job))
      .thenNothing();
  });

  it("a lease is a fence: late is in time until the job is somebody else's, then never", () => {
    given(jobKind, requested, leased(1, 0))
      .when((job) => reportJob({ ...holder, report: done, now: ms(90) }, job))
      .thenTypes('JobReported');
    given(jobKind, requested, leased(1, 0), leased(2, 60))
      .when((job) => reportJob({ ...holder, report: done, now: ms(61) }, job))
      .thenNothing();
    given(jobKind, requested, leased(1, 0), leased(2, 60))
      .when((job) => renewLease({ ...holder, ...time(61) }, job))
      .thenNothing();
    given(jobKind, requested, leased(1, 0), leased(2, 60))
      .when((job) => reportJob({ ...holder, tokenHash: 'hash2', report: done, now: ms(61) }, job))
      .thenTypes('JobReported');
    const leaseStatus = (...past: JobEvent[]) => leaseStatusOf(holder, given(jobKind, ...past).state());
    expect([
      leaseStatus(requested),
      leaseStatus(requested, leased(1, 0)),
      leaseStatus(requested, leased(1, 0), reported),
      leaseStatus(requested, leased(1, 0), leased(2, 60)),
    ]).toEqual(['lost', 'held', 'over', 'lost']);
  });

  it('are reported once', () => {
    given(jobKind, requested, leased(1, 0))
      .when((job) => reportJob({ ...holder, report: done, now: ms(5) }, job))
      .thenEvents(reported);
    given(jobKind, requested, leased(1, 0), reported)
      .when((job) => reportJob({ ...holder, report: { ...done, result: { paid: false } }, now: ms(6) }, job))
      .thenNothing();
    given(jobKind, requested, leased(1, 0))
      .when((job) =>
        reportJob(
          {
            ...holder,
            report: { status: 'failed', result: { a: 1 }, errorType: null, errorMessage: 'no' },
            now: ms(5),
          },
          job,
        ),
      )
      .thenEvents({
        type: 'JobReported',
        data: {
          attempt: 1,
          status: 'failed',
          result: null,
          error_type: 'worker_error',
          error_message: 'no',
          reported_at: at(5),
        },
      });
  });

  it('are free at once when their worker never learnt of them', () => {
    const back: JobEvent = { type: 'JobGivenBack', data: { attempt: 1, given_back_at: at(1) } };
    given(jobKind, requested, leased(1, 0))
      .when((job) => giveBackJob({ ...holder, now: ms(1) }, job))
      .thenEvents(back);
    given(jobKind, requested, leased(1, 0), back)
      .when((job) => leaseJob({ ...worker, tokenHash: 'hash2', now: ms(1) }, job))
      .thenEvents(leased(2, 1));
    given(jobKind, requested, leased(1, 0), back)
      .when((job) => reportJob({ ...holder, report: done, now: ms(2) }, job))
      .thenNothing();
  });

  it('end by cancelling or giving up only while nothing else ended them', () => {
    const cancelled: JobEvent = { type: 'JobCancelled', data: { reason: 'turn_over', cancelled_at: at(3) } };
    given(jobKind, requested, leased(1, 0))
      .when((job) => cancelJob({ orgId: 'org_1', reason: 'turn_over', now: ms(3) }, job))
      .thenEvents(cancelled);
    given(jobKind, requested, leased(1, 0), cancelled)
      .when((job) => reportJob({ ...holder, report: done, now: ms(4) }, job))
      .thenNothing();
    given(jobKind, requested, leased(1, 0), reported)
      .when((job) => cancelJob({ orgId: 'org_1', reason: 'turn_over', now: ms(6) }, job))
      .thenNothing();
    given(jobKind)
      .when((job) => cancelJob({ orgId: 'org_1', reason: 'turn_over', now: ms(6) }, job))
      .thenNothing();
    given(jobKind, requested)
      .when((job) => giveUpJob({ errorType: 'worker_unavailable', message: 'nobody', now: ms(20) }, job))
      .thenTypes('JobGivenUp');
    given(jobKind, requested, leased(1, 0))
      .when((job) => giveUpJob({ errorType: 'worker_unavailable', message: 'nobody', now: ms(20) }, job))
      .thenNothing();
  });

  it('are listed while they have no outcome, with the time from which they may be given away', () => {
    const row = (...past: JobEvent[]) =>
      openJobsProjection.rows({ state: given(jobKind, ...past).state(), id: 'job_1', revision: past.length - 1 })[0];
    expect(row(requested)).toMatchObject({
      scope: ['org_1'],
      key: 'job_1',
      doc: { kind: 'action_execution', action_name: 'pay' },
      index: { available: 0, created: `${at(0)} job_1` },
    });
    expect(row(requested, leased(1, 0))).toMatchObject({ index: { available: ms(60) } });
    expect(row(requested, leased(1, 0), reported)).toMatchObject({ doc: null });
  });
});
