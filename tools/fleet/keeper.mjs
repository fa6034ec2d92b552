// Starts again what died, until it stands or the fleet stops.
const pause = (ms) =>
  new Promise((done) => {
    setTimeout(done, ms);
  });

export class Keeper {
  #restartMs;
  #warn;
  #onChange;
  /** What is being brought back, by engine. */
  #returning = new Map();
  #isStopping = false;

  /** Takes the pause before each try, warn(line), and onChange(), called when a process has gone or come. */
  constructor({ restartMs, warn, onChange }) {
    this.#restartMs = restartMs;
    this.#warn = warn;
    this.#onChange = onChange;
  }

  /**
   * Takes an engine that ended and how. One that ends while it is being brought back is met by the tries that go on.
   */
  bringBack(engine, how) {
    if (this.#isStopping) return;
    this.#onChange();
    if (this.#returning.has(engine)) return;
    this.#warn(`${engine.name} ended (${how}), starting it again in ${this.#restartMs} ms`);
    this.#returning.set(engine, this.#startAgain(engine));
  }

  /** Resolves when no try is under way any more. */
  async stop() {
    this.#isStopping = true;
    await Promise.allSettled(this.#returning.values());
  }

  async #startAgain(engine) {
    for (;;) {
      await pause(this.#restartMs);
      if (this.#isStopping) return;
      try {
        await engine.start();
        if (engine.pid === null) continue; // it answered and ended: its exit was left to this loop
        this.#returning.delete(engine);
        this.#onChange();
        this.#warn(`${engine.name} is back`);
        return;
      } catch (error) {
        this.#warn(error.message);
      }
    }
  }
}
