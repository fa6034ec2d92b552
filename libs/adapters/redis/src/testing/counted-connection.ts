import { RedisConnection, type RedisClient, type RedisSettings } from '../redis-connection.js';

/** A connection that knows which commands were sent. Those that a script gives itself are not among them. */
export class CountedConnection extends RedisConnection {
  private commands: string[] = [];

  constructor(settings: RedisSettings) {
    super(settings);
  }

  /** The names of the commands since the last call. */
  sent(): string[] {
    return this.commands.splice(0);
  }

  override run<T>(action: (client: RedisClient) => Promise<T>, incarnation?: number): Promise<T> {
    return super.run((client) => action(this.counted(client)), incarnation);
  }

  private counted(client: RedisClient): RedisClient {
    return new Proxy(client, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...args: unknown[]): unknown => {
          this.commands.push(String(name));
          return Reflect.apply(member, target, args);
        };
      },
    });
  }
}
