/** Which relationship lies under a point of the canvas: straight ones, and the curves of parallel ones. */
import type { Position } from './layered-layout.ts';

/** A quadratic curve; a straight line has its control point in the middle. */
export interface EdgeCurve {
  readonly from: Position;
  readonly control: Position;
  readonly to: Position;
}

const PARTS = 16;

/** As it is drawn: `curvature` is the distance of the control point, as a share of the length. */
export function curveOf(from: Position, to: Position, curvature: number): EdgeCurve {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const control = {
    x: (from.x + to.x) / 2 - dy * curvature,
    y: (from.y + to.y) / 2 + dx * curvature,
  };
  return { from, control, to };
}

export function pointOn({ from, control, to }: EdgeCurve, t: number): Position {
  const [a, b, c] = [(1 - t) ** 2, 2 * (1 - t) * t, t ** 2];
  return { x: a * from.x + b * control.x + c * to.x, y: a * from.y + b * control.y + c * to.y };
}

/** The distance of a point from a curve. */
export function distanceTo(curve: EdgeCurve, point: Position, isStraight: boolean): number {
  if (isStraight) return distanceToLine(curve.from, curve.to, point);
  let least = Infinity;
  let before = curve.from;
  for (let part = 1; part <= PARTS; part++) {
    const next = pointOn(curve, part / PARTS);
    least = Math.min(least, distanceToLine(before, next, point));
    before = next;
  }
  return least;
}

function distanceToLine(a: Position, b: Position, { x, y }: Position): number {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const square = dx * dx + dy * dy;
  const along = square === 0 ? 0 : Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / square));
  return Math.hypot(x - a.x - along * dx, y - a.y - along * dy);
}
