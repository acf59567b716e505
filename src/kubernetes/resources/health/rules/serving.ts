import type { HealthRules } from '../health-rule.js';
import { byWord } from './common.js';

/** Functions, models and scaling to zero. */
export const SERVING: HealthRules = {
  'serving.knative.dev/Service': [
    ['Degraded', { '*': 'False' }],
    ['Progressing', { '*': 'Unknown' }],
    ['Healthy', { ConfigurationsReady: 'True', RoutesReady: 'True', Ready: 'True' }],
  ],
  'operator.knative.dev/KnativeEventing': [
    ['Progressing', { Ready: 'False' }],
    ['Progressing', { '*': 'Unknown' }],
    ['Healthy', { Ready: 'True', InstallSucceeded: 'True' }],
    ['Degraded', { '*': { not: ['True', null] } }],
    ['Degraded', { '*': { not: null } }, 'It is not ready'],
  ],
  'operator.knative.dev/KnativeServing': [
    ['Progressing', { Ready: 'False' }],
    ['Progressing', { DeploymentsAvailable: 'False' }],
    ['Progressing', { '*': 'Unknown' }],
    [
      'Healthy',
      { Ready: 'True', InstallSucceeded: 'True', DependenciesInstalled: 'True', DeploymentsAvailable: 'True' },
    ],
    ['Degraded', { '*': { not: ['True', null] } }],
    ['Degraded', { '*': { not: null } }, 'It is not ready'],
  ],
  'serving.kserve.io/InferenceService': [
    ['Suspended', { Stopped: 'True' }],
    [
      'Degraded',
      { '/status/modelStatus/transitionStatus': { not: [null, 'UpToDate', 'InProgress'] } },
      'Its model cannot be served: {/status/modelStatus/transitionStatus}',
    ],
    ['Progressing', { '/status/modelStatus/transitionStatus': 'InProgress' }, 'Its model is being loaded'],
    [
      'Progressing',
      { '/status/conditions': { some: { '/type': { not: 'Stopped' }, '/status': ['False', 'Unknown'] } } },
      'It is not ready',
    ],
    ['Healthy', { '/status/conditions': { not: null } }],
  ],
  'keda.sh/ScaledObject': [
    ['Degraded', { Ready: 'False' }],
    ['Degraded', { Fallback: 'True' }],
    ['Suspended', { Paused: 'True', Ready: 'True' }],
    ['Healthy', { Ready: 'True' }],
  ],
  'keda.sh/ScaledJob': [
    ['Degraded', { Ready: ['False', 'Unknown'] }],
    ['Suspended', { Paused: 'True', Ready: 'True' }],
    ['Healthy', { Ready: 'True' }],
  ],
  'openfaas.com/Function': [
    ['Degraded', { Ready: 'False' }],
    ['Degraded', { Stalled: 'True' }],
    ['Healthy', { Ready: 'True', '/status/replicas': { above: 0 } }],
    ['Suspended', { Ready: 'True' }, 'It is scaled to zero'],
  ],
  'core.spinkube.dev/SpinApp': [
    ['Progressing', { '/status': null }],
    ['Degraded', { Progressing: 'False', 'Progressing.reason': 'ProgressDeadlineExceeded' }],
    ['Degraded', { Available: { not: 'True' } }],
    ['Degraded', { Available: null }, 'It is not available'],
    [
      'Progressing',
      { '/status/readyReplicas': { below: '/spec/replicas' } },
      '{/status/readyReplicas} of {/spec/replicas} replicas are ready',
    ],
    ['Progressing', { Progressing: 'True' }],
    ['Healthy', {}],
  ],
  'flagger.app/Canary': [
    ...byWord('/status/phase', {
      Healthy: ['Succeeded', 'Initialized'],
      Degraded: 'Failed',
      Progressing: ['Progressing', 'Finalising', 'Promoting', 'Waiting', 'WaitingPromotion', 'Initializing'],
    }),
    ['Unknown', {}, 'Its controller has not reported its state yet'],
  ],
  'camel.apache.org/Integration': [
    ['Degraded', { Ready: 'False' }],
    ['Healthy', { Ready: 'True' }],
  ],
  'install.istio.io/IstioOperator': byWord('/status/status', {
    Healthy: ['3', 'HEALTHY'],
    Degraded: ['4', 'ERROR'],
    Unknown: ['0', 'NONE'],
  }),
  'k8s.keycloak.org/Keycloak': [
    ['Degraded', { HasErrors: 'True' }],
    ['Healthy', { Ready: 'True' }],
  ],
  'proclaim.dogmatiq.io/DNSSDServiceInstance': [
    ['Degraded', { Adopted: 'False' }],
    ['Degraded', { 'Advertised.reason': ['AdvertiseError', 'UnadvertiseError'] }],
    ['Unknown', { 'Discoverable.reason': 'DiscoveryError' }],
    ['Healthy', { Discoverable: 'True' }],
  ],
};
