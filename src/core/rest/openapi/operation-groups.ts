import type { OpenAPIObject } from '@nestjs/swagger';

interface OperationGroup {
  name: string;
  /** The tags of its operations in the order in which a reader needs them, each with what it is about. */
  tags: Record<string, string>;
}

/** Other paths of operations, and operations that others replace. */
export const DEPRECATED_TAG = 'deprecated paths';

/** The tags of all operations, the main job first. */
const GROUPS: readonly OperationGroup[] = [
  {
    name: 'Main job',
    tags: {
      auth: 'Sign in for a token, renew it, end it; passwords, and invitations as those who are invited answer them.',
      connections:
        'Clusters and other systems that the server works with; a kubeconfig registers one for each context.',
      environments: 'Connections that are deployed to together: staging, production.',
      workspaces: 'Where roles decide who may deploy which designs to which environments, within quotas.',
      designs: 'Declarative infrastructure: import, edit, validate, draw, version, compare, publish, download.',
      deployments: 'Designs on clusters: plan, deploy, approve, roll back, undeploy.',
      events: 'What happened, as a list and as a stream.',
    },
  },
  {
    name: 'Identity and access',
    tags: {
      organizations: 'The unit of tenancy, with its members, teams, invitations and service accounts.',
      users: 'The profile of the caller, and the users of the installation.',
      tokens: 'Personal access tokens and tokens of service accounts, narrowed by scopes.',
      audit: 'Who did what, from where, and what was refused, as a tamper-evident chain of entries.',
      credentials: 'Secrets that connections use; they go in and are never answered.',
    },
  },
  {
    name: 'Registry',
    tags: {
      registry: 'Packages, registrants and categories of definitions; validates resources against them.',
      'registry: models': 'Models: versioned groups of components and relationships.',
      'registry: components': 'Components: kinds of resources with the schema of each.',
      'registry: relationships': 'Relationships: how components of a design belong together.',
    },
  },
  {
    name: 'More',
    tags: {
      resources: 'What runs on the connected clusters, as the watch of each cluster keeps it.',
      filters: 'WebAssembly filters of service meshes, and their catalog.',
      performance: 'Load tests: profiles, runs with their progress, results, comparisons and charts.',
      telemetry: 'Queries to the Prometheus and Grafana servers that connections lead to.',
      operations: 'Long-running work that was answered 202: status, progress, result, cancellation.',
      health: 'Probes and the version of the server.',
      [DEPRECATED_TAG]: 'Paths that older clients know, each for an operation that has a path above. Use that one.',
    },
  },
];

type TagsOfDocument = Pick<OpenAPIObject, 'tags'> & { 'x-tagGroups': { name: string; tags: string[] }[] };

/** What the document says of its tags. */
export const describeTags = (): TagsOfDocument => ({
  tags: GROUPS.flatMap(({ tags }) => Object.entries(tags).map(([name, description]) => ({ name, description }))),
  'x-tagGroups': GROUPS.map(({ name, tags }) => ({ name, tags: Object.keys(tags) })),
});
