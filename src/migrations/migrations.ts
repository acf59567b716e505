import type { Migration } from '../core/database/data-source.js';
import { Baseline1764000000137 } from './1764000000137-baseline.js';
import { WorkspaceOfRenderings1764000000143 } from './1764000000143-workspace-of-renderings.js';
import { NamesOfFunctions1764000000148 } from './1764000000148-names-of-functions.js';
import { ReadersOfLogs1764000000149 } from './1764000000149-readers-of-logs.js';
import { RequestOfControllers1764000000150 } from './1764000000150-request-of-controllers.js';
import { FavouritesAndPlans1764000000151 } from './1764000000151-favourites-and-plans.js';
import { NamesAndStates1764000000152 } from './1764000000152-names-and-states.js';
import { SealedValuesOfDesigns1764000000153 } from './1764000000153-sealed-values-of-designs.js';
import { DigestsOfResources1764000000154 } from './1764000000154-digests-of-resources.js';
import { ResourcesOfDesigns1764000000155 } from './1764000000155-resources-of-designs.js';
import { TurnsOfJobs1764000000156 } from './1764000000156-turns-of-jobs.js';

/** All migrations, oldest first. */
export const migrations: Migration[] = [
  Baseline1764000000137,
  WorkspaceOfRenderings1764000000143,
  NamesOfFunctions1764000000148,
  ReadersOfLogs1764000000149,
  RequestOfControllers1764000000150,
  FavouritesAndPlans1764000000151,
  NamesAndStates1764000000152,
  SealedValuesOfDesigns1764000000153,
  DigestsOfResources1764000000154,
  ResourcesOfDesigns1764000000155,
  TurnsOfJobs1764000000156,
];
