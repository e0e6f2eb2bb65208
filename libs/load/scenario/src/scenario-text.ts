import { parse as parseTomlText, TomlError } from 'smol-toml';
import { YamlDocument } from '#platform/config';
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
  if (format === 'yaml') return parseYaml(text, file);
  return format === 'toml' ? parseToml(text, file) : parseJson(text, file);
}

/** The format of a file by its name; undefined for another extension. */
export function formatOfFile(path: string): ScenarioFormat | undefined {
  const ending = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  return ending === 'yml' ? 'yaml' : SCENARIO_FORMATS.find((format) => format === ending);
}

function parseYaml(text: string, file: string): unknown {
  try {
    return YamlDocument.parse(text, file, 'unfold').value;
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    throw new DomainError('SCENARIO_INVALID', error.message, { cause: error });
  }
}

function parseToml(text: string, file: string): unknown {
  try {
    return parseTomlText(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [reason = ''] = error.message.replace('Invalid TOML document: ', '').split('\n');
    const where = `${file}:${error.line}:${error.column}`;
    throw new DomainError('SCENARIO_INVALID', `${where}: ${reason}`, { cause: error });
  }
}

function parseJson(text: string, file: string): unknown {
  try {
    JSON.parse(text);
  } catch (cause) {
    throw new DomainError('SCENARIO_INVALID', `${file}: expected JSON, got malformed text`, { cause });
  }
  // Of a name that occurs twice, JSON.parse would keep the last: YAML, which contains JSON, refuses it.
  return parseYaml(text, file);
}
