/** Messages by their tags. */
export const REQUEST = {
  hello: 0x01,
  goodbye: 0x02,
  reset: 0x0f,
  run: 0x10,
  begin: 0x11,
  commit: 0x12,
  rollback: 0x13,
  discard: 0x2f,
  pull: 0x3f,
  telemetry: 0x54,
  route: 0x66,
  logon: 0x6a,
  logoff: 0x6b,
} as const;

export const REPLY = { success: 0x70, record: 0x71, ignored: 0x7e, failure: 0x7f } as const;
