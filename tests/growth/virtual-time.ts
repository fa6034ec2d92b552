interface Event {
  at: number;
  order: number;
  action: () => void;
}

/** Time that goes from one event to the next: those of one moment happen in the order in which they were asked for. */
export class VirtualTime {
  now = 0;
  private readonly heap: Event[] = [];
  private asked = 0;

  after(ms: number, action: () => void): void {
    const { heap } = this;
    heap.push({ at: this.now + ms, order: this.asked, action });
    this.asked += 1;
    for (let at = heap.length - 1; at > 0;) {
      const parent = (at - 1) >> 1;
      if (this.isBefore(parent, at)) return;
      this.swap(at, parent);
      at = parent;
    }
  }

  /** Lets everything happen that is due until then. */
  runUntil(until: number): void {
    for (let next = this.heap[0]; next && next.at <= until; next = this.heap[0]) {
      this.removeFirst();
      this.now = next.at;
      next.action();
    }
    this.now = until;
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    heap[0] = last;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      let first = at;
      if (left < heap.length && this.isBefore(left, first)) first = left;
      if (right < heap.length && this.isBefore(right, first)) first = right;
      if (first === at) return;
      this.swap(at, first);
      at = first;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [one, other] = [this.heap[a] as Event, this.heap[b] as Event];
    return one.at < other.at || (one.at === other.at && one.order < other.order);
  }

  private swap(a: number, b: number): void {
    const { heap } = this;
    [heap[a], heap[b]] = [heap[b] as Event, heap[a] as Event];
  }
}
