import type { EndPoint, EventStoreDBClient } from '@eventstore/db-client';
import { openClient, type Purpose } from './client.js';
import { LeaderConnection } from './leader-connection.js';
import type { Settings } from './settings.js';

/** The connection to the leader that all calls of one purpose share; a new one after trouble. */
export class LeaderConnections {
  /** Finds the leader; it makes no calls of its own. */
  private client: EventStoreDBClient | undefined;
  private opening: Promise<LeaderConnection> | undefined;
  private current: LeaderConnection | undefined;
  /** The leader that a node named; null: the client is asked. */
  private leader: EndPoint | null = null;

  constructor(
    private readonly purpose: Purpose,
    private readonly settings: Settings,
  ) {}

  /** The one that is there; one that has ended is left. */
  get usable(): LeaderConnection | undefined {
    if (this.current?.isUsable === false) this.replace(this.current, null);
    return this.current;
  }

  /** The one on its way, or a new one. */
  open(): Promise<LeaderConnection> {
    if (this.opening) return this.opening;
    const { url, budgetMs } = this.settings;
    this.client ??= openClient(url, this.purpose, budgetMs);
    const opening = LeaderConnection.open(this.client, this.settings, this.leader);
    this.opening = opening;
    opening.then(
      (connection) => {
        if (this.opening === opening) this.current = connection;
      },
      () => {
        if (this.opening === opening) this.opening = undefined;
      },
    );
    return opening;
  }

  /** Calls on it may go on; new ones take a new connection, to the leader that a node named. */
  replace(connection: LeaderConnection, leader: EndPoint | null): void {
    if (this.current !== connection) return;
    this.leader = leader;
    this.current = undefined;
    this.opening = undefined;
    connection.leave();
  }

  close(): void {
    const { opening } = this;
    this.opening = undefined;
    this.current = undefined;
    opening?.then(
      (connection) => {
        connection.destroy();
      },
      () => undefined, // there is none
    );
  }
}
