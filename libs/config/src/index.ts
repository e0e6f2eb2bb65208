export { readEnvironment } from './environment.ts';
export { nameHint } from './name-hint.ts';
export {
  kebabCase,
  parseSettings,
  type Settings,
  type SettingSources,
  type SettingTable,
} from './parse-settings.ts';
export { secretSetting } from './secret-setting.ts';
export {
  durationSetting,
  integerSetting,
  type Setting,
  SettingFault,
  sizeSetting,
  switchSetting,
  textSetting,
  wordSetting,
} from './setting.ts';
export { YamlDocument, type YamlPath, type YamlPlace } from './yaml/yaml-document.ts';
