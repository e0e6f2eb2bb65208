import type { QueryLanguage } from '../results/query-run.svelte.ts';
import { storedList } from './query-tabs.svelte.ts';

const STORAGE_KEY = 'plexus.history';
const ENTRIES_MAX = 200;

export interface HistoryEntry {
  /** The text, in either language: browsers have stored it under this name. */
  readonly pql: string;
  readonly language?: QueryLanguage;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Undefined when it failed. */
  readonly count?: number;
}

/** Executed queries, the latest first; each text once. */
export class QueryHistory {
  #entries = $state.raw<readonly HistoryEntry[]>(stored());

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  add(entry: HistoryEntry): void {
    // Another window may have added some.
    const others = stored().filter(({ pql }) => pql !== entry.pql);
    this.#entries = [entry, ...others].slice(0, ENTRIES_MAX);
    localStorage.setItem(STORAGE_KEY, JSON.stringify(this.#entries));
  }

  clear(): void {
    this.#entries = [];
    localStorage.removeItem(STORAGE_KEY);
  }
}

function stored(): readonly HistoryEntry[] {
  return storedList(localStorage, STORAGE_KEY).filter(isEntry);
}

function isEntry(entry: unknown): entry is HistoryEntry {
  return typeof entry === 'object' && entry !== null && 'pql' in entry && 'at' in entry;
}
