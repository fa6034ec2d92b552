import { GenerationalCache } from '@aos/kernel';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const clocksMax = 256;
/** A format takes longer to make than the due time of a pattern to find. */
const clocks = new GenerationalCache<ZoneClock>(clocksMax);

/** The clocks of a time zone that there is. */
export function clockOf(timezone: string): ZoneClock {
  const known = clocks.get(timezone);
  if (known) return known;
  const clock = new ZoneClock(timezone);
  clocks.set(timezone, clock);
  return clock;
}

/** Wall times are milliseconds as if the clocks showed UTC. */
class ZoneClock {
  private readonly format: Intl.DateTimeFormat;

  constructor(timezone: string) {
    this.format = new Intl.DateTimeFormat('en', { timeZone: timezone, timeZoneName: 'longOffset' });
  }

  /** What the clocks show at a moment. */
  wallAt(ms: number): number {
    return ms + this.offsetAt(ms);
  }

  /**
   * When the clocks first show a whole minute: of two moments the earlier one, and the end of the gap for a minute that
   * they jump over.
   */
  firstAt(wallMs: number): number {
    const [before, after] = [this.offsetAt(wallMs - dayMs), this.offsetAt(wallMs + dayMs)];
    const [early, late] = [wallMs - Math.max(before, after), wallMs - Math.min(before, after)];
    for (const at of [early, late]) if (this.wallAt(at) === wallMs) return at;
    return this.changeIn(early, late);
  }

  /** The first minute of another offset after `fromMs`, by halves. */
  private changeIn(fromMs: number, untilMs: number): number {
    const offset = this.offsetAt(fromMs);
    let [low, high] = [fromMs, untilMs];
    while (high - low > minuteMs) {
      const middle = low + Math.ceil((high - low) / 2 / minuteMs) * minuteMs;
      if (middle === high) break;
      if (this.offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return high;
  }

  private offsetAt(ms: number): number {
    const name = this.format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0', seconds = '0'] =
      /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(name) ?? [];
    const size = (Number(hours) * 60 + Number(minutes)) * minuteMs + Number(seconds) * 1000;
    return sign === '-' ? -size : size;
  }
}
