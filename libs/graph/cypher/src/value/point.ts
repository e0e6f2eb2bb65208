/** A place: Cartesian, or on the Earth (WGS 84), in two dimensions or three. */

export interface CoordinateSystem {
  /** Spatial reference identifier, as Bolt sends it. */
  readonly srid: number;
  readonly name: string;
  readonly dimensions: 2 | 3;
  /** Whether x and y are degrees of longitude and latitude. */
  readonly isGeographic: boolean;
}

export const COORDINATE_SYSTEMS: readonly CoordinateSystem[] = [
  { srid: 4326, name: 'wgs-84', dimensions: 2, isGeographic: true },
  { srid: 4979, name: 'wgs-84-3d', dimensions: 3, isGeographic: true },
  { srid: 7203, name: 'cartesian', dimensions: 2, isGeographic: false },
  { srid: 9157, name: 'cartesian-3d', dimensions: 3, isGeographic: false },
];

export class PointValue {
  readonly system: CoordinateSystem;
  /** As many numbers as the system has dimensions: x or longitude, y or latitude, z or height. */
  readonly coordinates: readonly number[];

  constructor(system: CoordinateSystem, coordinates: readonly number[]) {
    this.system = system;
    this.coordinates = coordinates;
  }

  get srid(): number {
    return this.system.srid;
  }

  /** The point as Cypher writes it: `point({srid:7203, x:1.0, y:2.0})`. */
  toString(): string {
    const [x = 0, y = 0, z] = this.coordinates.map(coordinateText);
    return `point({srid:${this.srid}, x:${x}, y:${y}${z === undefined ? '' : `, z:${z}`}})`;
  }
}

/** From -180 to 180. */
export function boundedLongitude(longitude: number): number {
  if (longitude >= -180 && longitude <= 180) return longitude;
  return ((((longitude + 180) % 360) + 360) % 360) - 180;
}

const AXES: readonly string[] = ['x', 'y', 'z'];
const EARTH_AXES: readonly string[] = ['longitude', 'latitude', 'height'];

/** `p.x`, `p.latitude`, `p.srid`; null for what the point's system lacks, undefined for another name. */
export function pointComponent(
  point: PointValue,
  written: string,
): number | bigint | string | null | undefined {
  const name = written.toLowerCase();
  if (name === 'srid') return BigInt(point.srid);
  if (name === 'crs') return point.system.name;
  const axis = Math.max(AXES.indexOf(name), EARTH_AXES.indexOf(name));
  if (axis < 0) return undefined;
  const isKnown = AXES.includes(name) || point.system.isGeographic;
  return isKnown ? (point.coordinates[axis] ?? null) : null;
}

function coordinateText(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  return Number.isInteger(value) && Math.abs(value) < 1e15 ? value.toFixed(1) : String(value);
}
