export { ArtifactAdministrationModule } from './administration.module.js';
export { UploadLeases, type UploadingJob } from './uploading/upload-leases.js';
export { ArtifactsModule } from './artifacts.module.js';
