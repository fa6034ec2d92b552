import { StoppedAt, type RecordedEvent } from '@aos/kernel';

/** The topic takes what an event leaves as never, or nothing can be made of it: the relay stops there. */
export class NeverLeaves extends StoppedAt {
  override readonly name = 'NeverLeaves';
}

/** What leaves of an event. That it cannot be made does not pass with time. */
export function madeOf<Made>(event: RecordedEvent, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw new NeverLeaves(event, error);
  }
}
