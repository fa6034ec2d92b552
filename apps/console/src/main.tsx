import { createRoot } from 'react-dom/client';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { router } from './router';
import { takeFirstCode } from './session-key/first-code';
import { Keyed } from './session-key/keyed';
import { cspNonce } from './nonce';
import { ToastProvider } from './ui/toast';
import { TooltipProvider } from './ui/tooltip';
import './styles.css';

const firstCode = takeFirstCode(location, history);
setNonce(cspNonce()); // Radix adds style elements
const client = new QueryClient({
  // The client repeats what may be repeated; the event stream says what changes.
  defaultOptions: { queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: true } },
});

// A form that is sent is busy before the next key is taken: one that is held down would send it again.
notifyManager.setScheduler(queueMicrotask);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <QueryClientProvider client={client}>
    <TooltipProvider delayDuration={350}>
      <ToastProvider>
        <Keyed firstCode={firstCode}>
          <RouterProvider router={router} />
        </Keyed>
      </ToastProvider>
    </TooltipProvider>
  </QueryClientProvider>,
);
