import { DomainError } from '#platform/foundation';
import type { EdgeIdentity } from '../edge/edge-registration.ts';
import type { RegisterRequestWire } from '../proto/hive-messages.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const TEXT = /^[^\0-\x1f\x7f]{0,255}$/u;
const LABELS_MAX = 32;
const COUNT_MAX = 65_536;

/** What an edge says of itself, checked. Throws INVALID_REQUEST. */
export function checkIdentity(wire: RegisterRequestWire): EdgeIdentity {
  const { edgeId, instanceId, version, hostname, labels, workers, cores } = wire;
  const rules: readonly (readonly [boolean, string])[] = [
    [NAME.test(edgeId), 'edge_id: expected 1 to 64 letters, digits, dots, dashes or underscores'],
    [NAME.test(instanceId), 'instance_id: expected 1 to 64 letters, digits, dots, dashes or underscores'],
    [[version, hostname].every((text) => TEXT.test(text)), 'version, hostname: expected short texts'],
    [isLabels(labels), `labels: expected ${LABELS_MAX} short texts at most`],
    [[workers, cores].every((count) => count <= COUNT_MAX), 'workers, cores: expected small numbers'],
  ];
  const fault = rules.find(([holds]) => !holds)?.[1];
  if (fault !== undefined) throw new DomainError('INVALID_REQUEST', fault);
  return { edgeId, instanceId, version, hostname, labels, workers, cores };
}

function isLabels(labels: Readonly<Record<string, string>>): boolean {
  const entries = Object.entries(labels);
  return entries.length <= LABELS_MAX && entries.every((entry) => entry.every((text) => TEXT.test(text)));
}
