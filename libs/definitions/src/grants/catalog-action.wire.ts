import type { Schema } from '@aos/contract';
import type { Owner } from '@aos/kernel';

/** An action as the catalog lists it, before it is shown to a caller. `id` and `owner`: custom actions only. */
export type CatalogAction = Omit<Schema<'ActionCatalogEntry'>, 'owner' | 'container' | 'posture'> & { owner?: Owner };
