export { BlueprintsModule } from './blueprints.module.js';
