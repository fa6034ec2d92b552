import { base32, type Ids } from '@aos/kernel';
import type { Ownership } from '@aos/platform';

/** With more replicas than this a name may be another one's: a hint only. */
const triesMax = 128;
const timeCharacters = 10;
const randomCharacters = 16;
const drawBytes = 10;

/** Names of new sessions: sessions that this process owns, so that what follows comes here too. */
export class SessionNames {
  constructor(
    private readonly ids: Pick<Ids, 'ulid' | 'randomBytes'>,
    private readonly ownership: Pick<Ownership, 'owns'>,
  ) {}

  /** A part of an id as `Ids.ulid` makes it. */
  ulid(): string {
    const first = this.ids.ulid();
    let ulid = first;
    for (let tries = 1; tries < triesMax && !this.ownership.owns(`session-ses_${ulid}`); tries += 1)
      ulid = first.slice(0, timeCharacters) + base32(this.ids.randomBytes(drawBytes), randomCharacters);
    return ulid;
  }
}
