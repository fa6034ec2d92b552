export { Settings, SettingsRefused, loadSettings, settingsReference } from './load-settings.js';
export { settingsTable } from './settings-table.js';
export type { Composition, Setting } from './setting.js';
export type { HostPort, MasterKey } from './parsers.js';
