interface Member<V> {
  value: V;
  at: number;
}

/**
 * Values that soon go again, in no order.
 *
 * Not a `Set`, nor listeners of an object that lives on: what leaves those is linked to what comes after it, and once
 * one of them has grown old, all that follow live until the next full collection (ADRs 16, 56).
 */
export class ShortLivedSet<V> {
  private readonly members: Member<V>[] = [];

  get size(): number {
    return this.members.length;
  }

  /** The values that are there now. */
  values(): V[] {
    return this.members.map(({ value }) => value);
  }

  /** Gives what takes the value out again; a second call does nothing. */
  add(value: V): () => void {
    const member = { value, at: this.members.length };
    this.members.push(member);
    return () => {
      this.leave(member);
    };
  }

  private leave(member: Member<V>): void {
    if (this.members[member.at] !== member) return;
    const last = this.members.pop() as Member<V>;
    if (last === member) return;
    last.at = member.at;
    this.members[member.at] = last;
  }
}
