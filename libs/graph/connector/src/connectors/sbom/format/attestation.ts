/**
 * In-toto statements, and the envelopes in which they are signed (DSSE, also in a bundle of Sigstore), as the
 * bill or advisory that they wrap. Signatures are not verified: that is for the tool that fetches them.
 */
import { isJsonObject, type JsonObject, kindOf } from '#graph/model';
import { DomainError, utf8Text } from '#platform/foundation';
import { DocumentValue } from '../../document/document-value.ts';
import { parseJsonObject, scalarText } from '../../document/json-text.ts';

/** An envelope in a bundle, its statement, cosign's frame, and the bill. */
const WRAPPERS_MAX = 8;
const BASE64 = /^[A-Za-z0-9+/_-]*={0,2}$/;

/** An attestation of something else than a bill, advisory or scan, such as of how an image was built. */
export class OtherAttestation extends DomainError {
  readonly predicateType: string;

  constructor(predicateType: string) {
    super('INVALID_REQUEST', `expected an attestation of a bill, got an attestation of ${predicateType}`);
    this.predicateType = predicateType;
  }
}

/** What a statement is about, such as an image. */
export interface AttestedSubject {
  readonly name: string | undefined;
  /** `sha256:…` */
  readonly digests: readonly string[];
}

export interface Attested {
  readonly document: JsonObject;
  readonly subjects: readonly AttestedSubject[];
}

/**
 * The wrapped document, with the subjects of its statement; a document without a wrapper is itself. Throws
 * INVALID_REQUEST for other content.
 */
export function unwrapped(document: JsonObject): Attested {
  let found = document;
  let subjects: readonly AttestedSubject[] = [];
  for (let layers = 0; layers <= WRAPPERS_MAX; layers++) {
    const inner = contentOf(found);
    if (inner === undefined) return { document: found, subjects };
    if (isStatement(found)) subjects = subjectsOf(found);
    found = inner;
  }
  throw new DomainError(
    'INVALID_REQUEST',
    `expected a bill, got envelopes nested deeper than ${WRAPPERS_MAX}`,
  );
}

function contentOf(document: JsonObject): JsonObject | undefined {
  const { dsseEnvelope, payload, payloadType } = document;
  if (isJsonObject(dsseEnvelope)) return dsseEnvelope;
  if (payloadType !== undefined) return parseJsonObject(decoded(payload), 'a statement in the payload');
  return isStatement(document) ? predicateOf(document) : undefined;
}

function isStatement({ _type: type }: JsonObject): boolean {
  return typeof type === 'string' && /in-toto/i.test(type);
}

function subjectsOf(statement: JsonObject): readonly AttestedSubject[] {
  return DocumentValue.of(statement, 'statement')
    .objects('subject')
    .map((subject) => ({
      name: subject.text('name') ?? subject.text('uri'),
      digests: Array.from(
        subject.object('digest').textFields(),
        ([algorithm, content]) => `${algorithm.toLowerCase()}:${content.toLowerCase()}`,
      ),
    }));
}

/** Of scans, which have a frame of their own: `cosign.sigstore.dev/attestation/vuln/v1`, `…/vulns/v0.2`. */
const SCAN = /\/attestation\/vulns?(?:\/|$)/i;

/** cosign puts the bill into a frame, as JSON or as its text. */
function predicateOf({ predicate, predicateType }: JsonObject): JsonObject {
  const type = scalarText(predicateType).slice(0, 200) || kindOf(predicateType);
  if (!/cyclonedx|spdx|vex/i.test(type) && !SCAN.test(type)) throw new OtherAttestation(type);
  const what = `an attestation of ${type}`;
  const data = isJsonObject(predicate) ? (predicate['Data'] ?? predicate) : predicate;
  if (typeof data === 'string') return parseJsonObject(data, `a bill in ${what}`);
  if (isJsonObject(data)) return data;
  throw new DomainError('INVALID_REQUEST', `expected a bill in ${what}, got ${kindOf(data)}`);
}

function decoded(payload: unknown): string {
  const isBase64 = typeof payload === 'string' && BASE64.test(payload);
  const text = isBase64 ? utf8Text(Buffer.from(payload, 'base64')) : undefined;
  if (text !== undefined) return text;
  throw new DomainError('INVALID_REQUEST', 'payload: expected UTF-8 in base64');
}
