import { checkDocument, faultText } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { scenarioFaults } from './scenario-rules.ts';
import { type Scenario, SCENARIO_SHAPE } from './scenario.ts';

/** Reads a parsed document, frozen. Throws SCENARIO_INVALID with all faults, each with its path. */
export function parseScenario(document: unknown): Scenario {
  const { result, faults: shapeFaults } = checkDocument(SCENARIO_SHAPE, document);
  const faults = result === undefined ? shapeFaults : scenarioFaults(result);
  if (result !== undefined && faults.length === 0) return result;
  const lines = faults.map(faultText);
  throw new DomainError('SCENARIO_INVALID', `scenario: ${lines.join('; ')}`, { details: { faults: lines } });
}
