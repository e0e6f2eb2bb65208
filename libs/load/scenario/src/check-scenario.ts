import { type DocumentFault, type DocumentPath, YamlDocument } from '#platform/config';
import { DomainError } from '#platform/foundation';
import { resolveStages } from './load-stage.ts';
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
  /** Probable mistakes in a valid scenario. */
  readonly warnings: readonly PlacedScenarioFault[];
}

const FILE = 'scenario';

/** All errors of a scenario's text, each with its position. */
export function checkScenarioText(text: string, format: ScenarioFormat): ScenarioCheck {
  try {
    const document = parseScenarioText(text, format, FILE);
    const placeOf = format === 'toml' ? () => NOWHERE : placesIn(text);
    const { scenario, faults } = readScenario(document);
    const placed = ({ path, message }: DocumentFault): PlacedScenarioFault => {
      return { ...placeOf(path), path: path.join('.'), message };
    };
    const warnings = scenario === undefined ? [] : undrawnEntries(scenario);
    return { scenario, faults: faults.map(placed), warnings: warnings.map(placed) };
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    return { scenario: undefined, faults: [malformed(error)], warnings: [] };
  }
}

/** Entries of the mix of which no transaction will be drawn, or on average less than one. */
function undrawnEntries({ mix, load }: Scenario): readonly DocumentFault[] {
  const planned = load.model === 'closed' ? Infinity : plannedOf(load);
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  return mix.flatMap(({ kind, weight }, at) => {
    const expected = weight === 0 ? 0 : (planned * weight) / total;
    if (expected >= 1) return [];
    const rest =
      weight === 0 ? 'its weight is 0' : `${Number(expected.toPrecision(2))} of ${Math.round(planned)}`;
    return [{ path: ['mix', at], message: `${kind} may never be drawn: ${rest}` }];
  });
}

/** The number of transactions of the open model's curve. */
function plannedOf(load: Scenario['load']): number {
  return resolveStages(load).reduce((sum, { durationMs, startRate, endRate }) => {
    return sum + ((durationMs / MS_PER_S) * (startRate + endRate)) / 2;
  }, 0);
}

const MS_PER_S = 1_000;

const NOWHERE = { line: null, column: null };

/** JSON is parsed as YAML. */
function placesIn(text: string): (path: DocumentPath) => { readonly line: number; readonly column: number } {
  const document = YamlDocument.parse(text, FILE, 'unfold');
  return (path) => document.placeOf(path);
}

/** A syntax error, with the position from the parser. */
function malformed({ message, cause }: DomainError): PlacedScenarioFault {
  const { line, column } = cause instanceof DomainError ? (cause.details ?? {}) : {};
  const isPlaced = typeof line === 'number' && typeof column === 'number';
  return { ...(isPlaced ? { line, column } : NOWHERE), path: '', message };
}
