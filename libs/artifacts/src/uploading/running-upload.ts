import type { Identity, Refusal } from '@aos/kernel';
import { actorOf, type Actor } from '@aos/platform';
import type { Piece } from '../artifact/artifact.events.js';
import type { ArtifactState } from '../artifact/artifact.state.js';

/** The id of an artifact, or what gives it by the field `name`, which comes in the form. */
export type IdOfUpload = string | ((name: string) => string);

/** An upload that goes on, and what was done of it so far. */
export class RunningUpload {
  readonly actor: Actor;
  /** Null until it is known, or pieces have to be kept before it is. */
  artifactId: string | null;
  /** Pieces are kept under an id of their own, because the name has not come yet. */
  isLateNamed = false;
  /** What is there under this id already: nothing is kept. */
  known: ArtifactState | null = null;
  /** There is no room for it: nothing is kept, and it is refused unless it turns out to be there. */
  refusal: Refusal | null = null;
  isBegun = false;
  readonly pieces: Piece[] = [];
  /** Whether bytes were taken from the quota. */
  isReserved = false;

  constructor(
    readonly id: string,
    readonly who: Identity,
    private readonly idOf: IdOfUpload,
    private readonly form: ReadonlyMap<string, string>,
    readonly expectedBytes: number,
  ) {
    this.actor = actorOf(who);
    this.artifactId = typeof idOf === 'string' ? idOf : null;
  }

  /** The artifact's id by the name that came; null while none did. */
  get idByName(): string | null {
    if (typeof this.idOf === 'string') return this.idOf;
    const name = this.form.get('name') ?? '';
    return name === '' ? null : this.idOf(name);
  }

  /** The id that its pieces are kept under. */
  get keptId(): string {
    if (this.artifactId === null) throw new Error('an upload without an id keeps nothing');
    return this.artifactId;
  }
}
