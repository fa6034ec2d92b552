/**
 * Whether rows of a projection are waited for: by a reader that asked a moment ago, or one that stays. While they are
 * not, what makes and writes them may let events and rows gather.
 */
export interface Demand {
  readonly isPresent: boolean;
  /** Calls `listener` whenever rows begin to be waited for, and each time they are asked for. */
  onArrival(listener: () => void): { cancel(): void };
  /** The rows are waited for until the given function is called. */
  hold(): () => void;
}

/** Of rows whose readers this process cannot know. */
export const steadyDemand: Demand = {
  isPresent: true,
  onArrival: () => ({ cancel: () => undefined }),
  hold: () => () => undefined,
};
