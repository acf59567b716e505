import type { HealthRules } from '../health-rule.js';
import { byWord } from './common.js';
import { judgeSparkApplication } from './spark.js';

/** What runs once, and pipelines. */
export const JOBS: HealthRules = {
  'sparkoperator.k8s.io/SparkApplication': judgeSparkApplication,
  'flink.apache.org/FlinkDeployment': [
    ['Healthy', { '/status/reconciliationStatus/success': true }],
    ['Healthy', { '/status/reconciliationStatus/state': 'DEPLOYED' }],
    ['Degraded', { '/status/jobManagerDeploymentStatus': 'ERROR' }],
  ],
  'tower.ansible.com/AnsibleJob': byWord('/status/ansibleJobResult/status', {
    Healthy: 'successful',
    Degraded: ['failed', 'error', 'canceled'],
  }),
  'lifecycle.keptn.sh/KeptnAppVersion,KeptnTask,KeptnWorkloadInstance,KeptnWorkloadVersion': byWord('/status/status', {
    Healthy: 'Succeeded',
    Degraded: 'Failed',
  }),
  'lifecycle.keptn.sh/KeptnEvaluation': byWord('/status/overallStatus', { Healthy: 'Succeeded', Degraded: 'Failed' }),
};
