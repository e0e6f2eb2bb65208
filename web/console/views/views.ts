import type { View } from '../../kit/shell/view.ts';

/** The views of the console, in the order of its navigation; the first is where it opens. */
export const VIEWS: readonly View[] = [
  { path: 'query', title: 'Query', load: () => import('../query/query-view.svelte') },
];
