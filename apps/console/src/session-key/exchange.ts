import { serviceFor } from '../api/service';

let exchanged: { code: string; key: Promise<string> } | null = null;

/** Takes the one-time code of the first start; gives the key that the service makes for it. It is sent once. */
export function exchange(code: string): Promise<string> {
  if (exchanged?.code !== code) exchanged = { code, key: keyFor(code) };
  return exchanged.key;
}

async function keyFor(code: string): Promise<string> {
  if (code === '') throw new Error('the fragment holds no code');
  const answer = await serviceFor(undefined).request<{ key: string }>('POST', '/v1/console/first-key', {
    body: { code },
  });
  return answer.key;
}
