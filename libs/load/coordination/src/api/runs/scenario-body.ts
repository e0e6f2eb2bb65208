import { parseScenarioText } from '#load/scenario';
import { DomainError } from '#platform/foundation';
import { TextBody, YAML } from '#platform/http';

/** A scenario as it came: what it says, and its text. */
export interface ScenarioBody {
  readonly document: unknown;
  /** YAML, TOML or JSON: as its author wrote it, where that came here. */
  readonly text: string;
}

/** Throws INVALID_REQUEST, SCENARIO_INVALID. */
export function scenarioBody(body: unknown): ScenarioBody {
  if (body instanceof TextBody) {
    const { type, text } = body;
    return { document: parseScenarioText(text, type === YAML ? 'yaml' : 'toml', 'body'), text };
  }
  if (body === undefined) throw new DomainError('INVALID_REQUEST', 'body: expected a scenario, got nothing');
  return { document: body, text: `${JSON.stringify(body, null, 2)}\n` };
}
