/** Keeps some nodes in view while a layout moves them, until the user moves the view. */
import type { Attributes } from 'graphology-types';
import type Sigma from 'sigma';

const FOLLOW_MS = 400;
/** A single node is shown with what is around it. */
const RATIO_MIN = 0.15;
/** Panels cover the view above and below. */
const MARGIN = 1.8;

export class CameraFollower<Node extends Attributes, Edge extends Attributes> {
  readonly #sigma: Sigma<Node, Edge>;
  #ids: readonly string[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(sigma: Sigma<Node, Edge>) {
    this.#sigma = sigma;
    const release = (): void => this.release();
    sigma.getMouseCaptor().on('mousedown', release);
    sigma.getMouseCaptor().on('wheel', release);
    sigma.getTouchCaptor().on('touchdown', release);
  }

  follow(ids: readonly string[]): void {
    this.#ids = ids;
    this.#look();
  }

  release(): void {
    this.#ids = [];
  }

  /** Call it when a layout starts. */
  start(): void {
    clearInterval(this.#timer);
    this.#timer = setInterval(() => this.#look(), FOLLOW_MS);
  }

  /** Call it when the layout has ended: the nodes stay where they are. */
  stop(): void {
    clearInterval(this.#timer);
    this.#look();
  }

  #look(): void {
    if (this.#ids.length === 0) return;
    // Places on the screen are those of the last drawing.
    this.#sigma.refresh();
    const places = this.#ids.flatMap((id) => this.#sigma.getNodeDisplayData(id) ?? []);
    if (places.length === 0) return;
    const [left, right] = extent(places.map(({ x }) => x));
    const [low, high] = extent(places.map(({ y }) => y));
    const ratio = Math.max(RATIO_MIN, right - left, high - low) * MARGIN;
    const view = { x: (left + right) / 2, y: (low + high) / 2, ratio };
    void this.#sigma.getCamera().animate(view, { duration: FOLLOW_MS / 2 });
  }
}

/** Does not spread the values over arguments: there may be 50,000. */
function extent(values: readonly number[]): readonly [number, number] {
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
}
