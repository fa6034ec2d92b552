export { ArtifactAdministrationModule } from './administration.module.js';
export { UploadLeases, type UploadingJob } from './uploading/upload-leases.js';
export { AgentFiles, readBytesMax, savedBytesMax, type AgentSession } from './attachments/agent-files.js';
export { ArtifactsModule } from './artifacts.module.js';
export { ChangeArtifactCustody } from './custody/custody.commands.js';
