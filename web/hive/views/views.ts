import type { View } from '../../kit/shell/view.ts';

/** The views of the hive's page; the first is the default. */
export const VIEWS: readonly View[] = [
  { path: 'run', title: 'Run', load: () => import('../live/run-view.svelte') },
  { path: 'runs', title: 'Runs', load: () => import('../runs/runs-view.svelte') },
  { path: 'start', title: 'Start', load: () => import('../scenario/start-view.svelte') },
  { path: 'compare', title: 'Compare', load: () => import('../runs/compare-view.svelte') },
  { path: 'edges', title: 'Edges', load: () => import('../edges/edges-view.svelte') },
];
