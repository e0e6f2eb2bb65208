/** What the structures of Bolt stand for. */
export const TAG = {
  node: 0x4e,
  relationship: 0x52,
  unboundRelationship: 0x72,
  path: 0x50,
  date: 0x44,
  time: 0x54,
  localTime: 0x74,
  dateTime: 0x49,
  zonedDateTime: 0x69,
  localDateTime: 0x64,
  duration: 0x45,
  point2d: 0x58,
  point3d: 0x59,
  /** Of 4.4, unless the client asked for the patch `utc`: seconds in the zone's own time. */
  legacyDateTime: 0x46,
  legacyZonedDateTime: 0x66,
} as const;

export const NANOS_PER_SECOND = 1_000_000_000;
export const SECONDS_PER_DAY = 86_400;
