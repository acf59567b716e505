import { compileRule, type HealthRule, type HealthRules, type RuleLines } from '../health-rule.js';
import { byWord, READY } from './common.js';

const MARIADB: RuleLines = [
  ['Degraded', { '*': 'False', '*.reason': 'Failed' }],
  ['Progressing', { '*': 'False' }],
  ['Healthy', { '*': { not: null } }],
];

const COLOUR = { Healthy: 'green', Progressing: 'yellow', Degraded: 'red' };

const judgeByPhase = compileRule([
  ['Degraded', { '/status/phase': 'Invalid' }],
  ['Progressing', { '/status/phase': ['ApplyingChanges', 'MigratingData'] }],
  ...byWord('/status/health', COLOUR),
  ['Unknown', {}, 'Its controller has not reported its state yet'],
]);

/** Green alone does not tell that all nodes are there. */
const judgeElasticsearch: HealthRule = (object) => {
  const { nodeSets } = object['spec'] as { nodeSets: { count: number }[] };
  const { availableNodes } = (object['status'] ?? {}) as { availableNodes?: number };
  const wanted = nodeSets.reduce((sum, { count }) => sum + count, 0);
  if (availableNodes === undefined || availableNodes >= wanted) return judgeByPhase(object);
  return { status: 'Progressing', message: `${availableNodes} of ${wanted} nodes are available` };
};

export const DATABASES: HealthRules = {
  'acid.zalan.do/postgresql': [
    ...byWord('/status/PostgresClusterStatus', { Healthy: 'Running', Progressing: ['', 'Creating', 'Updating'] }),
    ['Degraded', { '/status/PostgresClusterStatus': { not: null } }],
  ],
  'postgresql.cnpg.io/Cluster': [
    [
      'Suspended',
      { '/metadata/annotations/cnpg.io~1reconciliationLoop': 'disabled' },
      'Its reconciliation is switched off',
    ],
    ['Progressing', { '/status/conditions': null }],
    ['Suspended', { 'cnpg.io/hibernation': 'True' }],
    ['Degraded', { 'cnpg.io/hibernation': { not: null } }],
    ...byWord('/status/phase', {
      Healthy: 'Cluster in healthy state',
      Progressing: [
        'Setting up primary',
        'Creating a new replica',
        'Upgrading cluster',
        'Waiting for the instances to become active',
        'Promoting to primary cluster',
      ],
      // The primary is replaced or restarted, so that writes fail meanwhile.
      Degraded: [
        'Switchover in progress',
        'Failing over',
        'Upgrading Postgres major version',
        'Cluster upgrade delayed',
        'Waiting for user action',
        'Primary instance is being restarted in-place',
        'Primary instance is being restarted without a switchover',
        'Cluster cannot execute instance online upgrade due to missing architecture binary',
        'Online upgrade in progress',
        'Applying configuration',
      ],
    }),
    // Nothing happens until somebody acts.
    [
      'Suspended',
      {
        '/status/phase': [
          'Unable to create required cluster objects',
          'Cluster cannot proceed to reconciliation due to an unknown plugin being required',
          'Cluster has incomplete or invalid image catalog',
          'Cluster is unrecoverable and needs manual intervention',
        ],
      },
      { isStuck: true },
    ],
    ['Unknown', {}],
  ],
  'k8s.mariadb.com/MariaDB': MARIADB,
  'mariadb.mmontes.io/MariaDB': MARIADB,
  'k8s.mariadb.com/Backup': [
    ['Degraded', { '*': 'False', '*.reason': 'CronJobScheduled', '*.message': 'Failed' }],
    ['Progressing', { '*': 'False' }],
    ['Healthy', { '*': { not: null } }],
  ],
  'k8s.mariadb.com/SqlJob': [
    ['Degraded', { '*': 'True', '*.reason': 'JobFailed' }],
    ['Healthy', { '*': 'True', '*.reason': 'JobComplete' }],
  ],
  'k8s.mariadb.com/Database,Grant,User': [
    ['Healthy', { Ready: 'True' }],
    ['Degraded', { Ready: { not: 'True' } }],
  ],
  'psmdb.percona.com/PerconaServerMongoDB': [
    ...byWord('/status/state', {
      Healthy: 'ready',
      Progressing: ['initializing', 'stopping'],
      Degraded: 'error',
      Suspended: 'paused',
    }),
    ['Unknown', {}],
  ],
  'pxc.percona.com/PerconaXtraDBCluster': [
    ...byWord('/status/state', { Healthy: 'ready', Progressing: 'initializing', Degraded: ['stopping', 'error'] }),
    ['Unknown', {}],
  ],
  'clickhouse.altinity.com/ClickHouseInstallation': [
    ...byWord('/status/status', { Healthy: 'Completed', Progressing: ['', 'InProgress'] }),
    ['Degraded', { '/status/status': { not: null } }],
  ],
  'clickhouse-keeper.altinity.com/ClickHouseKeeperInstallation': [
    ...byWord('/status/status', { Healthy: 'Completed', Progressing: ['', 'InProgress'] }),
    ['Degraded', { '/status/status': { not: null } }],
  ],
  'cassandra.rook.io/Cluster': [
    ['Progressing', { '/status/racks': null }],
    [
      'Progressing',
      { '/status/racks': { some: { '/readyMembers': { not: null, differs: './members' } } } },
      'Not all members of a rack are ready',
    ],
    ['Healthy', {}],
  ],
  'db.atlasgo.io/AtlasMigration': [
    ['Progressing', { 'Ready.reason': 'Reconciling', Ready: { not: 'True' } }],
    ...READY,
  ],
  'db.atlasgo.io/AtlasSchema': [
    ['Progressing', { 'Ready.message': ['Reconciling', 'GettingDevDB'], Ready: { not: 'True' } }],
    ...READY,
  ],
  'elasticsearch.k8s.elastic.co/Elasticsearch': judgeElasticsearch,
  'logstash.k8s.elastic.co/Logstash': byWord('/status/health', COLOUR),
  'beat.k8s.elastic.co/Beat': [
    ...byWord('/status/health', COLOUR),
    ['Progressing', { '/status/health': null, '/status/expectedNodes': { not: null } }],
    ['Unknown', {}, 'Its controller has not reported its state yet'],
  ],
  'solr.apache.org/SolrCloud': [
    ['Progressing', { '/status/solrNodes': { some: { '/ready': { not: true } } } }, 'Not all of its nodes are ready'],
    ['Healthy', { '/status/solrNodes': { not: null } }],
  ],
  'zookeeper.pravega.io/ZookeeperCluster': [
    ['Healthy', { '/status/readyReplicas': { above: 0, equals: '/status/replicas' } }],
    ['Progressing', {}, '{/status/readyReplicas} of {/status/replicas} replicas are ready'],
  ],
};
