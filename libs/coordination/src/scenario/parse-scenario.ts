import { checkDocument, faultText } from '#config';
import { DomainError } from '#foundation';
import { type Scenario, SCENARIO_SHAPE } from './scenario.ts';
import { scenarioFaults } from './scenario-rules.ts';

/** Reads a parsed document, frozen. Throws SCENARIO_INVALID with all faults, each with its path. */
export function parseScenario(document: unknown): Scenario {
  const { result, faults: shapeFaults } = checkDocument(SCENARIO_SHAPE, document);
  const faults = result === undefined ? shapeFaults : scenarioFaults(result);
  if (result !== undefined && faults.length === 0) return result;
  const lines = faults.map(faultText);
  throw new DomainError('SCENARIO_INVALID', `scenario: ${lines.join('; ')}`, { details: { faults: lines } });
}
