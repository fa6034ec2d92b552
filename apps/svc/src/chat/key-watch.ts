import type { Io } from '../console/io.js';

const ctrlC = '\u0003';
/** `npm run` hands the signal of one key press on a second time. */
const sameMs = 250;

/**
 * Sees ctrl-c while a turn runs. The terminal is raw then, so the key comes as a byte and no process of the group is
 * ended by it; a signal from elsewhere counts as the key.
 */
export class KeyWatch {
  private onKey: (() => void) | null = null;
  private lastMs = Number.NEGATIVE_INFINITY;

  constructor(private readonly input: Io['input']) {}

  /** Calls back at each ctrl-c; gives what ends the watch. */
  watch(onCtrlC: () => void): () => void {
    this.onKey = onCtrlC;
    process.on('SIGINT', this.pressed);
    this.listen();
    return () => {
      this.onKey = null;
      process.off('SIGINT', this.pressed);
      this.release();
    };
  }

  /** Leaves the keys to a prompt; gives what takes them back, if the watch goes on. */
  pause(): () => void {
    this.release();
    return () => {
      if (this.onKey !== null) this.listen();
    };
  }

  private listen(): void {
    this.input.setRawMode?.(true);
    this.input.on('data', this.typed);
    this.input.resume();
  }

  private release(): void {
    this.input.off('data', this.typed);
    this.input.setRawMode?.(false);
    this.input.pause();
  }

  private readonly typed = (bytes: Buffer | string): void => {
    if (bytes.toString().includes(ctrlC)) this.pressed();
  };

  private readonly pressed = (): void => {
    const now = performance.now();
    if (now - this.lastMs < sameMs) return;
    this.lastMs = now;
    this.onKey?.();
  };
}
