import type { JsonObject } from '@aos/kernel';
import { CallerCommand } from '@aos/platform';
import type { InvocationAnswer } from './invocation-answers.js';

export interface InvokeActionBody {
  input?: JsonObject;
  timeout_seconds?: number;
  dry_run?: boolean;
}

/** `key`: the `Idempotency-Key`; null without one. */
export class InvokeAction extends CallerCommand<
  { action_name: string; body: InvokeActionBody; key: string | null },
  InvocationAnswer
> {}
