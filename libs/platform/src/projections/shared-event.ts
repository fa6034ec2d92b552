import type { Position, RecordedEvent } from '@aos/kernel';

/**
 * An event that several readers look at, each at a time of its own: what one has asked for is decoded for all of them.
 * It lives as long as their batch. None may change what it gives.
 */
export class SharedEvent implements RecordedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly position: Position;
  private decodedData: RecordedEvent['data'] | undefined = undefined;
  private decodedMeta: RecordedEvent['meta'] | undefined = undefined;

  constructor(private readonly event: RecordedEvent) {
    this.stream = event.stream;
    this.revision = event.revision;
    this.type = event.type;
    this.position = event.position;
  }

  get id(): string {
    return this.event.id;
  }

  get data(): RecordedEvent['data'] {
    return (this.decodedData ??= this.event.data);
  }

  get meta(): RecordedEvent['meta'] {
    return (this.decodedMeta ??= this.event.meta);
  }
}
