import type { JsonObject } from '@aos/kernel';
import type { InvocationFormat } from '@aos/definitions/published';
import type { ToolOutcome } from '@aos/sessions/published';

/** The result of one execution of an action, of a turn or of a direct call. */
export type Answered =
  | { output: JsonObject; context: NonNullable<ToolOutcome['context']> }
  | { error: { code: string; message: string; details: JsonObject } };

/** The facts of the delivery for the record of the execution. */
export interface DeliveryFacts {
  /** The custom action that was called; null for built-in ones, and when there is none. */
  action: { id: string; format: InvocationFormat } | null;
  httpStatus: number | null;
  retryCount: number;
  secretVersion: number | null;
  /** Why a part of the reply is left out (rule T31). */
  warning: string | null;
}

export interface Carried {
  answer: Answered;
  facts: DeliveryFacts;
}

export const noFacts: DeliveryFacts = {
  action: null,
  httpStatus: null,
  retryCount: 0,
  secretVersion: null,
  warning: null,
};

export function notCarried(
  code: string,
  message: string,
  details: JsonObject = {},
  facts: Partial<DeliveryFacts> = {},
): Carried {
  return { answer: { error: { code, message, details } }, facts: { ...noFacts, ...facts } };
}
