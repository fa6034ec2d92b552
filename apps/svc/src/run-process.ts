import { exitCodes } from './console/complaint.js';
import { columnsOf } from './console/io.js';
import { runProgram, type ProgramParts } from './program.js';

/** Runs the program on the streams of this process, and leaves its exit code. */
export async function runProcess(parts: ProgramParts): Promise<void> {
  // A reader that has seen enough closes its end: `svc events list | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.done);
    process.stderr.write(`Error: standard output takes no more: ${error.message}\n`);
    process.exit(exitCodes.failed);
  });
  nameSizes();
  const { stdin: input, stdout: out, stderr: error, env } = process;
  process.exitCode = await runProgram(process.argv.slice(2), { input, out, error, env }, parts);
  input.destroy(); // an input that is still open would keep the process
}

const rowsDefault = 24;

/** A terminal may say a size of 0, and what wraps at that breaks after each character: it gets the usual size. */
function nameSizes(): void {
  for (const output of [process.stdout, process.stderr]) {
    if (!output.isTTY) continue;
    if (output.columns === 0) output.columns = columnsOf(output);
    if (output.rows === 0) output.rows = rowsDefault;
  }
}
