/** What a spec may do to an engine that this run started. */
export type EngineVerb = 'restart' | 'halt' | 'kill' | 'resume';

type Environment = Readonly<Record<string, string | undefined>>;

/** A server that `tools/engine-tests.mjs` started or was given, as the specs of its adapter see it. */
export class SpecEngine {
  /** Takes the engine's name for the tool, and the setting that holds its address. */
  constructor(
    private readonly name: string,
    private readonly setting: string,
    private readonly env: Environment = process.env,
  ) {}

  /** Its address; a missing one fails the suite. */
  get address(): string {
    const address = this.env[this.setting];
    if (!address) throw new Error(`${this.setting} is not set: run tools/engine-tests.mjs`);
    return address;
  }

  /**
   * `test` for what stops the engine, empties it or holds up its other clients: skipped on a given server, which has
   * other users.
   */
  get testIfOwn(): jest.It {
    const given = Boolean(this.env[this.setting]) && !this.isOwn;
    return given ? test.skip : test;
  }

  /** Stops or starts the engine. Resolves when that is done. */
  async control(verb: EngineVerb): Promise<void> {
    const control = this.env['SVC_ENGINES_CONTROL'];
    if (!control || !this.isOwn)
      throw new Error(`${this.name} was not started by this run: run tools/engine-tests.mjs without ${this.setting}`);
    const answer = await fetch(`${control}/${this.name}/${verb}`, { method: 'POST' });
    if (!answer.ok) throw new Error(`${this.name} ${verb}: ${await answer.text()}`);
  }

  private get isOwn(): boolean {
    return (this.env['SVC_ENGINES_OWN'] ?? '').split(',').includes(this.name);
  }
}
