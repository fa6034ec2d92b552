import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { callError } from './call-error.js';
import { Frames } from './frames.js';

/** What the reader of a stream of messages is called for. */
export interface MessageListener {
  /** There is more to take. */
  readable: () => void;
  /** The server or the connection ended it: with the client's error. Not called for what `close` ended. */
  ended: (error: Error) => void;
}

/** The answer to a call that goes on, read by asking: beyond a window nothing is sent that is not asked for. */
export class MessageStream {
  private readonly frames = new Frames();
  private isClosed = false;

  constructor(
    private readonly call: ClientHttp2Stream,
    { readable, ended }: MessageListener,
  ) {
    let said: IncomingHttpHeaders = {};
    let cause: Error | undefined;
    const hear = (headers: IncomingHttpHeaders) => {
      said = headers;
    };
    call.on('response', hear);
    call.on('trailers', hear);
    call.on('error', (error: Error) => {
      cause = error;
    });
    call.on('readable', readable);
    call.on('close', () => {
      if (this.isClosed) return;
      ended(cause ?? callError(said) ?? new Error('the event store ended the subscription'));
    });
  }

  /** The next message that is there; null when there is none. Throws for what is no message. */
  next(): Buffer | null {
    for (;;) {
      const message = this.frames.next();
      if (message) return message;
      const part = this.call.read() as Buffer | null;
      if (!part) return null;
      this.frames.add(part);
    }
  }

  close(): void {
    this.isClosed = true;
    this.call.close(constants.NGHTTP2_CANCEL);
  }
}
