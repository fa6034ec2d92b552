import { Global, Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Reactors, WriterProjections, commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { FileMedia, SessionsReadingModule } from '@aos/sessions/published';
import { artifactTimersProjection, artifactsProjection } from './artifact/artifact.projection.js';
import * as attachments from './attachments/attachments.handlers.js';
import { AttachmentsController } from './attachments/attachments.controller.js';
import { AgentFiles } from './attachments/agent-files.js';
import { SessionFiles } from './attachments/session-files.js';
import { SessionFilesReactor } from './attachments/session-files.reactor.js';
import { ArtifactMedia } from './media/artifact-media.js';
import { ArtifactUrls } from './media/artifact-urls.js';
import { ArtifactConversion } from './converting/artifact-conversion.js';
import { ArtifactConversions } from './converting/artifact-conversions.js';
import { reservationTimersProjection } from './quota/quota.projection.js';
import * as custody from './custody/custody.handlers.js';
import { AttachableSessions } from './reading/attachable-sessions.js';
import { ArtifactContents } from './reading/artifact-contents.js';
import { ArtifactDirectory } from './reading/artifact-directory.js';
import { ArtifactsController } from './reading/artifacts.controller.js';
import { ArtifactQueries } from './reading/artifacts.queries.js';
import { SigningController } from './signing/signing.controller.js';
import { SignedContentQueries } from './signing/signed-content.queries.js';
import { SignedUrls } from './signing/signed-urls.js';
import { ArtifactBytes } from './storing/artifact-bytes.js';
import { ArtifactCleanup } from './storing/artifact-cleanup.js';
import { ArtifactTimers } from './storing/artifact-timers.js';
import * as artifacts from './uploading/artifacts.handlers.js';
import { UploadingController } from './uploading/uploading.controller.js';
import { UploadingJobs } from './uploading/uploading-jobs.js';
import { UploadSlots } from './uploading/upload-slots.js';
import { Uploads } from './uploading/uploads.js';

/**
 * Files: writes `artifact-` and `artifactquota-`, gives models the files that input refers to, and takes away what
 * uploads that broke off and sessions that ended left. A global module provides `UploadLeases`.
 */
@Global()
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, SessionsReadingModule],
  controllers: [ArtifactsController, AttachmentsController, SigningController, UploadingController],
  providers: [
    ...commandHandlersIn(artifacts),
    ...commandHandlersIn(custody),
    ...commandHandlersIn(attachments),
    ArtifactBytes,
    ArtifactCleanup,
    ArtifactTimers,
    ArtifactConversion,
    ArtifactConversions,
    ArtifactDirectory,
    ArtifactContents,
    ArtifactQueries,
    SignedUrls,
    SignedContentQueries,
    UploadSlots,
    UploadingJobs,
    Uploads,
    AttachableSessions,
    ArtifactUrls,
    SessionFiles,
    AgentFiles,
    Reactors,
    SessionFilesReactor,
    { provide: FileMedia, useClass: ArtifactMedia },
  ],
  exports: [AgentFiles, FileMedia],
})
export class ArtifactsModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(artifactsProjection);
    this.projections.register(artifactTimersProjection);
    this.projections.register(reservationTimersProjection);
  }
}
