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

describe('the labels of a canvas', () => {
  it('never lie over another, and the first has its place', () => {
    const place = fc.record({
      name: fc.string({ minLength: 1, maxLength: 12 }),
      x: fc.integer({ min: 0, max: 300 }),
      y: fc.integer({ min: 0, max: 200 }),
    });

    fc.assert(
      fc.property(fc.array(place, { minLength: 1, maxLength: 40 }), (nodes) => {
        const texts = drawn(nodes);
        const pairs = texts.flatMap((a, at) => texts.slice(at + 1).map((b) => [a, b] as const));

        expect(texts[0]?.text).toBe(nodes[0]?.name);
        expect(pairs.filter(([a, b]) => overlap(a, b))).toEqual([]);
      }),
    );
  });

  it('are those of the largest nodes, and above a node if the place below is taken', () => {
    const texts = drawn([
      { name: 'leaf', x: 100, y: 100 },
      { name: 'center', x: 102, y: 100, size: 8 },
      { name: 'other', x: 101, y: 100, size: 2 },
    ]);

    expect(texts).toEqual([
      { text: 'center', x: 102, y: 116 },
      { text: 'leaf', x: 100, y: 88 },
    ]);
  });

  it('are those of the chosen nodes before those of larger ones', () => {
    const texts = drawn([
      { name: 'large', x: 100, y: 100, size: 8 },
      { name: 'large too', x: 100, y: 100, size: 7 },
      { name: 'chosen', x: 100, y: 100, forceLabel: true },
    ]);

    expect(texts.map(({ text }) => text)).toEqual(['chosen', 'large']);
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
