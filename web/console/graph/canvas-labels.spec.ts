import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CanvasLabels, NAME_PX, type Pen } from './canvas-labels.ts';

const CHARACTER_PX = 7;
const COLORS = { name: '#000', verb: '#666' };

interface Text {
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

/** What is drawn, in its order. */
class RecordedPen implements Pen {
  font = '';
  fillStyle: unknown;
  textAlign = '';
  textBaseline = '';
  readonly texts: Text[] = [];
  #at = { x: 0, y: 0 };

  save(): void {}
  restore(): void {}
  rotate(): void {}

  measureText(text: string): { readonly width: number } {
    return { width: CHARACTER_PX * text.length };
  }

  translate(x: number, y: number): void {
    this.#at = { x, y };
  }

  fillText(text: string): void {
    this.texts.push({ text, ...this.#at });
  }
}

interface Placed {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly forceLabel?: boolean;
}

function drawn(
  nodes: readonly Placed[],
  edges: readonly (readonly [number, number])[] = [],
): readonly Text[] {
  const pen = new RecordedPen();
  const labels = new CanvasLabels();
  const discs = nodes.map(({ name, ...place }) => ({ label: name, size: 4, ...place }));
  for (const disc of discs) labels.addName(pen, disc);
  for (const [from, to] of edges) {
    const [source, target] = [discs[from], discs[to]];
    if (source !== undefined && target !== undefined) labels.addVerb(pen, 'RUNS', [source, target]);
  }
  labels.draw(COLORS);
  return pen.texts;
}

const overlap = (a: Text, b: Text): boolean =>
  2 * Math.abs(a.x - b.x) < CHARACTER_PX * (a.text.length + b.text.length) && Math.abs(a.y - b.y) < NAME_PX;

const liesOn = ({ text, ...at }: Text, { x, y }: Placed): boolean =>
  2 * Math.abs(at.x - x) < CHARACTER_PX * text.length && 2 * Math.abs(at.y - y) < NAME_PX;

describe('the labels of a canvas', () => {
  it('never lie over another, or over a node', () => {
    const place = fc.record({
      name: fc.string({ minLength: 1, maxLength: 12 }),
      x: fc.integer({ min: 0, max: 300 }),
      y: fc.integer({ min: 0, max: 200 }),
    });

    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 40 }), (nodes) => {
        const texts = drawn(nodes);
        const pairs = texts.flatMap((a, at) => texts.slice(at + 1).map((b) => [a, b] as const));

        expect(pairs.filter(([a, b]) => overlap(a, b))).toEqual([]);
        expect(texts.filter((text) => nodes.some((node) => liesOn(text, node)))).toEqual([]);
      }),
    );
  });

  it('are those of the largest nodes first, and beside a node if the place below is taken', () => {
    const texts = drawn([
      { name: 'left', x: 100, y: 100 },
      { name: 'center', x: 120, y: 100, size: 8 },
      { name: 'right', x: 140, y: 100 },
      { name: 'below', x: 120, y: 116, size: 1 },
    ]);

    expect(texts).toEqual([
      { text: 'center', x: 120, y: 84 },
      { text: 'left', x: 80, y: 100 },
      { text: 'right', x: 163.5, y: 100 },
      { text: 'below', x: 99.5, y: 116 },
    ]);
  });

  it('are those of the chosen nodes before those of larger ones', () => {
    const at = { x: 100, y: 100 };
    const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => ({ name, size: 8, ...at }));
    const texts = drawn([...all, { name: 'chosen', size: 8, forceLabel: true, ...at }]);

    expect(texts.map(({ text }) => text)).toEqual(['chosen', 'a', 'b', 'c']);
  });

  it('are verbs where there is room between the nodes, and no name', () => {
    const ends = [
      { name: 'a', x: 0, y: 0 },
      { name: 'b', x: 200, y: 0 },
      { name: 'c', x: 0, y: 30 },
    ];
    const inTheWay = { name: 'in the way', x: 100, y: -16 };
    const texts = (nodes: readonly Placed[]): readonly string[] =>
      drawn(nodes, [
        [0, 1],
        [0, 2],
      ]).map(({ text }) => text);

    expect(texts(ends)).toEqual(['a', 'b', 'c', 'RUNS']);
    expect(texts([...ends, inTheWay])).toEqual(['a', 'b', 'c', 'in the way']);
  });

  it('are drawn once', () => {
    const pen = new RecordedPen();
    const labels = new CanvasLabels();
    labels.addName(pen, { label: 'a', x: 0, y: 0, size: 4 });
    labels.draw(COLORS);
    labels.draw(COLORS);

    expect(pen.texts).toHaveLength(1);
  });
});
