import type { Component } from 'svelte';

/** A view of a page, loaded when it is first opened. */
export interface View {
  /** The path after `#/`. */
  readonly path: string;
  readonly title: string;
  /** Whether it is opened by links alone, and not in the navigation. */
  readonly isUnlisted?: boolean;
  /** Whether it stays as it is while another view is shown. */
  readonly isKept?: boolean;
  readonly load: () => Promise<{ readonly default: Component }>;
}
