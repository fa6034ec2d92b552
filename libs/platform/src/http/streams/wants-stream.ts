/** It stands with the server, which judges by it what a browser token may do. */
export { wantsStream } from '../server/wants-stream.js';
