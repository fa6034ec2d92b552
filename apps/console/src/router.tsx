import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { loaded } from './page-loading';
import { Layout } from './shell/layout';
import { NoSuchPage, PageFault } from './shell/faults';
import { Overview } from './pages/overview/overview';
import { Skeleton } from './ui';

const root = createRootRoute({ component: Layout, notFoundComponent: NoSuchPage });

/** A page: its address and its file, which is loaded when it is opened. Its default export is the page. */
const page = (path: string, load: () => Promise<{ default: ComponentType }>) =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(() => loaded(load)) });

const pages = [
  createRoute({ getParentRoute: () => root, path: '/', component: Overview }),

  // sessions, playground

  page('/sessions', () => import('./pages/sessions/sessions-page')),
  page('/sessions/$id', () => import('./pages/sessions/session-page')),
  page('/sessions/$id/turns/$turnId', () => import('./pages/turns/turn-page')),
  page('/playground', () => import('./pages/playground/playground-page')),

  // questions

  page('/questions', () => import('./pages/questions/questions-page')),
  page('/questions/$id', () => import('./pages/questions/question-page')),

  // routines

  page('/routines', () => import('./pages/routines/routines-page')),
  page('/routines/$id', () => import('./pages/routines/routine-page')),

  // files

  page('/files', () => import('./pages/files/files-page')),

  // agents
  page('/agents', () => import('./pages/agents/agents-page')),
  page('/agents/$id', () => import('./pages/agents/agent-page')),
  page('/agents/$id/memory', () => import('./pages/agents/memory/memory-page')),

  page('/skills', () => import('./pages/skills/skills-page')),
  page('/skills/$id', () => import('./pages/skills/skill-page')),

  // actions, tables
  page('/actions', () => import('./pages/actions/actions-page')),
  page('/actions/$id', () => import('./pages/actions/action-page')),
  page('/tables', () => import('./pages/tables/tables-page')),
  page('/tables/$id', () => import('./pages/tables/table-page')),

  // blueprints
  page('/blueprints', () => import('./pages/blueprints/blueprints-page')),
  page('/blueprints/$id', () => import('./pages/blueprints/blueprint-page')),

  // events

  page('/events', () => import('./pages/events/events-page')),
  page('/events/$id', () => import('./pages/events/event-page')),
  page('/events/webhooks/$id', () => import('./pages/events/webhooks/webhook-page')),

  // workers, usage

  page('/workers', () => import('./pages/workers/workers-page')),
  page('/usage', () => import('./pages/usage/usage-page')),

  // access

  page('/access', () => import('./pages/access/access-page')),
  page('/access/principals/$id', () => import('./pages/access/principal-page')),
  page('/access/connections/$id', () => import('./pages/access/connections/connection-page')),
];

/** Filters in addresses are plain text: `?q=order&status=failed`. */
const search = {
  parseSearch: (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (values: Record<string, unknown>): string => {
    const pairs = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== '');
    const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
    return text === '' ? '' : `?${text}`;
  },
};

export const router = createRouter({
  routeTree: root.addChildren(pages),
  basepath: '/console',
  ...search,
  defaultErrorComponent: PageFault,
  defaultPendingComponent: () => (
    <div className="mx-auto max-w-6xl px-8 py-7">
      <Skeleton lines={6} />
    </div>
  ),
  defaultPreload: 'intent',
});
