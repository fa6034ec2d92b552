export { DefinitionsModule } from './definitions.module.js';
export { DefinitionsReadingModule } from './definitions-reading.module.js';
