export { BlueprintsModule } from './blueprints.module.js';
export { BlueprintAdministrationModule } from './blueprint-administration.module.js';
