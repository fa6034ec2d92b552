import { AgentService } from '@aos/client';

const refused = 401;

/** The client of one key. Calls `onRefused` when any call or stream answers 401. */
export function serviceFor(key: string | undefined, onRefused: () => void = () => undefined): AgentService {
  return new AgentService({
    baseUrl: location.origin,
    key,
    fetch: async (url, init) => {
      const response = await fetch(url, { ...init, cache: 'no-store', credentials: 'omit' });
      if (response.status === refused) onRefused();
      return response;
    },
  });
}
