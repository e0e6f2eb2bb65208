import {
  defaultResource,
  detectResources,
  type Resource,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources';
import { randomUUID } from 'node:crypto';
import { VERSION } from '#platform/foundation';

/** Identifies this process in all its telemetry. */
const INSTANCE = randomUUID();

/** `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME` override the program's attributes. */
export function resourceOf(service: string): Resource {
  const own = resourceFromAttributes({
    'service.name': service,
    'service.version': VERSION,
    'service.instance.id': INSTANCE,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }));
}
