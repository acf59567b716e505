import type { HealthRules } from '../health-rule.js';
import { ARGO } from './argo.js';
import { CLOUDS } from './clouds.js';
import { CLUSTER } from './cluster.js';
import { CLUSTER_API } from './cluster-api.js';
import { CROSSPLANE } from './crossplane.js';
import { DATABASES } from './databases.js';
import { FLUX } from './flux.js';
import { GATEWAYS } from './gateways.js';
import { JOBS } from './jobs.js';
import { KRUISE } from './kruise.js';
import { MESSAGING } from './messaging.js';
import { NUMAPROJ } from './numaproj.js';
import { OBSERVABILITY } from './observability.js';
import { OPENSHIFT } from './openshift.js';
import { POLICIES } from './policies.js';
import { SECRETS } from './secrets.js';
import { SERVING } from './serving.js';
import { STORAGE } from './storage.js';
import { THREESCALE } from './threescale.js';
import { WORKLOADS } from './workloads.js';

/** All rules of health, by the kinds that they are of. */
export const HEALTH_RULES: readonly HealthRules[] = [
  ...[WORKLOADS, CLUSTER],
  ...[ARGO, CLOUDS, CLUSTER_API, CROSSPLANE, DATABASES, FLUX, GATEWAYS, JOBS, KRUISE, MESSAGING, NUMAPROJ],
  ...[OBSERVABILITY, OPENSHIFT, POLICIES, SECRETS, SERVING, STORAGE, THREESCALE],
];
