/** Moves the view, and keeps some nodes in it while a layout moves them, until the user moves it. */
import type { Attributes } from 'graphology-types';
import type Sigma from 'sigma';
import type { CameraState } from 'sigma/types';

const FOLLOW_MS = 400;
/** A single node is shown with what is around it. */
const RATIO_MIN = 0.15;
/** Panels cover the view above and below. */
const MARGIN = 1.8;

/** The view of a drawing while there is none. */
interface KeptView {
  readonly state: CameraState;
  readonly box: ReturnType<Sigma['getCustomBBox']>;
  readonly scale: number;
}

export class CanvasCamera<Node extends Attributes, Edge extends Attributes> {
  #sigma: Sigma<Node, Edge> | undefined;
  #kept: KeptView | undefined;
  #ids: readonly string[] = [];
  #timer: ReturnType<typeof setInterval> | undefined;

  /** Call it when there is a drawing; the view is the one of the drawing before. */
  attach(sigma: Sigma<Node, Edge>): void {
    this.#sigma = sigma;
    const release = (): void => this.release();
    sigma.getMouseCaptor().on('mousedown', release);
    sigma.getMouseCaptor().on('wheel', release);
    sigma.getTouchCaptor().on('touchdown', release);
    sigma.setCustomBBox(this.#kept?.box ?? null);
    if (this.#kept !== undefined) sigma.getCamera().setState(this.#kept.state);
    this.#look();
  }

  /** Call it before the drawing is removed. */
  detach(): void {
    const sigma = this.#sigma;
    if (sigma === undefined) return;
    this.#kept = {
      state: sigma.getCamera().getState(),
      box: sigma.getCustomBBox(),
      scale: this.scale,
    };
    this.#sigma = undefined;
  }

  /** Moves the view by a key; whether there is such a key. */
  hear(key: string): boolean {
    const moves: Readonly<Partial<Record<string, () => void>>> = {
      ArrowLeft: () => this.pan(-0.1, 0),
      ArrowRight: () => this.pan(0.1, 0),
      ArrowUp: () => this.pan(0, 0.1),
      ArrowDown: () => this.pan(0, -0.1),
      '+': () => this.zoom(1.5),
      '-': () => this.zoom(1 / 1.5),
      '0': () => this.fit(),
    };
    moves[key]?.();
    return moves[key] !== undefined;
  }

  follow(ids: readonly string[]): void {
    this.#ids = ids;
    this.#look();
  }

  release(): void {
    this.#ids = [];
  }

  /** Moves the view to a node. */
  show(id: string): void {
    this.release();
    const { x, y } = this.#sigma?.getNodeDisplayData(id) ?? { x: 0.5, y: 0.5 };
    const camera = this.#sigma?.getCamera();
    void camera?.animate({ x, y, ratio: Math.min(camera.ratio, 0.4) });
  }

  /** Shows all. */
  fit(): void {
    this.release();
    this.#kept = undefined;
    this.free();
    void this.#fitted();
  }

  /** The whole graph determines the scale again, after a drag has held it. */
  free(): void {
    this.#sigma?.setCustomBBox(null);
    if (this.#kept !== undefined) this.#kept = { ...this.#kept, box: null };
  }

  zoom(factor: number): void {
    this.release();
    const camera = this.#sigma?.getCamera();
    void camera?.animate({ ratio: camera.ratio / factor });
  }

  /** Moves the view by fractions of the visible area. */
  pan(right: number, up: number): void {
    this.release();
    const camera = this.#sigma?.getCamera();
    camera?.setState({ x: camera.x + right * camera.ratio, y: camera.y + up * camera.ratio });
  }

  close(): void {
    this.release();
    clearInterval(this.#timer);
  }

  /** Pixels of the screen for a unit of places, when all is shown. */
  get scale(): number {
    if (this.#sigma === undefined) return this.#kept?.scale ?? 1;
    const { x, y } = this.#sigma.getBBox();
    const { width, height } = this.#sigma.getDimensions();
    const room = Math.min(width, height) - 2 * this.#sigma.getSetting('stagePadding');
    return Math.max(1, room) / Math.max(x[1] - x[0], y[1] - y[0], 1e-9);
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

  /** A camera that already shows everything emits no movement, and edges would stay hidden. */
  async #fitted(): Promise<void> {
    const sigma = this.#sigma;
    await sigma?.getCamera().animatedReset();
    if (this.#sigma === sigma) sigma?.refresh({ skipIndexation: true });
  }

  #look(): void {
    const sigma = this.#sigma;
    if (this.#ids.length === 0 || sigma === undefined) return;
    // Places on the screen are those of the last drawing.
    sigma.refresh();
    const places = this.#ids.flatMap((id) => sigma.getNodeDisplayData(id) ?? []);
    if (places.length === 0) return;
    const [left, right] = extent(places.map(({ x }) => x));
    const [low, high] = extent(places.map(({ y }) => y));
    const ratio = Math.max(RATIO_MIN, right - left, high - low) * MARGIN;
    const view = { x: (left + right) / 2, y: (low + high) / 2, ratio };
    void sigma.getCamera().animate(view, { duration: FOLLOW_MS / 2 });
  }
}

/** Does not spread the values over arguments: there may be 50,000. */
function extent(values: readonly number[]): readonly [number, number] {
  return values.reduce<[number, number]>(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Infinity, -Infinity],
  );
}
