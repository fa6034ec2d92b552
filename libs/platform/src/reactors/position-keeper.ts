import { RevisionConflict, rfc3339, type Clock, type EventStore, type Ids, type Position } from '@aos/kernel';

/**
 * Position of a reactor or relay in the log, in its own stream `relay-<name>`, kept at one event. A successor appends
 * its own claim first, so that the checkpoint of a late predecessor conflicts and stops it.
 */
export class PositionKeeper {
  private revision: number | 'none' = 'none';
  private at: Position | null = null;

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
    private readonly ids: Ids,
    private readonly name: string,
    private readonly owner: string,
  ) {}

  get position(): Position | null {
    return this.at;
  }

  /** Claims the name and gives the position to go on from; null: the start. */
  async claim(): Promise<Position | null> {
    for (;;) {
      const [last] = await this.store.read(this.stream, { backwards: true, limit: 1 });
      const position = typeof last?.data.position === 'string' ? last.data.position : null;
      try {
        await this.write(last ? last.revision : 'none', position, 'RelayClaimed');
        this.at = position;
        return position;
      } catch (error) {
        if (!(error instanceof RevisionConflict)) throw error;
      }
    }
  }

  /** Moves the position. Throws `RevisionConflict` when another process claimed since: stop. */
  async move(position: Position): Promise<void> {
    await this.write(this.revision, position, 'RelayMoved');
    this.at = position;
  }

  private get stream(): string {
    return `relay-${this.name}`;
  }

  private async write(expected: number | 'none', position: Position | null, type: string): Promise<void> {
    const { revision } = await this.store.append(this.stream, expected, [
      {
        id: this.ids.uuid(),
        type,
        data: { owner: this.owner, position },
        meta: { schema_version: '1', org_id: '', recorded_at: rfc3339(this.clock.now()) },
      },
    ]);
    this.revision = revision;
    if (revision > 0 && revision % 20 === 0) await this.store.truncate(this.stream, revision);
  }
}
