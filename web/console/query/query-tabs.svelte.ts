import { Comparison } from '../compare/comparison.svelte.ts';
import { type CanvasReader, type CanvasState, canvasText } from '../graph/canvas-state.ts';
import { pqlTokens } from '../pql/scan-pql.ts';
import { cypherParameters } from '../cypher/scan-cypher.ts';
import { type QueryLanguage, type QueryMode, QueryRun } from './query-run.svelte.ts';

const STORAGE_KEY = 'plexus.tabs';
const TABS_MAX = 20;
const TITLE_LENGTH_MAX = 28;

/** How a result is shown. */
export type ResultView = 'table' | 'graph' | 'json' | 'plan';

/** What the details show. */
export interface OpenedRecord {
  readonly kind: 'entity' | 'relationship';
  readonly id: string;
}

/** The canvas that a saved view or an address has brought, and the part of the address that names it. */
export interface RestoredCanvas {
  readonly state: CanvasState | undefined;
  readonly address: Readonly<Record<string, string>>;
}

/** A query in the editor, with its result. */
export class QueryTab {
  readonly id = crypto.randomUUID();
  readonly run = new QueryRun();
  readonly comparison = new Comparison();
  #text = $state('');
  /** The parameters by name, as typed. */
  #parameters = $state<Record<string, string>>({});
  #language = $state<QueryLanguage>('pql');
  #view = $state<ResultView>('table');
  #asOf = $state<string | undefined>();
  #since = $state<string | undefined>();
  #opened = $state.raw<OpenedRecord | undefined>();
  #restored = $state.raw<RestoredCanvas | undefined>();
  #canvas: CanvasReader | undefined;
  readonly #names = $derived(parameterNames(this.#text, this.#language));

  constructor(
    text: string,
    parameters: Readonly<Record<string, string>> = {},
    language: QueryLanguage = 'pql',
  ) {
    this.#text = text;
    this.#language = language;
    this.#parameters = { ...parameters };
  }

  get text(): string {
    return this.#text;
  }

  set text(text: string) {
    this.#text = text;
  }

  get language(): QueryLanguage {
    return this.#language;
  }

  set language(language: QueryLanguage) {
    this.#language = language;
  }

  /** How the result is shown, where it can be. */
  get view(): ResultView {
    return this.#view;
  }

  set view(view: ResultView) {
    this.#view = view;
  }

  /** The moment, in RFC 3339, as of which it is asked; undefined: now. */
  get asOf(): string | undefined {
    return this.#asOf;
  }

  set asOf(moment: string | undefined) {
    this.#asOf = moment;
  }

  /** The earlier moment with which the result is compared; undefined: it is not. */
  get since(): string | undefined {
    return this.#since;
  }

  set since(moment: string | undefined) {
    this.#since = moment;
  }

  /** The record whose details are open. */
  get opened(): OpenedRecord | undefined {
    return this.#opened;
  }

  set opened(record: OpenedRecord | undefined) {
    this.#opened = record;
  }

  /** What the canvas of the next result shows at first, if not the result. */
  get restored(): RestoredCanvas | undefined {
    return this.#restored;
  }

  set restored(restored: RestoredCanvas | undefined) {
    this.#restored = restored;
    this.#canvas = undefined;
  }

  /** The canvas of the current result. */
  set canvas(canvas: CanvasReader | undefined) {
    this.#canvas = canvas;
  }

  /** What the canvas shows, if the view is a graph. */
  get canvasState(): CanvasState | undefined {
    if (this.#view !== 'graph') return undefined;
    return this.#canvas === undefined ? this.#restored?.state : this.#canvas.read();
  }

  /** The canvas for the address of the tab: what the user has changed, as far as it fits. */
  get canvasAddress(): Readonly<Record<string, string>> {
    if (this.#view !== 'graph' || this.#canvas?.isChanged !== true) return this.#restored?.address ?? {};
    const state = this.#canvas.read();
    const text = state === undefined ? undefined : canvasText(state);
    return text === undefined ? {} : { c: text };
  }

  /** The parameters of its address, which can be shared. */
  get address(): Readonly<Record<string, string>> {
    if (this.#text === '') return {};
    const [view, { parameterJson }] = [this.#view, this];
    return {
      q: this.#text,
      ...(parameterJson !== undefined && { p: parameterJson }),
      ...(this.#language === 'cypher' && { l: this.#language }),
      ...(view !== 'table' && view !== 'plan' && { v: view }),
      ...(this.#asOf !== undefined && { t: this.#asOf }),
      ...(this.#since !== undefined && { f: this.#since }),
      ...this.canvasAddress,
    };
  }

  /** Names of the parameters in the text. */
  get parameterNames(): readonly string[] {
    return this.#names;
  }

  get parameters(): Readonly<Record<string, string>> {
    return this.#parameters;
  }

  setParameter(name: string, typed: string): void {
    this.#parameters = { ...this.#parameters, [name]: typed };
  }

  /** Values from an address or a saved query. */
  setParameters(values: Readonly<Record<string, unknown>>): void {
    const typed = Object.entries(values).map(([name, value]) => [name, typedText(value)]);
    this.#parameters = { ...this.#parameters, ...(Object.fromEntries(typed) as Record<string, string>) };
  }

  /** The values of the parameters in the text, as JSON; undefined when none is typed. */
  get parameterJson(): string | undefined {
    const typed = this.#names.filter((name) => (this.#parameters[name] ?? '') !== '');
    if (typed.length === 0) return undefined;
    return JSON.stringify(
      Object.fromEntries(typed.map((name) => [name, valueOf(this.#parameters[name] ?? '')])),
    );
  }

  get title(): string {
    const words = this.#text
      .replaceAll(/\s+/g, ' ')
      .replace(/^\s*(?:FIND|MATCH) /i, '')
      .trim();
    if (words === '') return 'New query';
    return words.length > TITLE_LENGTH_MAX ? `${words.slice(0, TITLE_LENGTH_MAX)}…` : words;
  }

  async start(mode: QueryMode): Promise<void> {
    const params = Object.fromEntries(
      this.#names.map((name) => [name, valueOf(this.#parameters[name] ?? '')]),
    );
    const [text, language, since, asOf] = [this.#text, this.#language, this.#since, this.#asOf];
    this.comparison.clear();
    await this.run.start({ language, text, params, mode, asOf });
    const { asked, state } = this.run;
    if (since === undefined || language !== 'pql' || mode !== 'run') return;
    if (state === 'done' && asked?.text === text && this.#since === since && this.#asOf === asOf)
      await this.comparison.start({ text, params, since, asOf }, this.run);
  }
}

/** The open tabs: at least one. Their texts persist in the browser. */
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

  /** A tab with this text: an existing one with the same text, an empty one, or a new one. */
  open(text: string, language: QueryLanguage = 'pql'): QueryTab {
    const same =
      this.#tabs.find((tab) => tab.text === text && tab.language === language) ??
      this.#tabs.find((tab) => tab.text.trim() === '');
    const tab = same ?? new QueryTab(text);
    tab.text = text;
    tab.language = language;
    if (same === undefined) this.#tabs = [...this.#tabs, tab].slice(-TABS_MAX);
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
    const kept = this.#tabs.map(({ text, parameters, language, asOf, since }) => ({
      text,
      parameters,
      language,
      asOf,
      since,
    }));
    localStorage.setItem(STORAGE_KEY, JSON.stringify(kept));
  }
}

function storedTabs(): readonly QueryTab[] {
  const stored = storedList(STORAGE_KEY);
  return stored.flatMap((entry) => (isTab(entry) ? [restoredTab(entry)] : []));
}

function restoredTab({ text, parameters, language, asOf, since }: StoredTab): QueryTab {
  const tab = new QueryTab(text, parameters, languageOf(language));
  tab.asOf = typeof asOf === 'string' ? asOf : undefined;
  tab.since = typeof since === 'string' ? since : undefined;
  return tab;
}

interface StoredTab {
  readonly text: string;
  readonly parameters: Record<string, string>;
  /** Missing where an earlier version has stored it. */
  readonly language?: unknown;
  readonly asOf?: unknown;
  readonly since?: unknown;
}

/** A table unless the address names another view. */
export function viewOf(word: unknown): Exclude<ResultView, 'plan'> {
  return word === 'graph' || word === 'json' ? word : 'table';
}

/** PQL unless it says otherwise. */
export function languageOf(word: unknown): QueryLanguage {
  return word === 'cypher' ? 'cypher' : 'pql';
}

function isTab(entry: unknown): entry is StoredTab {
  return typeof entry === 'object' && entry !== null && 'text' in entry && typeof entry.text === 'string';
}

/** The stored value of a key, if it is a list. */
export function storedList(key: string): readonly unknown[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? (stored as readonly unknown[]) : [];
  } catch {
    // Stored by another version.
    return [];
  }
}

function parameterNames(text: string, language: QueryLanguage): readonly string[] {
  if (language === 'cypher') return cypherParameters(text);
  const tokens = pqlTokens(text).filter(({ kind }) => kind === 'parameter');
  return [...new Set(tokens.map(({ start, end }) => text.slice(start + 1, end)))];
}

/** The parsed JSON, or the text itself. */
function valueOf(typed: string): unknown {
  try {
    return JSON.parse(typed) as unknown;
  } catch {
    return typed;
  }
}

/** The text from which `valueOf` returns the value. */
function typedText(value: unknown): string {
  return typeof value === 'string' && valueOf(value) === value ? value : JSON.stringify(value);
}

/** The parameter values in an address. */
export function parametersOf(json: string | undefined): Readonly<Record<string, unknown>> {
  const values = json === undefined ? undefined : valueOf(json);
  return typeof values === 'object' && values !== null ? (values as Readonly<Record<string, unknown>>) : {};
}
