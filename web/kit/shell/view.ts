import type { Component } from 'svelte';

/** One of the views of a page, loaded when it is first opened. */
export interface View {
  /** After `#/`. */
  readonly path: string;
  readonly title: string;
  readonly load: () => Promise<{ readonly default: Component }>;
}
