export { ArtifactAdministrationModule } from './administration.module.js';
export { ArtifactsModule } from './artifacts.module.js';
