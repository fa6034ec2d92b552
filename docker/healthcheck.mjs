// Ends with 0 when the program in this container answers: node healthcheck.mjs [path, /healthz when there is none]
const path = process.argv[2] ?? '/healthz';
const PATIENCE_MS = 2_500;

try {
  const answer = await fetch(`http://127.0.0.1:${process.env.SVC_PORT || 8080}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${answer.status} ${text}`);
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
