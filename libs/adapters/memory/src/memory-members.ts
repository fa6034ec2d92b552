import { Members, type Clock, type Member } from '@aos/kernel';

/** Members that are known as long as the object lives. */
export class MemoryMembers extends Members {
  private readonly groups = new Map<string, Map<string, { member: Member; until: number }>>();

  constructor(private readonly clock: Clock) {
    super();
  }

  override async renew(group: string, member: Member, ttlMs: number): Promise<void> {
    const known = this.groups.get(group) ?? new Map<string, { member: Member; until: number }>();
    this.groups.set(group, known);
    known.set(member.address, { member: { ...member }, until: this.clock.monotonic() + ttlMs });
  }

  override async leave(group: string, address: string): Promise<void> {
    this.groups.get(group)?.delete(address);
  }

  override async all(group: string): Promise<Member[]> {
    const known = this.groups.get(group);
    const now = this.clock.monotonic();
    for (const [address, { until }] of known ?? []) if (until <= now) known?.delete(address);
    return [...(known?.values() ?? [])]
      .map(({ member }) => ({ ...member }))
      .sort((a, b) => (a.address < b.address ? -1 : 1));
  }

  override async close(): Promise<void> {
    this.groups.clear();
  }
}
