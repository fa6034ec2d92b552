import { Metadata, status } from '@grpc/grpc-js';
import type { StatusObject } from '@grpc/grpc-js';

/** What to do with a call that has just arrived. */
export type Admission = 'go' | 'never_answer' | Partial<StatusObject>;

/** Troubles a test can ask for. Everything is off at first. */
export class Faults {
  /** Calls are accepted and never answered; what arrives meanwhile is lost, running subscriptions stand still. */
  silent = false;
  /**
   * Port of the leader that this server follows: a call that requires the leader is sent there, others are answered
   * with what is here.
   */
  leaderPort: number | null = null;
  /** Every call is refused as one of an account that is not let in. */
  denied = false;
  /** Every answer waits this long. */
  delayMs = 0;
  /** Every call is refused with UNAVAILABLE. */
  unavailable = false;
  /** So many appends are carried out and their answers lost: the writer cannot know the outcome. */
  unansweredAppends = 0;
  /** So many appends are lost before they are carried out. */
  lostAppends = 0;
  /** So many appends are carried out, and the call that carried them is broken off in place of an answer. */
  brokenAppends = 0;
  /** So many batch calls are ended without an error in place of an answer. */
  cleanlyEndedAppends = 0;

  /** Calls and appends that were not answered because of `silent`. */
  ignored = 0;
  /** Answers that `delayMs` held back. */
  delayed = 0;

  admit(asked?: Metadata): Admission {
    if (this.silent) {
      this.ignored += 1;
      return 'never_answer';
    }
    if (this.leaderPort !== null && asked?.get('requires-leader').includes('true')) return notLeader(this.leaderPort);
    if (this.denied) return { code: status.UNAUTHENTICATED, details: 'not let in' };
    return this.unavailable ? { code: status.UNAVAILABLE, details: 'asked to be unavailable' } : 'go';
  }

  /** Resolves when an answer may leave. */
  async beforeAnswer(): Promise<void> {
    if (this.delayMs === 0) return;
    this.delayed += 1;
    await new Promise((resolve) => setTimeout(resolve, this.delayMs));
  }

  clear(): void {
    Object.assign(this, new Faults());
  }
}

function notLeader(port: number): Partial<StatusObject> {
  const metadata = new Metadata();
  metadata.set('exception', 'not-leader');
  metadata.set('leader-endpoint-host', '127.0.0.1');
  metadata.set('leader-endpoint-port', String(port));
  return { code: status.NOT_FOUND, details: 'leader info available', metadata };
}
