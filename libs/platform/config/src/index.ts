export { duration, durationText, nextCronMs } from './document/time-text.ts';
export { type ReferenceRow, referenceRows, referenceTable } from './document/document-reference.ts';
export { checkDocument, faultText, readDocument, readPlaced, readShape } from './document/read-document.ts';
export { number, union, integer, nullable, string, boolean, oneOf, text } from './document/scalar-shape.ts';
export {
  record,
  type DocumentFault,
  type DocumentPath,
  type Field,
  type Fields,
  array,
  checked,
  mapped,
  optional,
  orEmpty,
  type Reading,
  refuse,
  required,
  section,
  type Shape,
  object,
  withDefault,
  withWrittenDefault,
} from './document/shape.ts';
export { readEnvironment } from './parse-settings.ts';
export { auditSettings, logSettings } from './setting.ts';
export { nameHint } from './name-hint.ts';
export { kebabCase, parseSettings, type Settings, type SettingTable } from './parse-settings.ts';
export { type Setting, secretSetting } from './setting.ts';
export {
  durationSetting,
  orOff,
  hostsSetting,
  integerSetting,
  SettingFault,
  sizeSetting,
  booleanSetting,
  stringSetting,
  enumSetting,
  withoutDefault,
} from './setting.ts';
export { parseToml, parseTomlFile } from './toml/parse-toml.ts';
export { YamlDocument, type YamlFault, type YamlPath, type YamlPlace } from './yaml/yaml-document.ts';
export { LARGE_INTEGER } from './yaml/large-integer.ts';
export { yamlText } from './yaml/yaml-document.ts';
