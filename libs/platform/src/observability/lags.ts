/** How far what reads the log in this process is behind, by name, in milliseconds. */
export class Lags {
  private readonly sources: (() => Readonly<Record<string, number>>)[] = [];

  register(source: () => Readonly<Record<string, number>>): void {
    this.sources.push(source);
  }

  get all(): Record<string, number> {
    return Object.assign({}, ...this.sources.map((source) => source())) as Record<string, number>;
  }
}
