/**
 * Names of nodes and verbs of relationships, as far as they have room: none is drawn over another. They are
 * added one by one, and placed when a picture has all of them, the most important first.
 */
import type { Position } from './layered-layout.ts';

export const LABEL_FONT = 'system-ui, sans-serif';
export const NAME_PX = 12;
export const VERB_PX = 10;
/** Characters of a name that are drawn. */
const NAME_MAX = 24;
/** The room of an arrow, and some space. */
const ARROW_PX = 20;
/** Between a node or a relationship and its text. */
const SPACE_PX = 2;
/** The measure in which the room is counted. */
const CELL_PX = 4;
const CELLS_PER_ROW = 65_536;

/** What of a canvas writes the labels. */
export interface Pen {
  font: string;
  fillStyle: unknown;
  textAlign: string;
  textBaseline: string;
  measureText(text: string): { readonly width: number };
  save(): void;
  restore(): void;
  translate(x: number, y: number): void;
  rotate(angle: number): void;
  fillText(text: string, x: number, y: number): void;
}

/** A drawn node. */
interface Disc extends Position {
  readonly size: number;
}

interface NamedDisc extends Disc {
  readonly label?: string | null;
  /** Whether its name goes before others. */
  readonly forceLabel?: boolean;
}

type Kind = 'name' | 'verb';

/** A text that is to be drawn, centred at the first of its places that has room. */
interface Label {
  readonly pen: Pen;
  readonly kind: Kind;
  readonly text: string;
  readonly angle: number;
  readonly places: readonly Position[];
  /** The greater ones are placed first. */
  readonly rank: number;
}

const PX: Readonly<Record<Kind, number>> = { name: NAME_PX, verb: VERB_PX };
const FORCED_RANK = 1_000;
const VERB_RANK = -1;

export class CanvasLabels {
  #waiting: Label[] = [];

  /** Below its node, a name lies on no relationship of a path, and on no verb; above it, if that is taken. */
  addName(pen: Pen, { label, x, y, size, forceLabel = false }: NamedDisc): void {
    if (typeof label !== 'string' || label === '') return;
    const away = size + SPACE_PX + NAME_PX / 2;
    const places = [y + away, y - away].map((at) => ({ x, y: at }));
    const rank = size + (forceLabel ? FORCED_RANK : 0);
    this.#waiting.push({ pen, kind: 'name', text: shortName(label), angle: 0, places, rank });
  }

  /** A verb stands along its relationship, and is left out if that is shorter. */
  addVerb(pen: Pen, verb: unknown, [source, target]: readonly [Disc, Disc]): void {
    if (typeof verb !== 'string') return;
    const [dx, dy] = [target.x - source.x, target.y - source.y];
    const room = Math.hypot(dx, dy) - source.size - target.size - ARROW_PX;
    if (room < widthOf(pen, 'verb', verb)) return;
    const angle = Math.atan2(dy, dx) + (dx < 0 ? Math.PI : 0);
    const away = SPACE_PX + VERB_PX / 2;
    const x = (source.x + target.x) / 2 + away * Math.sin(angle);
    const y = (source.y + target.y) / 2 - away * Math.cos(angle);
    this.#waiting.push({ pen, kind: 'verb', text: verb, angle, places: [{ x, y }], rank: VERB_RANK });
  }

  /** Draws what has been added since the last time. */
  draw(colors: Readonly<Record<Kind, string>>): void {
    const taken = new Set<number>();
    const labels = this.#waiting.sort((a, b) => b.rank - a.rank);
    this.#waiting = [];
    for (const label of labels) {
      const width = widthOf(label.pen, label.kind, label.text);
      for (const place of label.places) {
        const cells = cellsOf(label, place, width);
        if (cells.some((cell) => taken.has(cell))) continue;
        for (const cell of cells) taken.add(cell);
        write(label, place, colors[label.kind]);
        break;
      }
    }
  }
}

function widthOf(pen: Pen, kind: Kind, text: string): number {
  pen.font = `${PX[kind]}px ${LABEL_FONT}`;
  return pen.measureText(text).width;
}

/** In the font in which it was measured last. */
function write({ pen, text, angle }: Label, { x, y }: Position, color: string): void {
  pen.save();
  pen.fillStyle = color;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.translate(x, y);
  pen.rotate(angle);
  pen.fillText(text, 0, 0);
  pen.restore();
}

/** The cells of the picture on which a text lies. */
function cellsOf({ kind, angle }: Label, { x, y }: Position, width: number): readonly number[] {
  const px = PX[kind];
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const [columns, rows] = [Math.ceil(width / CELL_PX), Math.ceil(px / CELL_PX)];
  const cells: number[] = [];
  for (let column = 0; column <= columns; column++) {
    const along = (column / columns - 0.5) * width;
    for (let row = 0; row <= rows; row++) {
      const across = (row / rows - 0.5) * px;
      const cellX = Math.floor((x + along * cos - across * sin) / CELL_PX);
      const cellY = Math.floor((y + along * sin + across * cos) / CELL_PX);
      cells.push(cellY * CELLS_PER_ROW + cellX);
    }
  }
  return cells;
}

/** A long name keeps its ends, which tell names of one scheme apart; in whole it is shown under the mouse. */
function shortName(name: string): string {
  const characters = Array.from(name);
  if (characters.length <= NAME_MAX) return name;
  return `${characters.slice(0, NAME_MAX / 2).join('')}…${characters.slice(1 - NAME_MAX / 2).join('')}`;
}
