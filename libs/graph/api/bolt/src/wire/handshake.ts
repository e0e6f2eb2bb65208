/** The choice of a version: before any message, in bytes of its own. */

export interface BoltVersion {
  readonly major: number;
  readonly minor: number;
}

/** What a client has sent so far says this; `bytes` are those that it has used. */
export type Handshake =
  | { readonly kind: 'incomplete' }
  /** No Bolt, or no version in common: the connection is closed after the reply, which may be empty. */
  | { readonly kind: 'refused'; readonly reply: Buffer }
  | {
      readonly kind: 'agreed';
      readonly version: BoltVersion;
      readonly bytes: number;
      readonly reply: Buffer;
      readonly isByManifest: boolean;
    }
  /** The client chooses from the manifest: its answer follows. */
  | { readonly kind: 'manifest'; readonly bytes: number; readonly reply: Buffer };

interface VersionRange {
  readonly major: number;
  readonly minorMin: number;
  readonly minorMax: number;
}

/** The versions that this server speaks, in order of preference. */
const SUPPORTED: readonly VersionRange[] = [
  { major: 5, minorMin: 0, minorMax: 8 },
  { major: 4, minorMin: 4, minorMax: 4 },
];

const MAGIC = Buffer.from([0x60, 0x60, 0xb0, 0x17]);
const PROPOSALS = 4;
const PROPOSAL_BYTES = 4;
const HELLO_BYTES = MAGIC.length + PROPOSALS * PROPOSAL_BYTES;
/** In place of a version: the client asks for the list of all versions. */
const MANIFEST = Buffer.from([0, 0, 1, 0xff]);
const NOTHING = Buffer.alloc(0);
const NO_VERSION = Buffer.alloc(PROPOSAL_BYTES);
/** Maximum length of an unsigned number of 64 bits in groups of 7. */
const VARINT_BYTES_MAX = 10;

const MANIFEST_REPLY = Buffer.concat([
  MANIFEST,
  Buffer.from([SUPPORTED.length]),
  ...SUPPORTED.map(({ major, minorMin, minorMax }) => Buffer.from([0, minorMax - minorMin, minorMax, major])),
  // No capabilities.
  Buffer.from([0]),
]);

/** Reads the first bytes of a connection. */
export function readHello(bytes: Buffer): Handshake {
  const magic = bytes.subarray(0, MAGIC.length);
  if (!MAGIC.subarray(0, magic.length).equals(magic)) return { kind: 'refused', reply: NOTHING };
  if (bytes.length < HELLO_BYTES) return { kind: 'incomplete' };
  const proposals = Array.from({ length: PROPOSALS }, (_, index) => {
    const start = MAGIC.length + index * PROPOSAL_BYTES;
    return bytes.subarray(start, start + PROPOSAL_BYTES);
  });
  for (const proposal of proposals) {
    if (proposal.equals(MANIFEST)) return { kind: 'manifest', bytes: HELLO_BYTES, reply: MANIFEST_REPLY };
    const version = bestOf(proposal);
    if (version === undefined) continue;
    const reply = Buffer.from([0, 0, version.minor, version.major]);
    return { kind: 'agreed', version, bytes: HELLO_BYTES, reply, isByManifest: false };
  }
  return { kind: 'refused', reply: NO_VERSION };
}

/** Reads what a client has chosen from the manifest: a version and capabilities, of which there are none. */
export function readChoice(bytes: Buffer): Handshake {
  if (bytes.length < PROPOSAL_BYTES) return { kind: 'incomplete' };
  const version = { major: bytes.readUInt8(3), minor: bytes.readUInt8(2) };
  const isKnown = bytes.readUInt16BE(0) === 0 && SUPPORTED.some((range) => contains(range, version));
  if (!isKnown) return { kind: 'refused', reply: NOTHING };
  const capabilities = bytes.subarray(PROPOSAL_BYTES, PROPOSAL_BYTES + VARINT_BYTES_MAX);
  const end = capabilities.findIndex((byte) => byte < 0x80);
  if (end < 0) {
    const isEndless = capabilities.length === VARINT_BYTES_MAX;
    return isEndless ? { kind: 'refused', reply: NOTHING } : { kind: 'incomplete' };
  }
  // A capability that was not offered cannot be chosen.
  if (capabilities.subarray(0, end + 1).some((byte) => (byte & 0x7f) !== 0))
    return { kind: 'refused', reply: NOTHING };
  const used = PROPOSAL_BYTES + end + 1;
  return { kind: 'agreed', version, bytes: used, reply: NOTHING, isByManifest: true };
}

/** The newest version of a proposal, which names one and how many minor versions below it are good too. */
function bestOf(proposal: Buffer): BoltVersion | undefined {
  const [reserved = 0, below = 0, minor = 0, major = 0] = proposal;
  const range = SUPPORTED.find((each) => each.major === major);
  if (reserved !== 0 || range === undefined) return undefined;
  const best = Math.min(minor, range.minorMax);
  return best >= Math.max(minor - below, range.minorMin) ? { major, minor: best } : undefined;
}

function contains({ major, minorMin, minorMax }: VersionRange, version: BoltVersion): boolean {
  return version.major === major && version.minor >= minorMin && version.minor <= minorMax;
}

/** Whether a version is at least another one. */
export function isAtLeast({ major, minor }: BoltVersion, atLeast: BoltVersion): boolean {
  return major === atLeast.major ? minor >= atLeast.minor : major > atLeast.major;
}
