/**
 * How a claim stands. Free: no resource has it, or its holder has it no longer; `F` is what a new claim rests on.
 * Taken: a live resource has it. Unfinished: the claim was written, and what it is for was not.
 */
export type ClaimStanding<H, F> =
  ({ status: 'free' } & F) | { status: 'taken'; holder: H } | { status: 'unfinished'; finish: () => Promise<unknown> };

/**
 * What at most one live resource has: a name, an outside identity. The claim on its stream is the commit point and says
 * all that it takes to carry it out; a request that meets an unfinished one carries it out first. There is no sweeper.
 * Source: ARCHITECTURE.md section 3, rule R43.
 */
export interface Claimable<H, F> {
  /** For people, such as `name: planner`. */
  readonly what: string;
  /** Reads the claim and its holder. */
  standing(): Promise<ClaimStanding<H, F>>;
}
