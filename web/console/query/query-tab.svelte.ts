import { Comparison } from '../compare/comparison.svelte.ts';
import { type CanvasReader, type CanvasState, canvasText } from '../graph/canvas-state.ts';
import { pqlTokens } from '../pql/scan-pql.ts';
import type { OpenedRecord } from '../records/read-entity.ts';
import { cypherParameters } from '../cypher/scan-cypher.ts';
import {
  type AskedQuery,
  type QueryLanguage,
  type QueryMode,
  QueryRun,
} from '../results/query-run.svelte.ts';

const TITLE_LENGTH_MAX = 28;

/** How a result is shown. */
export type ResultView = 'table' | 'graph' | 'json' | 'plan';

/** The canvas that a saved view or an address has brought, and the part of the address that names it. */
export interface RestoredCanvas {
  readonly state: CanvasState | undefined;
  readonly address: Readonly<Record<string, string>>;
}

/** A query in the editor, with its result. */
export class QueryTab {
  /** The browser's entries name the tab by it, also after the page has been loaded again. */
  readonly id: string;
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
  /** Whether it had a result when the page was left. */
  #isToResume = false;
  /** The canvas of an answer. */
  #canvas: { readonly reader: CanvasReader; readonly of: AskedQuery | undefined } | undefined;
  readonly #names = $derived(parameterNames(this.#text, this.#language));

  constructor(
    text: string,
    parameters: Readonly<Record<string, string>> = {},
    language: QueryLanguage = 'pql',
    id: string = crypto.randomUUID(),
  ) {
    this.id = id;
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
  }

  /** The canvas of the current result. */
  set canvas(reader: CanvasReader) {
    this.#canvas = { reader, of: this.run.answered };
  }

  /** Whether the result answers what was in the tab before an edit. */
  get isEdited(): boolean {
    return this.run.answered !== undefined && !this.#isSame(this.run.answered);
  }

  /** Whether the user has changed the canvas of the current result. */
  get hasChangedCanvas(): boolean {
    return (
      this.#canvas !== undefined && this.#canvas.of === this.run.answered && this.#canvas.reader.isChanged
    );
  }

  /** What the canvas shows, if the view is a graph, and of what is in the tab. */
  get canvasState(): CanvasState | undefined {
    if (this.#view !== 'graph' || this.#isAskedBefore) return undefined;
    return this.#canvas?.of !== this.run.answered ? this.#restored?.state : this.#canvas?.reader.read();
  }

  /**
   * The canvas for the address of the tab: what the user has changed, as far as it fits. That of another
   * query is left out.
   */
  get canvasAddress(): Readonly<Record<string, string>> {
    if (this.#isAskedBefore) return {};
    if (this.#view !== 'graph' || !this.hasChangedCanvas || this.isEdited)
      return this.#restored?.address ?? {};
    const state = this.#canvas?.reader.read();
    const text = state === undefined ? undefined : canvasText(state);
    return text === undefined ? {} : { c: text };
  }

  /** A canvas that is not just the result: that is what is lost with the page. */
  get keptCanvas(): RestoredCanvas | undefined {
    if (this.#view !== 'graph' || this.#isAskedBefore) return undefined;
    if (!this.hasChangedCanvas) return this.#restored;
    return { state: this.canvasState, address: this.canvasAddress };
  }

  /** What the browser stores of the tab. */
  get stored(): StoredTab {
    const { id, text, parameters, language, asOf, since, view } = this;
    const hasResult = this.#isToResume || (this.run.answered !== undefined && !this.isEdited);
    return { id, text, parameters, language, asOf, since, view, hasResult, canvas: this.keptCanvas };
  }

  /** The tab of an earlier visit. */
  static from(stored: StoredTab): QueryTab {
    const { text, parameters, language, asOf, since, view, hasResult, canvas, id } = stored;
    const tab = new QueryTab(text, parameters, languageOf(language), typeof id === 'string' ? id : undefined);
    tab.asOf = typeof asOf === 'string' ? asOf : undefined;
    tab.since = typeof since === 'string' ? since : undefined;
    tab.view = viewOf(view);
    tab.restored = canvas;
    tab.#isToResume = hasResult === true;
    return tab;
  }

  /** Whether the result of an earlier visit is to be asked for; once. */
  takeUp(): boolean {
    const isToResume = this.#isToResume;
    this.#isToResume = false;
    return isToResume && this.run.state === 'idle';
  }

  /** Whether something else was asked last, to which the canvas belongs. */
  get #isAskedBefore(): boolean {
    return this.run.asked !== undefined && !this.#isSame(this.run.asked);
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

  /** Whether an address has the query, the parameters and the times of the tab. */
  isNamedBy({
    q: text,
    p: parameters,
    t: asOf,
    f: since,
  }: Readonly<Partial<Record<string, string>>>): boolean {
    const isSameTime = asOf === this.#asOf && since === this.#since;
    return text === this.#text && isSameTime && parameters === this.parameterJson;
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

  #isSame({ text, language, asOf, params }: AskedQuery): boolean {
    const isSameText = text === this.#text && language === this.#language && asOf === this.#asOf;
    return isSameText && JSON.stringify(params) === JSON.stringify(this.#values);
  }

  /** All parameters in the text. */
  get #values(): Readonly<Record<string, unknown>> {
    return Object.fromEntries(this.#names.map((name) => [name, valueOf(this.#parameters[name] ?? '')]));
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
    const params = this.#values;
    const [text, language, since, asOf] = [this.#text, this.#language, this.#since, this.#asOf];
    this.comparison.clear();
    await this.run.start({ language, text, params, mode, asOf });
    const { asked, state } = this.run;
    if (since === undefined || language !== 'pql' || mode !== 'run') return;
    if (state === 'done' && asked?.text === text && this.#since === since && this.#asOf === asOf)
      await this.comparison.start({ text, params, since, asOf }, this.run);
  }
}

/** Earlier versions have stored less. */
export interface StoredTab {
  readonly text: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly id?: unknown;
  readonly view?: unknown;
  readonly hasResult?: unknown;
  readonly canvas?: RestoredCanvas | undefined;
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
