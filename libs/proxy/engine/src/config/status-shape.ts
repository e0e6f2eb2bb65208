import type { Shape } from '#platform/config';
import { parsed } from './parsed-shape.ts';
import type { StatusRange } from './proxy-config.ts';

/** `200`, or `200-299`. */
export function statusRange(): Shape<StatusRange> {
  return parsed('a status from 100 to 599, or a range such as 200-299', (value) => {
    const isScalar = typeof value === 'string' || typeof value === 'number';
    const [, from = '', to = from] = /^(\d{3})(?:-(\d{3}))?$/.exec(isScalar ? String(value) : '') ?? [];
    const range = { from: Number(from), to: Number(to) };
    return range.from >= 100 && range.to <= 599 && range.from <= range.to ? Object.freeze(range) : undefined;
  });
}
