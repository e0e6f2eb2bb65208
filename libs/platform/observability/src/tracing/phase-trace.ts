import { type Span, type SpanAttributes, startSpan } from './tracing.ts';

/** A long operation with phases: a span of the whole, and one for each phase. */
export class PhaseTrace {
  readonly #whole: Span | undefined;
  readonly #name: string;
  #phase: { readonly name: string; readonly span: Span | undefined } | undefined;

  /** @param parent a `traceparent`; without it a new trace begins. */
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

  /** @param failure an error code; undefined for success. */
  end(attributes: SpanAttributes = {}, failure?: string): void {
    this.#phase?.span?.end();
    this.#whole?.set(attributes);
    if (failure !== undefined) this.#whole?.fail(failure);
    this.#whole?.end();
  }
}
