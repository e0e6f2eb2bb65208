/**
 * Names of nodes and verbs of relationships, as far as they have room: none is drawn over another, or over a
 * named node. They are added one by one, and placed when a picture has all of them, the most important first.
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
  readonly width: number;
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
  #discs: Disc[] = [];

  /** Below its node, a name lies on no relationship of a path; if that is taken, beside it. */
  addName(pen: Pen, { label, x, y, size, forceLabel = false }: NamedDisc): void {
    if (typeof label !== 'string' || label === '') return;
    const text = shortName(label);
    const width = widthOf(pen, 'name', text);
    const [across, along] = [size + SPACE_PX + NAME_PX / 2, size + SPACE_PX + width / 2];
    const places = [
      { x, y: y + across },
      { x, y: y - across },
      { x: x + along, y },
      { x: x - along, y },
    ];
    const rank = size + (forceLabel ? FORCED_RANK : 0);
    this.#discs.push({ x, y, size });
    this.#waiting.push({ pen, kind: 'name', text, width, angle: 0, places, rank });
  }

  /** A verb stands along its relationship, and is left out if that is shorter. */
  addVerb(pen: Pen, verb: unknown, [source, target]: readonly [Disc, Disc]): void {
    if (typeof verb !== 'string') return;
    const [dx, dy] = [target.x - source.x, target.y - source.y];
    const room = Math.hypot(dx, dy) - source.size - target.size - ARROW_PX;
    const width = widthOf(pen, 'verb', verb);
    if (room < width) return;
    const angle = Math.atan2(dy, dx) + (dx < 0 ? Math.PI : 0);
    const away = SPACE_PX + VERB_PX / 2;
    const x = (source.x + target.x) / 2 + away * Math.sin(angle);
    const y = (source.y + target.y) / 2 - away * Math.cos(angle);
    this.#waiting.push({ pen, kind: 'verb', text: verb, width, angle, places: [{ x, y }], rank: VERB_RANK });
  }

  /** Draws what has been added since the last time. */
  draw(colors: Readonly<Record<Kind, string>>): void {
    const taken = new Set(this.#discs.flatMap(cellsOfDisc));
    const labels = this.#waiting.sort((a, b) => b.rank - a.rank);
    this.#waiting = [];
    this.#discs = [];
    for (const label of labels) {
      for (const place of label.places) {
        const cells = cellsOf(place, { ...label, height: PX[label.kind] });
        if (cells.some((cell) => taken.has(cell))) continue;
        for (const cell of cells) taken.add(cell);
        write(label, place, colors[label.kind]);
        break;
      }
    }
  }
}

function fontOf(kind: Kind): string {
  return `${PX[kind]}px ${LABEL_FONT}`;
}

function widthOf(pen: Pen, kind: Kind, text: string): number {
  pen.font = fontOf(kind);
  return pen.measureText(text).width;
}

function write({ pen, kind, text, angle }: Label, { x, y }: Position, color: string): void {
  pen.save();
  pen.font = fontOf(kind);
  pen.fillStyle = color;
  pen.textAlign = 'center';
  pen.textBaseline = 'middle';
  pen.translate(x, y);
  pen.rotate(angle);
  pen.fillText(text, 0, 0);
  pen.restore();
}

/** Without its rim, so that its name has room beside it. */
function cellsOfDisc({ size, ...place }: Disc): readonly number[] {
  const side = 2 * Math.max(0, size - SPACE_PX);
  return cellsOf(place, { width: side, height: side, angle: 0 });
}

interface Box {
  readonly width: number;
  readonly height: number;
  readonly angle: number;
}

/** The cells of the picture on which a box lies, by its centre. */
function cellsOf({ x, y }: Position, { width, height, angle }: Box): readonly number[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const columns = Math.max(1, Math.ceil(width / CELL_PX));
  const rows = Math.max(1, Math.ceil(height / CELL_PX));
  const cells: number[] = [];
  for (let column = 0; column <= columns; column++) {
    const along = (column / columns - 0.5) * width;
    for (let row = 0; row <= rows; row++) {
      const across = (row / rows - 0.5) * height;
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
