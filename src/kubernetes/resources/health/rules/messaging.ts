import type { HealthRules, RuleLines } from '../health-rule.js';
import { byWord } from './common.js';

/** Strimzi says `NotReady` beside `Ready`. */
const STRIMZI: RuleLines = [
  ['Degraded', { NotReady: 'True' }],
  ['Healthy', { Ready: 'True' }],
];

const RABBIT: RuleLines = [
  ['Healthy', { Ready: 'True', 'Ready.reason': 'SuccessfulCreateOrUpdate' }],
  ['Degraded', { Ready: 'False', 'Ready.reason': 'FailedCreateOrUpdate' }],
  ['Unknown', {}, 'Its controller has not reported its state yet'],
];

const CONFLUENT = byWord('/status/phase', { Healthy: 'RUNNING' });

export const MESSAGING: HealthRules = {
  'kafka.strimzi.io/Kafka': [['Progressing', { NotReady: 'True', 'NotReady.reason': 'Creating' }], ...STRIMZI],
  'kafka.strimzi.io/KafkaBridge,KafkaConnect,KafkaConnector,KafkaTopic,KafkaUser,KafkaNodePool,KafkaRebalance': STRIMZI,
  'kafka.banzaicloud.io/KafkaCluster': [
    ['Progressing', { '/status/state': 'ClusterRollingUpgrading' }],
    [
      'Degraded',
      { '/status/brokersState': { some: { '/configurationState': { not: 'ConfigInSync' } } } },
      'The configuration of a broker is out of sync',
    ],
    [
      'Degraded',
      {
        '/status/brokersState': {
          some: {
            '/gracefulActionState/cruiseControlState': {
              not: ['GracefulUpscaleSucceeded', 'GracefulDownscaleSucceeded'],
            },
          },
        },
      },
      'A broker is not part of the cluster yet',
    ],
    ['Healthy', { '/status/cruiseControlTopicStatus': 'CruiseControlTopicReady', '/status/state': 'ClusterRunning' }],
  ],
  'platform.confluent.io/Connect,ControlCenter,Kafka,KsqlDB,SchemaRegistry,Zookeeper': CONFLUENT,
  'platform.confluent.io/Connector': [
    ['Degraded', { '/status/state': 'ERROR', '*': { not: null } }],
    ['Degraded', { '/status/state': 'ERROR' }],
    ['Degraded', { '/status/failedTasksCount': { above: 0 } }, '{/status/failedTasksCount} of its tasks have failed'],
    ['Healthy', { '/status/state': 'CREATED', '/status/connectorState': 'RUNNING' }],
  ],
  'rabbitmq.com/Binding,Exchange,Permission,Policy,Queue,Shovel,User,Vhost': RABBIT,
  'rabbitmq.com/RabbitmqCluster': [
    ['Degraded', { ReconcileSuccess: 'False' }],
    ['Progressing', { ClusterAvailable: ['False', 'Unknown'] }],
    ['Progressing', { AllReplicasReady: ['False', 'Unknown'] }],
    ['Healthy', { ClusterAvailable: 'True', AllReplicasReady: 'True' }],
  ],
};
