export { ArtifactAdministrationModule } from './administration.module.js';
export { ArtifactsModule } from './artifacts.module.js';
export { ChangeArtifactCustody } from './custody/custody.commands.js';
