import { join } from 'node:path';
import type { EdgeCredential, EdgeIdentity, EdgeRegistration } from '#load/protocol';
import type { Disk } from '#platform/disk';
import { type Clock, DomainError } from '#platform/foundation';
import { SnapshotFile } from '../record/snapshot-file.ts';

const US_PER_MS = 1_000;
const EDGES_MAX = 10_000;
const FORMER_INSTANCES_MAX = 16;
const FORMAT = 1;

/** The content of `edges.json`. */
interface RegistryDocument {
  readonly format: number;
  readonly fence: number;
  readonly edges: readonly EdgeRegistration[];
}

export interface EdgeRegistryParts {
  readonly disk: Disk;
  readonly directory: string;
  readonly clock: Clock;
}

/** The registered edges, connected or not; stored in `edges.json`. */
export class EdgeRegistry {
  readonly #file: SnapshotFile;
  readonly #clock: Clock;
  /** Edges in the order of their first registration. */
  readonly #edges: Map<string, EdgeRegistration>;
  #fence: number;

  /** Throws STORE_CORRUPT for an invalid file. */
  static async open({ disk, directory, clock }: EdgeRegistryParts): Promise<EdgeRegistry> {
    const file = new SnapshotFile(disk, join(directory, 'edges.json'));
    const text = await file.read();
    const document = text === undefined ? { format: FORMAT, fence: 0, edges: [] } : parseRegistry(text);
    return new EdgeRegistry(file, clock, document);
  }

  private constructor(file: SnapshotFile, clock: Clock, { fence, edges }: RegistryDocument) {
    this.#file = file;
    this.#clock = clock;
    this.#fence = fence;
    this.#edges = new Map(edges.map((edge) => [edge.edgeId, edge]));
  }

  /**
   * Registers an edge, for the first time or again. Durable when it resolves. Throws EDGE_EVICTED for an
   * instance that was replaced by another, TOO_BUSY, NO_DISK_SPACE.
   */
  async register(identity: EdgeIdentity): Promise<EdgeRegistration> {
    if (!this.#edges.has(identity.edgeId) && this.#edges.size >= EDGES_MAX) {
      throw new DomainError('TOO_BUSY', `${EDGES_MAX} edges are already registered`);
    }
    const before = this.#edges.get(identity.edgeId);
    const formerInstances = formerInstancesOf(identity, before);
    const registeredAtUs = Math.round(this.#clock.nowMs() * US_PER_MS);
    const registration = { ...identity, fence: ++this.#fence, registeredAtUs, formerInstances };
    this.#edges.set(identity.edgeId, registration);
    await this.#save().catch((error: unknown) => {
      this.#putBack(registration, before);
      throw error;
    });
    return registration;
  }

  /** Durable when it resolves; false for an unknown edge. Throws NO_DISK_SPACE, and keeps the edge. */
  async remove(edgeId: string): Promise<boolean> {
    const before = this.#edges.get(edgeId);
    if (before === undefined) return false;
    this.#edges.delete(edgeId);
    await this.#save().catch((error: unknown) => {
      if (!this.#edges.has(edgeId)) this.#edges.set(edgeId, before);
      throw error;
    });
    return true;
  }

  get(edgeId: string): EdgeRegistration | undefined {
    return this.#edges.get(edgeId);
  }

  list(): readonly EdgeRegistration[] {
    return [...this.#edges.values()];
  }

  /** The registration of a credential. Throws EDGE_EVICTED if it is not the current one. */
  admit({ edgeId, instanceId, fence }: EdgeCredential): EdgeRegistration {
    const registration = this.#edges.get(edgeId);
    if (registration?.fence === fence && registration.instanceId === instanceId) return registration;
    const what = registration === undefined ? 'is not registered' : 'was registered again by another';
    throw new DomainError('EDGE_EVICTED', `edge ${edgeId} ${what}`);
  }

  /** Reverts a registration that was not saved. */
  #putBack(registration: EdgeRegistration, before: EdgeRegistration | undefined): void {
    if (this.#edges.get(registration.edgeId) !== registration) return;
    if (before === undefined) this.#edges.delete(registration.edgeId);
    else this.#edges.set(before.edgeId, before);
  }

  #save(): Promise<void> {
    return this.#file.save(() => JSON.stringify({ format: FORMAT, fence: this.#fence, edges: this.list() }));
  }
}

function formerInstancesOf(
  { edgeId, instanceId }: EdgeIdentity,
  before: EdgeRegistration | undefined,
): readonly string[] {
  if (before === undefined) return [];
  if (before.instanceId === instanceId) return before.formerInstances;
  if (before.formerInstances.includes(instanceId)) {
    throw new DomainError('EDGE_EVICTED', `edge ${edgeId} was registered again by another`);
  }
  return [...before.formerInstances, before.instanceId].slice(-FORMER_INSTANCES_MAX);
}

function parseRegistry(text: string): RegistryDocument {
  const document = jsonOf(text);
  if (isRegistry(document)) return document;
  throw new DomainError('STORE_CORRUPT', `edges.json: expected a registry of format ${FORMAT}`);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new DomainError('STORE_CORRUPT', 'edges.json: expected JSON', { cause });
  }
}

function isRegistry(document: unknown): document is RegistryDocument {
  if (typeof document !== 'object' || document === null) return false;
  const { format, fence, edges } = document as Partial<Record<keyof RegistryDocument, unknown>>;
  return (
    format === FORMAT && Number.isSafeInteger(fence) && Array.isArray(edges) && edges.every(isRegistration)
  );
}

function isRegistration(edge: unknown): boolean {
  if (typeof edge !== 'object' || edge === null) return false;
  const { edgeId, instanceId, fence, formerInstances } = edge as Partial<
    Record<keyof EdgeRegistration, unknown>
  >;
  const areTexts = [edgeId, instanceId].every((text) => typeof text === 'string');
  return areTexts && Number.isSafeInteger(fence) && Array.isArray(formerInstances);
}
