/**
 * The function itself, as a member of an object that soon goes again (ADR 56).
 *
 * A function that is written straight into a member (`this.x = () => ...`, which fields of a class become too) is made
 * in the engine's old generation, and keeps all that it reaches there with it until the next full collection.
 */
export function youngFunction<F>(work: F): F {
  return work;
}
