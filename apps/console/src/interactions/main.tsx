import { createRoot } from 'react-dom/client';
import { notifyManager, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { Keyed } from '../session-key/keyed';
import { ToastProvider } from '../ui/toast';
import { TooltipProvider } from '../ui/tooltip';
import { Inbox } from './inbox';
import { Request } from './request';
import { Shell } from './shell';
import '../styles.css';

const client = new QueryClient({ defaultOptions: { queries: { retry: false, staleTime: 30_000 } } });
const [, , encodedId = ''] = location.pathname.split('/');
const id = decodeURIComponent(encodedId);

// A form that is sent is busy before the next key is taken: one that is held down would send it again.
notifyManager.setScheduler(queueMicrotask);

const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root');
createRoot(root).render(
  <QueryClientProvider client={client}>
    <TooltipProvider delayDuration={350}>
      <ToastProvider>
        <Keyed firstCode={null}>
          <Shell>{id === '' ? <Inbox /> : <Request id={id} />}</Shell>
        </Keyed>
      </ToastProvider>
    </TooltipProvider>
  </QueryClientProvider>,
);
