import type { QueryLanguage } from '../results/query-run.svelte.ts';
import { QueryTab, type StoredTab } from './query-tab.svelte.ts';

const STORAGE_KEY = 'plexus.tabs';

/** The open tabs: at least one. Each window stores its own; a new one begins with those stored last. */
export class QueryTabs {
  #tabs = $state.raw<readonly QueryTab[]>([]);
  #active = $state.raw<QueryTab>(new QueryTab(''));

  constructor() {
    const [first, ...others] = storedTabs();
    this.#active = first ?? this.#active;
    this.#tabs = [this.#active, ...others];
  }

  get all(): readonly QueryTab[] {
    return this.#tabs;
  }

  get active(): QueryTab {
    return this.#active;
  }

  show(tab: QueryTab): void {
    this.#active = tab;
  }

  /** The tab that an entry of the browser's history names, if it still has the text. */
  named(id: unknown, text: string): QueryTab | undefined {
    return this.#tabs.find((tab) => tab.id === id && tab.text === text);
  }

  /** A tab with this text: one with the same text but no work on its canvas, an empty one, or a new one. */
  open(text: string, language: QueryLanguage = 'pql'): QueryTab {
    const same =
      this.#tabs.find((tab) => tab.text === text && tab.language === language && !tab.hasChangedCanvas) ??
      this.#tabs.find((tab) => tab.text.trim() === '');
    const tab = same ?? new QueryTab(text);
    tab.text = text;
    tab.language = language;
    if (same === undefined) this.#tabs = [...this.#tabs, tab];
    this.#active = tab;
    this.save();
    return tab;
  }

  close(tab: QueryTab): void {
    tab.run.stop();
    tab.comparison.clear();
    const index = this.#tabs.indexOf(tab);
    const rest = this.#tabs.filter((other) => other !== tab);
    this.#tabs = rest.length === 0 ? [new QueryTab('')] : rest;
    if (this.#active === tab)
      this.#active = this.#tabs[Math.min(index, this.#tabs.length - 1)] ?? this.#active;
    this.save();
  }

  save(): void {
    const kept = this.#tabs.map(({ stored }) => stored);
    const texts = JSON.stringify(kept.map((tab) => ({ ...tab, canvas: undefined })));
    localStorage.setItem(STORAGE_KEY, texts);
    try {
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
    } catch {
      // Large canvases are beyond what a browser stores.
      sessionStorage.setItem(STORAGE_KEY, texts);
    }
  }
}

function storedTabs(): readonly QueryTab[] {
  const own = storedList(sessionStorage, STORAGE_KEY);
  const stored = own.length > 0 ? own : storedList(localStorage, STORAGE_KEY);
  return stored.flatMap((entry) => (isTab(entry) ? [QueryTab.from(entry)] : []));
}

function isTab(entry: unknown): entry is StoredTab {
  return typeof entry === 'object' && entry !== null && 'text' in entry && typeof entry.text === 'string';
}

/** The stored value of a key, if it is a list. */
export function storedList(storage: Storage, key: string): readonly unknown[] {
  try {
    const stored: unknown = JSON.parse(storage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? (stored as readonly unknown[]) : [];
  } catch {
    // Stored by another version.
    return [];
  }
}
