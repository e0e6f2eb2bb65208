import { TomlError } from 'smol-toml';
import { type DocumentPath, YamlDocument } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { readScenario } from './parse-scenario.ts';
import { parseScenarioText, type ScenarioFormat } from './scenario-text.ts';
import type { Scenario } from './scenario.ts';

/** An error in a scenario's text with its position, counted from 1; null if the position is unknown. */
export interface PlacedScenarioFault {
  readonly line: number | null;
  readonly column: number | null;
  /** Keys joined by dots; empty for the whole text. */
  readonly path: string;
  readonly message: string;
}

export interface ScenarioCheck {
  /** Undefined if there are faults. */
  readonly scenario: Scenario | undefined;
  readonly faults: readonly PlacedScenarioFault[];
}

const FILE = 'scenario';

/** All errors of a scenario's text, each with its position. */
export function checkScenarioText(text: string, format: ScenarioFormat): ScenarioCheck {
  try {
    const document = parseScenarioText(text, format, FILE);
    const placeOf = format === 'toml' ? () => NOWHERE : placesIn(text);
    const { scenario, faults } = readScenario(document);
    const placed = faults.map(({ path, message }) => ({ ...placeOf(path), path: path.join('.'), message }));
    return { scenario, faults: placed };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { scenario: undefined, faults: [malformed(error)] };
  }
}

const NOWHERE = { line: null, column: null };

/** JSON is parsed as YAML. */
function placesIn(text: string): (path: DocumentPath) => { readonly line: number; readonly column: number } {
  const document = YamlDocument.parse(text, FILE, 'unfold');
  return (path) => document.placeOf(path);
}

/** A syntax error, with the position from the parser. */
function malformed({ message, cause }: DomainError): PlacedScenarioFault {
  if (cause instanceof TomlError) return { line: cause.line, column: cause.column, path: '', message };
  const { line, column } = cause instanceof DomainError ? (cause.details ?? {}) : {};
  const isPlaced = typeof line === 'number' && typeof column === 'number';
  return { ...(isPlaced ? { line, column } : NOWHERE), path: '', message };
}
