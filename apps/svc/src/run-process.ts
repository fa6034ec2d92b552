import { runProgram, type ProgramParts } from './program.js';

/** Runs the program on the streams of this process, and leaves its exit code. */
export async function runProcess(parts: ProgramParts): Promise<void> {
  // A reader that has seen enough closes its end: `svc events list | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
  const { stdin: input, stdout: out, stderr: error, env } = process;
  process.exitCode = await runProgram(process.argv.slice(2), { input, out, error, env }, parts);
  input.destroy(); // an input that is still open would keep the process
}
