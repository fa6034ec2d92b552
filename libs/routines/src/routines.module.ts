import { Module, type OnModuleInit } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Reactors, WriterProjections, commandHandlersIn } from '@aos/platform';
import { AccessReadersModule } from '@aos/access/published';
import { ConnectionsReadingModule } from '@aos/connections/published';
import { DefinitionsReadingModule } from '@aos/definitions/published';
import { PublicEventsModule, Reaches } from '@aos/events/published';
import { SessionsModule, SessionsReadingModule } from '@aos/sessions/published';
import * as custody from './custody/custody.handlers.js';
import { RoutineTimers } from './firing/routine-timers.js';
import { Causes } from './matching/causes.js';
import { EventMatches } from './matching/event-matches.js';
import { ListeningRoutines } from './matching/listening-routines.js';
import { RestingRoutines } from './matching/resting-routines.js';
import { RoutineEventsReactor } from './matching/routine-events.reactor.js';
import { occurrencesProjection, startsProjection } from './occurrence/occurrence.projection.js';
import { OccurrenceIntake } from './occurrences/occurrence-intake.js';
import { OccurrencesController } from './occurrences/occurrences.controller.js';
import * as occurrences from './occurrences/occurrences.handlers.js';
import { OccurrenceQueries } from './occurrences/occurrences.queries.js';
import { OccurrenceStarts } from './occurrences/occurrence-starts.js';
import { OpenRuns } from './occurrences/open-runs.js';
import { Addressees } from './proposals/addressees.js';
import { ProposalsController } from './proposals/proposals.controller.js';
import * as proposals from './proposals/proposals.handlers.js';
import { ProposalQueries } from './proposals/proposals.queries.js';
import { ProposedRoutines } from './proposals/proposed-routines.js';
import { RosterController } from './roster/roster.controller.js';
import * as roster from './roster/roster.handlers.js';
import { RosterQueries } from './roster/roster.queries.js';
import { RoutineDirectory } from './routine/routine-directory.js';
import { firingProjection, routinesProjection } from './routine/routine.projection.js';
import { RoutineSources } from './routine/routine-sources.js';
import { RunAs } from './routine/run-as.js';
import { RoutinesController } from './routines/routines.controller.js';
import { NewRosters } from './routines/new-rosters.js';
import { NewRoutineChecks } from './routines/new-routine-checks.js';
import { NewRoutines } from './routines/new-routines.js';
import * as routines from './routines/routines.handlers.js';
import { RoutineQueries } from './routines/routines.queries.js';

/** Routines by id and in lists, without their routes. */
@Module({
  imports: [AccessReadersModule, ConnectionsReadingModule, DefinitionsReadingModule],
  providers: [RoutineDirectory, RoutineSources, RunAs],
  exports: [RoutineDirectory, RoutineSources, RunAs],
})
export class RoutinesReadingModule implements OnModuleInit {
  constructor(private readonly projections: WriterProjections) {}

  onModuleInit(): void {
    this.projections.register(routinesProjection);
    this.projections.register(firingProjection);
    this.projections.register(occurrencesProjection);
    this.projections.register(startsProjection);
  }
}

/** Routines and proposals: writes `routine-` and `proposal-`, and fires routines at their due times. */
@Module({
  imports: [CqrsModule, AccessReadersModule, DefinitionsReadingModule, SessionsReadingModule, RoutinesReadingModule],
  controllers: [RoutinesController, RosterController, ProposalsController],
  providers: [
    ...commandHandlersIn(routines),
    ...commandHandlersIn(custody),
    RoutineQueries,
    NewRoutineChecks,
    NewRosters,
    NewRoutines,
    ...commandHandlersIn(roster),
    RosterQueries,
    ...commandHandlersIn(proposals),
    Addressees,
    ProposalQueries,
    ProposedRoutines,
    RoutineTimers,
  ],
})
export class RoutinesModule {}

/** Their runs: writes `occurrence-`, listens to events, and starts turns. */
@Module({
  imports: [
    CqrsModule,
    AccessReadersModule,
    DefinitionsReadingModule,
    PublicEventsModule,
    RoutinesReadingModule,
    SessionsModule,
  ],
  controllers: [OccurrencesController],
  providers: [
    OccurrenceIntake,
    OpenRuns,
    OccurrenceStarts,
    ...commandHandlersIn(occurrences),
    OccurrenceQueries,
    Causes,
    EventMatches,
    ListeningRoutines,
    RestingRoutines,
    Reaches,
    Reactors,
    RoutineEventsReactor,
  ],
})
export class RoutineOccurrencesModule {}
