import type { IconName } from '../ui';

export interface NavLine {
  to: string;
  label: string;
  icon: IconName;
  /** The permission without which the page has nothing to show. */
  needs?: string;
}

/** The links of the side bar, by group. A page adds its line to the group it belongs to. */
export const navigation: readonly { group: string | null; lines: readonly NavLine[] }[] = [
  { group: null, lines: [{ to: '/', label: 'Overview', icon: 'home' }] },
  {
    group: 'Work',
    lines: [
      // sessions, playground

      { to: '/sessions', label: 'Sessions', icon: 'sessions', needs: 'svc.resource.view' },
      { to: '/playground', label: 'Playground', icon: 'play', needs: 'svc.resource.use' },

      // questions

      { to: '/questions', label: 'Questions', icon: 'question', needs: 'svc.resource.view' },

      // routines

      { to: '/routines', label: 'Routines', icon: 'clock', needs: 'svc.resource.view' },

      // files

      { to: '/files', label: 'Files', icon: 'file', needs: 'svc.resource.view' },
    ],
  },
  {
    group: 'Build',
    lines: [
      // agents
      { to: '/agents', label: 'Agents', icon: 'agent', needs: 'svc.resource.view' },

      { to: '/skills', label: 'Skills', icon: 'skill', needs: 'svc.resource.view' },

      // actions, tables
      { to: '/actions', label: 'Actions', icon: 'action', needs: 'svc.resource.view' },
      { to: '/tables', label: 'Tables', icon: 'table', needs: 'svc.resource.view' },

      // blueprints
      { to: '/blueprints', label: 'Blueprints', icon: 'blueprint', needs: 'svc.resource.view' },
    ],
  },
  {
    group: 'Watch',
    lines: [
      // events

      { to: '/events', label: 'Events', icon: 'events', needs: 'svc.resource.view' },

      // workers

      { to: '/workers', label: 'Workers', icon: 'worker', needs: 'svc.resource.view' },

      // usage

      { to: '/usage', label: 'Usage', icon: 'usage', needs: 'svc.billing.view' },
    ],
  },
  {
    group: 'Organization',
    lines: [
      // access

      { to: '/access', label: 'Access', icon: 'access', needs: 'svc.resource.view' },
    ],
  },
];
