// A model endpoint of the OpenAI-compatible kind for trying things out: it answers every chat with one sentence,
// streamed. Port 8090.
import { createServer } from 'node:http';

const port = Number(process.env.PORT ?? 8090);
const words = ['A ', 'local ', 'endpoint ', 'answers.'];

const chunk = (model, delta, finish = null, usage = null) =>
  `data: ${JSON.stringify({
    id: 'chat-1',
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...(usage ? { usage } : {}),
  })}\n\n`;

const server = createServer((request, response) => {
  const parts = [];
  request.on('data', (part) => {
    parts.push(part);
  });
  request.on('end', () => {
    const { model } = JSON.parse(Buffer.concat(parts).toString() || '{}');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const word of words) response.write(chunk(model, { role: 'assistant', content: word }));
    response.write(
      chunk(model, {}, 'stop', { prompt_tokens: 12, completion_tokens: words.length, total_tokens: 12 + words.length }),
    );
    response.end('data: [DONE]\n\n');
  });
});
server.listen(port, process.env.HOST ?? '127.0.0.1', () => {
  console.log(`local model: http://127.0.0.1:${port}/v1`);
});
