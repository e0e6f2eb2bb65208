import { type Span, type SpanAttributes, startSpan } from './tracing.ts';

/** Something long that goes through phases: a span of the whole, and one of each phase. */
export class PhaseTrace {
  readonly #whole: Span | undefined;
  readonly #name: string;
  #phase: { readonly name: string; readonly span: Span | undefined } | undefined;

  /** @param parent A `traceparent`; without one it is a trace of its own. */
  constructor(name: string, attributes: SpanAttributes, parent?: string) {
    this.#name = name;
    this.#whole = startSpan(name, { attributes, isRoot: true, parent });
  }

  /** Undefined without tracing. */
  get traceparent(): string | undefined {
    return this.#whole?.traceparent;
  }

  enter(phase: string): void {
    if (this.#whole === undefined || this.#phase?.name === phase) return;
    this.#phase?.span?.end();
    this.#phase = { name: phase, span: startSpan(`${this.#name} ${phase}`, { parent: this.#whole }) };
  }

  /** @param failure A code; undefined: it came to its end. */
  end(attributes: SpanAttributes = {}, failure?: string): void {
    this.#phase?.span?.end();
    this.#whole?.set(attributes);
    if (failure !== undefined) this.#whole?.fail(failure);
    this.#whole?.end();
  }
}
