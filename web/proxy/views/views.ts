import type { View } from '../../kit/shell/view.ts';

/** The views of the proxy's page; the first is the default. */
export const VIEWS: readonly View[] = [
  { path: 'now', title: 'Now', load: () => import('../now/now-view.svelte') },
  { path: 'explain', title: 'Explain', load: () => import('../explain/explain-view.svelte') },
];
