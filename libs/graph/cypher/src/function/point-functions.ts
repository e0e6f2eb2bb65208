/** `point()` and what compares points. */
import { boundedLongitude, COORDINATE_SYSTEMS, type CoordinateSystem, PointValue } from '../value/point.ts';
import { Fields } from '../value/temporal/fields.ts';
import { isMap, isNumber, typeName, type Value } from '../value/value.ts';
import { type CypherFunction, type FunctionTable, unary, wrongType, wrongValue } from './function.ts';

const CARTESIAN = ['x', 'y', 'z'] as const;
const GEOGRAPHIC = ['longitude', 'latitude', 'height'] as const;
/** Radius of the earth in metres. */
const EARTH_RADIUS = 6_378_140;

const DISTANCE: CypherFunction = {
  min: 2,
  max: 2,
  apply: ([a, b]) => (a instanceof PointValue && b instanceof PointValue ? distance(a, b) : null),
};

export const POINT_FUNCTIONS: FunctionTable = {
  point: unary((value) => {
    if (value instanceof PointValue) return value;
    if (isMap(value)) return pointOf(new Fields(value, [...CARTESIAN, ...GEOGRAPHIC, 'crs', 'srid']));
    throw wrongType('point', 'a Map', value);
  }),
  'point.distance': DISTANCE,
  distance: DISTANCE,
  'point.withinBBox': {
    min: 3,
    max: 3,
    apply: ([point, low, high]) => {
      const corners = [low, high].filter((corner) => corner instanceof PointValue);
      const [from, to] = corners;
      if (!(point instanceof PointValue) || from === undefined || to === undefined) return null;
      return corners.every(({ system }) => system === point.system) ? isWithin(point, from, to) : null;
    },
  },
};

function pointOf(fields: Fields): Value {
  const isGeographic = fields.hasKey('latitude') || fields.hasKey('longitude');
  const [first, second] = isGeographic ? GEOGRAPHIC : CARTESIAN;
  const third = fields.hasKey('height') ? 'height' : 'z';
  const coordinates: number[] = [];
  for (const name of [first, second, ...(fields.hasKey(third) ? [third] : [])]) {
    const value = coordinateOf(fields, name);
    if (value === null) return null;
    coordinates.push(value);
  }
  const system = systemOf(fields, isGeographic || third === 'height', coordinates.length);
  if (system.dimensions !== coordinates.length) {
    throw wrongValue(
      `point(): ${system.name} has ${system.dimensions} coordinates, got ${coordinates.length}`,
    );
  }
  return new PointValue(system, system.isGeographic ? onEarth(coordinates) : coordinates);
}

function coordinateOf(fields: Fields, name: string): number | null {
  if (!fields.hasKey(name)) throw wrongValue(`point(): expected the coordinate ${name}`);
  const value = fields.get(name) ?? null;
  if (value === null || isNumber(value)) return value === null ? null : Number(value);
  throw wrongValue(`point(): expected a number as ${name}, got ${typeName(value)}`);
}

function systemOf(fields: Fields, isGeographic: boolean, dimensions: number): CoordinateSystem {
  const name = fields.text('crs')?.toLowerCase();
  const srid = fields.integer('srid');
  const found = COORDINATE_SYSTEMS.find((system) => {
    if (name !== undefined) return system.name === name;
    if (srid !== undefined) return system.srid === srid;
    return system.isGeographic === isGeographic && system.dimensions === dimensions;
  });
  if (found !== undefined && (found.isGeographic || !isGeographic)) return found;
  const known = COORDINATE_SYSTEMS.map((system) => `${system.name} (${system.srid})`).join(', ');
  throw wrongValue(`point(): expected one of ${known}, got ${name ?? String(srid)}`);
}

function onEarth([longitude = 0, latitude = 0, ...height]: readonly number[]): readonly number[] {
  if (latitude >= -90 && latitude <= 90) return [boundedLongitude(longitude), latitude, ...height];
  throw wrongValue(`point(): expected a latitude from -90 to 90, got ${latitude}`);
}

/** Metres on the Earth, else the unit of the coordinates; null between two systems. */
function distance(a: PointValue, b: PointValue): Value {
  if (a.system !== b.system) return null;
  if (!a.system.isGeographic) {
    return Math.hypot(...a.coordinates.map((coordinate, index) => coordinate - (b.coordinates[index] ?? 0)));
  }
  const [heightA = 0, heightB = 0] = [a.coordinates[2], b.coordinates[2]];
  const ground = greatCircle(a.coordinates, b.coordinates) * (EARTH_RADIUS + (heightA + heightB) / 2);
  return Math.hypot(ground, heightA - heightB);
}

/** The angle between two places, by the haversine formula. */
function greatCircle(
  [lonA = 0, latA = 0]: readonly number[],
  [lonB = 0, latB = 0]: readonly number[],
): number {
  const [from, to] = [radians(latA), radians(latB)];
  const chord =
    Math.sin((to - from) / 2) ** 2 + Math.cos(from) * Math.cos(to) * Math.sin(radians(lonB - lonA) / 2) ** 2;
  return 2 * Math.asin(Math.min(1, Math.sqrt(chord)));
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/** Borders belong to the box; one on the Earth may cross the 180th meridian. */
function isWithin({ coordinates, system }: PointValue, low: PointValue, high: PointValue): boolean {
  return coordinates.every((coordinate, index) => {
    const [from, to] = [low.coordinates[index] ?? 0, high.coordinates[index] ?? 0];
    const isAcross = system.isGeographic && index === 0 && from > to;
    return isAcross ? coordinate >= from || coordinate <= to : coordinate >= from && coordinate <= to;
  });
}
