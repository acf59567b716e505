import type { OpenAPIObject } from '@nestjs/swagger';

interface OperationGroup {
  name: string;
  /** The tags in reading order, with their descriptions. */
  tags: Record<string, string>;
}

/** The tag of deprecated paths, and of operations that others replace. */
export const DEPRECATED_TAG = 'deprecated paths';

/** The tags of all operations, the main ones first. */
const GROUPS: readonly OperationGroup[] = [
  {
    name: 'Main job',
    tags: {
      auth: 'Sign-in, renewal and revocation of tokens, passwords, and accepting invitations.',
      connections: 'Clusters and other external systems; a kubeconfig registers one for each context.',
      environments: 'Groups of connections that are deployment targets, such as staging and production.',
      workspaces: 'Designs, environments and members, with roles and quotas.',
      designs: 'Declarative infrastructure: import, edit, validate, draw, version, compare, publish, download.',
      deployments: 'Designs on clusters: plan, deploy, approve, roll back, undeploy.',
      events: 'Events of an organization, as a list and as a stream.',
      search: 'Everything that the caller sees: by name, and what needs attention.',
    },
  },
  {
    name: 'Identity and access',
    tags: {
      organizations: 'The unit of tenancy, with its members, teams, invitations and service accounts.',
      users: 'The profile of the caller, and the users of the installation.',
      tokens: 'Personal access tokens and tokens of service accounts, narrowed by scopes.',
      agents: 'Tools for agents, over the Model Context Protocol.',
      audit: 'The audit log: operations and refusals as a tamper-evident chain of entries.',
      credentials: 'Secrets of connections; they are never returned.',
    },
  },
  {
    name: 'Registry',
    tags: {
      registry: 'Packages, registrants and categories of definitions; validates resources against them.',
      'registry: models': 'Models: versioned groups of components and relationships.',
      'registry: components': 'Components: kinds of resources with the schema of each.',
      'registry: relationships': 'Relationships: rules that connect components of a design.',
    },
  },
  {
    name: 'More',
    tags: {
      resources: 'Objects on the connected clusters, as the watch of each cluster stores them.',
      filters: 'WebAssembly filters of service meshes, and their catalog.',
      performance: 'Load tests: profiles, runs with their progress, results, comparisons and charts.',
      telemetry: 'Queries to Prometheus and Grafana through their connections.',
      operations: 'Long-running requests that got the response 202: status, progress, result, cancellation.',
      health: 'Probes and the version of the server.',
      [DEPRECATED_TAG]: 'Paths kept for older clients; each has a replacement above.',
    },
  },
];

type TagsOfDocument = Pick<OpenAPIObject, 'tags'> & { 'x-tagGroups': { name: string; tags: string[] }[] };

/** Builds the document's description of its tags. */
export const describeTags = (): TagsOfDocument => ({
  tags: GROUPS.flatMap(({ tags }) => Object.entries(tags).map(([name, description]) => ({ name, description }))),
  'x-tagGroups': GROUPS.map(({ name, tags }) => ({ name, tags: Object.keys(tags) })),
});
