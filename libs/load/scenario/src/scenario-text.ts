import { parseTomlFile, YamlDocument } from '#platform/config';
import { DomainError } from '#platform/foundation';

/** The text formats of scenarios. */
export const SCENARIO_FORMATS = ['yaml', 'toml', 'json'] as const;
export type ScenarioFormat = (typeof SCENARIO_FORMATS)[number];

const TEXT_BYTES_MAX = 1_048_576;

/** Parses a text. Throws SCENARIO_INVALID with the position of a syntax error. */
export function parseScenarioText(text: string, format: ScenarioFormat, file = 'scenario'): unknown {
  if (Buffer.byteLength(text) > TEXT_BYTES_MAX) {
    throw new DomainError('SCENARIO_INVALID', `${file}: expected at most ${TEXT_BYTES_MAX} bytes`);
  }
  if (format === 'json') requireJson(text, file);
  return parsed(text, format, file);
}

/** The format of a file by its name; undefined for another extension. */
export function formatOfFile(path: string): ScenarioFormat | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return ending === 'yml' ? 'yaml' : SCENARIO_FORMATS.find((format) => format === ending);
}

/** Of a name that occurs twice, JSON.parse would keep the last: YAML, which contains JSON, refuses it. */
function parsed(text: string, format: ScenarioFormat, file: string): unknown {
  try {
    return format === 'toml' ? parseTomlFile(text, file) : YamlDocument.parse(text, file, 'unfold').value;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError('SCENARIO_INVALID', error.message, { cause: error });
  }
}

function requireJson(text: string, file: string): void {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new DomainError('SCENARIO_INVALID', `${file}: expected JSON, got malformed text`, { cause });
  }
}
