import type { HealthRules } from '../health-rule.js';
import { byWord, READY } from './common.js';
import { judgeCollector } from './collector.js';

export const OBSERVABILITY: HealthRules = {
  'monitoring.coreos.com/Prometheus,Alertmanager,ThanosRuler': [
    ['Healthy', { Available: 'True' }],
    ['Progressing', { Available: { not: 'True' }, 'Available.reason': 'SomePodsNotReady' }],
    ['Degraded', { Available: { not: 'True' } }],
  ],
  'grafana.integreatly.org/Grafana': [
    ['Degraded', { '/status/stageStatus': 'failed' }, 'The stage {/status/stage} has failed'],
    ['Healthy', { '/status/stageStatus': 'success', '/status/stage': 'complete' }],
    ['Progressing', { '/status/stage': { not: null } }, 'The stage {/status/stage} is not complete'],
  ],
  'grafana.integreatly.org/GrafanaDashboard,GrafanaFolder': [
    ['Degraded', { '*': 'False' }],
    ['Healthy', { '*': 'True' }],
  ],
  'grafana.integreatly.org/GrafanaDatasource': [
    ['Progressing', { '/status': null }],
    ['Progressing', { '/status/uid': null, '/status/NoMatchingInstances': { not: true } }],
    ['Degraded', { '/status/NoMatchingInstances': true }, 'No Grafana matches it'],
    ['Healthy', {}],
  ],
  'grafana-org-operator.kubitus-project.gitlab.io/*': READY,
  'jaegertracing.io/Jaeger': byWord('/status/phase', { Healthy: 'Running', Degraded: 'Failed' }),
  'opentelemetry.io/OpenTelemetryCollector': judgeCollector,
  'operator.victoriametrics.com/*': [
    ...byWord('/status/updateStatus', { Healthy: 'operational', Degraded: 'failed', Suspended: 'paused' }),
  ],
  'coralogix.com/Alert,RecordingRuleGroupSet': [
    ['Healthy', { RemoteSynced: 'True' }],
    ['Degraded', { RemoteSynced: 'False' }],
  ],
  'datadoghq.com/DatadogMetric': [
    ['Degraded', { Error: 'True' }],
    ['Degraded', { Valid: 'False' }],
    ['Healthy', {}],
  ],
  'kiali.io/Kiali': [
    ['Healthy', { Successful: 'True' }],
    ['Degraded', { Failure: 'True' }],
    ['Progressing', { Running: 'True' }],
  ],
  'core.humio.com/HumioCluster': byWord('/status/state', {
    Healthy: 'Running',
    Degraded: 'ConfigError',
    Unknown: 'Unknown',
  }),
  'core.humio.com/HumioAction,HumioAlert,HumioIngestToken,HumioParser,HumioRepository,HumioView': byWord(
    '/status/state',
    { Healthy: 'Exists', Missing: 'NotFound', Degraded: 'ConfigError', Unknown: 'Unknown' },
  ),
  'metrics.keptn.sh/KeptnMetric': [
    ['Degraded', { '/status/errMsg': { not: null } }, '{/status/errMsg}'],
    ['Healthy', { '/status/value': { not: null } }],
  ],
  'metrics.keptn.sh/Analysis': [
    ['Healthy', { '/status/pass': true }],
    ['Healthy', { '/status/warning': true }],
    ['Degraded', { '/status/pass': false }, 'Its objectives are not met'],
  ],
};
