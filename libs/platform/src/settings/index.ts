export { Settings, SettingsRefused, loadSettings, settingsReference } from './load-settings.js';
export { prepareDataDirectory } from './data-directory.js';
export { publicUrlOf, publicUrlWarning } from './public-url.js';
export { settingsTable } from './settings-table.js';
export type { Composition, Setting } from './setting.js';
export { unknownSettings } from './unknown-settings.js';
export type { HostPort, MasterKey } from './parsers.js';
export { resolvedPrefix } from './parsers.js';
