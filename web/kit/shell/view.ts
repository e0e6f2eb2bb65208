import type { Component } from 'svelte';

/** A view of a page, loaded when it is first opened. */
export interface View {
  /** The path after `#/`. */
  readonly path: string;
  readonly title: string;
  readonly load: () => Promise<{ readonly default: Component }>;
}
