import { createContext, useContext, useEffect, useState, type ReactNode } from 'react';
import { useQueryClient, type QueryClient } from '@tanstack/react-query';
import { ApiError, type SourceEvent } from '@aos/client';
import { useService } from './hooks';
import { useLacks } from './permissions';
import { isChangedByEvents, nounsChangedBy } from './what-changed';

type Listener = (event: SourceEvent) => void;
export type LiveState = 'opening' | 'live' | 'away' | 'off';

const gatherMs = 400;
const retryMs = 5_000;

/** Gives each event of the organization to those who listen. */
class LiveEvents {
  private readonly listeners = new Set<Listener>();

  readonly listen = (listener: Listener): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  publish(event: SourceEvent): void {
    for (const listener of this.listeners) listener(event);
  }
}

const EventsContext = createContext<LiveEvents | null>(null);
const StateContext = createContext<LiveState>('off');

/** Whether the organization's events reach this tab. */
export function useLiveState(): LiveState {
  return useContext(StateContext);
}

/** Calls `listener` with each event of the organization, from the tab's one stream. It must keep its identity. */
export function useLiveEvents(listener: Listener): void {
  const events = useContext(EventsContext);
  useEffect(() => events?.listen(listener), [events, listener]);
}

/** Follows the organization's events once for the tab, and has read anew what they say has changed. */
export function Live({ children }: { children: ReactNode }) {
  const svc = useService();
  const client = useQueryClient();
  const lacks = useLacks('svc.resource.view');
  const [events] = useState(() => new LiveEvents());
  const [state, setState] = useState<LiveState>('off');

  useEffect(() => {
    if (lacks !== null) return undefined;
    const stopping = new AbortController();
    const gathered = new Gathered((nouns) => {
      void client.invalidateQueries({ predicate: ({ queryKey }) => nouns.has(String(queryKey[0])) });
    });
    setState('opening');
    const follow = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        try {
          let isFirst = true;
          const connection = (is: 'open' | 'lost') => {
            setState(is === 'open' ? 'live' : 'away');
            // the stream begins at the end of the feed: what was read before may lack what happened meanwhile
            if (is === 'open' && isFirst) readAgain(client);
            isFirst &&= is !== 'open';
          };
          for await (const { data } of svc.events.follow({ signal: stopping.signal, connection })) {
            events.publish(data);
            gathered.add(nounsChangedBy(data));
          }
        } catch (error) {
          if (stopping.signal.aborted) return;
          if (!(error instanceof ApiError)) throw error;
          setState('away');
          await pause(retryMs, stopping.signal);
        }
      }
    };
    void follow();
    return () => {
      stopping.abort();
      gathered.stop();
    };
  }, [svc, client, events, lacks]);

  return (
    <EventsContext value={events}>
      <StateContext value={state}>{children}</StateContext>
    </EventsContext>
  );
}

/** Has read anew what events can change, of what is shown. */
function readAgain(client: QueryClient): void {
  void client.invalidateQueries({ predicate: ({ queryKey }) => isChangedByEvents(String(queryKey[0])) });
}

/** Names of what changed, given on a moment after the first of them. */
class Gathered {
  private nouns = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly take: (nouns: ReadonlySet<string>) => void) {}

  add(nouns: readonly string[]): void {
    for (const noun of nouns) this.nouns.add(noun);
    this.timer ??= setTimeout(() => {
      const changed = this.nouns;
      this.nouns = new Set();
      this.timer = null;
      this.take(changed);
    }, gatherMs);
  }

  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
