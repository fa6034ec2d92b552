/** How much may be under way at once, of all organizations and of each. */
export interface SlotBounds {
  all: number;
  perOrganization: number;
}

/** Counts the slots that are taken in one process; an organization without any takes no room. */
export class OrganizationSlots {
  private readonly takenOf = new Map<string, number>();
  private count = 0;

  constructor(private readonly bounds: SlotBounds) {}

  /** Slots that are taken. */
  get taken(): number {
    return this.count;
  }

  /** Whether one more slot of the organization is free. */
  hasRoom(orgId: string): boolean {
    return this.count < this.bounds.all && (this.takenOf.get(orgId) ?? 0) < this.bounds.perOrganization;
  }

  /** Takes a slot, also past the bounds: the caller asks `hasRoom` first where they hold. */
  take(orgId: string): void {
    this.count += 1;
    this.takenOf.set(orgId, (this.takenOf.get(orgId) ?? 0) + 1);
  }

  /** Frees a slot that was taken. */
  free(orgId: string): void {
    this.count -= 1;
    const left = (this.takenOf.get(orgId) ?? 1) - 1;
    if (left > 0) this.takenOf.set(orgId, left);
    else this.takenOf.delete(orgId);
  }
}
