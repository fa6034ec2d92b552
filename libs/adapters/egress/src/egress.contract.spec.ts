import { egressContract } from '@aos/kernel/contracts';
import { SystemClock } from '@aos/adapters/system';
import { GuardedEgress } from './index.js';

egressContract('guarded', (allow) => new GuardedEgress({ clock: new SystemClock(), allow }));
