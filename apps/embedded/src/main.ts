import 'reflect-metadata';
import { serve } from '@aos/platform';
import { SystemClock } from '@aos/adapters/system';
import { embeddedModules } from '@aos/composition';

/** The whole service in one process on SQLite: what `npm start` runs. */
void serve('embedded', embeddedModules, { clock: new SystemClock() });
