/** The first bytes of values in PackStream. A tiny kind has its size in the low half of the byte. */
export const MARKER = {
  tinyString: 0x80,
  tinyList: 0x90,
  tinyMap: 0xa0,
  tinyStruct: 0xb0,
  null: 0xc0,
  float64: 0xc1,
  false: 0xc2,
  true: 0xc3,
  int8: 0xc8,
  int16: 0xc9,
  int32: 0xca,
  int64: 0xcb,
  bytes8: 0xcc,
  bytes16: 0xcd,
  bytes32: 0xce,
  string8: 0xd0,
  string16: 0xd1,
  string32: 0xd2,
  list8: 0xd4,
  list16: 0xd5,
  list32: 0xd6,
  map8: 0xd8,
  map16: 0xd9,
  map32: 0xda,
} as const;

/** Integers from here to 127 are their own byte. */
export const TINY_INT_MIN = -16;
export const TINY_INT_MAX = 127;
/** A size above it does not fit into the marker. */
export const TINY_SIZE_MAX = 15;
