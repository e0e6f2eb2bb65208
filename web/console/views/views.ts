import type { View } from '../../kit/shell/view.ts';

/** The views of the console, in the order of its navigation; the first is the default. */
export const VIEWS: readonly View[] = [
  { path: 'query', title: 'Query', isKept: true, load: () => import('../query/query-view.svelte') },
  { path: 'path', title: 'Path', load: () => import('../paths/path-view.svelte') },
  { path: 'saved', title: 'Saved', load: () => import('../saved/saved-view.svelte') },
  { path: 'posture', title: 'Posture', load: () => import('../posture/posture-view.svelte') },
  { path: 'findings', title: 'Findings', load: () => import('../findings/findings-view.svelte') },
  { path: 'sources', title: 'Sources', load: () => import('../sources/sources-view.svelte') },
  {
    path: 'notifications',
    title: 'Notifications',
    load: () => import('../notifications/notifications-view.svelte'),
  },
  { path: 'overview', title: 'Overview', load: () => import('../overview/overview-view.svelte') },
  { path: 'audit', title: 'Audit', load: () => import('../audit/audit-view.svelte') },
  {
    path: 'entity',
    title: 'Entity',
    isUnlisted: true,
    load: () => import('../records/entity-view.svelte'),
  },
];
