import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import type { ListQuery } from '../core/listing/list-query.js';
import type { Page } from '../core/listing/page.js';
import { DeploymentListQuery } from '../deployments/deployment.inputs.js';
import type { Deployment } from '../deployments/deployment.entity.js';
import { DEPLOYMENT_STATUSES, type DeploymentStatus } from '../deployments/deployment.entity.js';
import { type DeployedResourceView, DeploymentView } from '../deployments/deployment.view.js';
import { DeploymentsService } from '../deployments/deployments.service.js';
import { DriftQuery } from '../deployments/drift/drift.inputs.js';
import { DriftService } from '../deployments/drift/drift.service.js';
import { RunningResourcesService } from '../deployments/resources/running-resources.service.js';
import type { ClusterResourceView } from '../deployments/resources/cluster-resource.view.js';
import type { Design } from '../designs/design.entity.js';
import { DesignListQuery } from '../designs/design.inputs.js';
import { DesignView } from '../designs/design.view.js';
import { DesignsService } from '../designs/designs.service.js';
import { DesignContentsStore } from '../designs/contents/design-contents.store.js';
import { EnvironmentView } from '../environments/environment.view.js';
import { EnvironmentsService } from '../environments/environments.service.js';
import { AuditListQuery } from '../events/audit/audit.inputs.js';
import { AuditService } from '../events/audit/audit.service.js';
import { AuditEntryView } from '../events/audit/audit.view.js';
import { EventListQuery } from '../events/event.inputs.js';
import { EventView } from '../events/event.view.js';
import { EventsService } from '../events/events.service.js';
import { ClusterResourceListQuery } from '../kubernetes/resources/resource.inputs.js';
import { OrganizationListQuery } from '../core/listing/list-query.js';
import { OrganizationsService } from '../organizations/organizations.service.js';
import { WorkspaceView } from '../workspaces/workspace.view.js';
import { WorkspacesService } from '../workspaces/workspaces.service.js';
import type { Tool, ToolArgument, ToolArguments } from './tool.js';
import { readFitting, sliceAt } from './tool-result.js';

const id = (description: string): ToolArgument => ({ type: 'string', format: 'uuid', description });
const text = (description: string): ToolArgument => ({ type: 'string', description });

const CURSOR: Record<string, ToolArgument> = {
  cursor: { type: 'string', maxLength: 4_000, description: 'The next_cursor of the last result; left out at first.' },
};
const ORGANIZATION = { organization_id: id('The organization; needed by members of several.') };
const SEARCH = { search: text('A part of the name.') };

/** How many events explain a failure. */
const EXPLAINING_EVENTS = 10;

/** The tools that only read, over the services of the REST API. What designs keep sealed is in none of them. */
@Injectable()
export class ReadingTools {
  constructor(
    private readonly organizations: OrganizationsService,
    private readonly environments: EnvironmentsService,
    private readonly workspaces: WorkspacesService,
    private readonly designs: DesignsService,
    private readonly contents: DesignContentsStore,
    private readonly deployments: DeploymentsService,
    private readonly resources: RunningResourcesService,
    private readonly drift: DriftService,
    private readonly events: EventsService,
    private readonly audit: AuditService,
  ) {}

  list(): Tool[] {
    return [
      reading('list_environments', 'List environments', 'Lists the environments of an organization.', {
        arguments: { ...ORGANIZATION, ...SEARCH, ...CURSOR },
        run: (actor, given) =>
          listPages(
            'environments',
            given,
            OrganizationListQuery,
            (query) => this.environments.list(actor, query),
            (each) =>
              pick(EnvironmentView.fromEntity(each), [
                'id',
                'name',
                'description',
                'tier',
                'status',
                'required_approvals',
                'organization_id',
              ]),
          ),
      }),
      reading('list_workspaces', 'List workspaces', 'Lists the workspaces of an organization.', {
        arguments: { ...ORGANIZATION, ...SEARCH, ...CURSOR },
        run: (actor, given) =>
          listPages(
            'workspaces',
            given,
            OrganizationListQuery,
            (query) => this.workspaces.list(actor, query),
            (each) => pick(WorkspaceView.fromEntity(each), ['id', 'name', 'description', 'status', 'organization_id']),
          ),
      }),
      reading('list_designs', 'List designs', 'Lists designs: what is to run, such as manifests and charts.', {
        arguments: { workspace_id: id('Only designs of this workspace.'), ...ORGANIZATION, ...SEARCH, ...CURSOR },
        run: (actor, given) =>
          listPages('designs', given, DesignListQuery, (query) => this.designs.list(actor, query), summarizeDesign),
      }),
      reading(
        'get_design',
        'Read a design',
        'Reads a design with the kinds of its components, without their contents.',
        {
          arguments: { design_id: id('The design.'), ...CURSOR },
          required: ['design_id'],
          run: (actor, given) => this.readDesign(actor, given),
        },
      ),
      reading('list_deployments', 'List deployments', 'Lists deployments, undeployments and rollbacks, newest first.', {
        arguments: {
          workspace_id: id('Only deployments of this workspace.'),
          environment_id: id('Only deployments into this environment.'),
          design_id: id('Only deployments of this design.'),
          status: { type: 'string', enum: DEPLOYMENT_STATUSES, description: 'Only deployments with this status.' },
          ...CURSOR,
        },
        run: (actor, { status, ...given }) =>
          listPages(
            'deployments',
            given,
            DeploymentListQuery,
            (query) =>
              this.deployments.list(actor, Object.assign(query, { status: status as DeploymentStatus | undefined })),
            summarizeDeployment,
          ),
      }),
      reading('get_deployment', 'Read a deployment', 'Reads a deployment with its objects; failed ones come first.', {
        arguments: { deployment_id: id('The deployment.'), ...CURSOR },
        required: ['deployment_id'],
        run: (actor, given) => this.readDeployment(actor, given),
      }),
      reading(
        'explain_failure',
        'Explain a failure',
        'Shows why a deployment failed: its error, the objects that failed, and what happened to it.',
        {
          arguments: { deployment_id: id('The deployment.'), ...CURSOR },
          required: ['deployment_id'],
          run: (actor, given) => this.explainFailure(actor, given),
        },
      ),
      reading('list_resources', 'List resources', 'Lists objects on the clusters with their health.', {
        arguments: {
          design_id: id('Only objects of this design.'),
          connection_id: id('Only objects of this cluster.'),
          kind: text('Only this kind, such as Deployment.'),
          namespace: text('Only this namespace.'),
          health: text('Only this health, such as Degraded.'),
          ...ORGANIZATION,
          ...SEARCH,
          ...CURSOR,
        },
        run: (actor, given) => this.listResources(actor, given),
      }),
      reading('get_drift', 'Detect drift', 'Compares what a design deployed with what is on the clusters.', {
        arguments: { design_id: id('The design.'), environment_id: id('Only in this environment.'), ...CURSOR },
        required: ['design_id'],
        run: (actor, given) => this.readDrift(actor, given),
      }),
      reading('list_events', 'List events', 'Lists events, newest first.', {
        arguments: {
          category: text('One category or several with commas, such as deployment.'),
          acted_upon_id: id('Only events about this record.'),
          ...ORGANIZATION,
          ...CURSOR,
        },
        run: (actor, { category, acted_upon_id, ...given }) =>
          listPages(
            'events',
            given,
            EventListQuery,
            (query) => this.events.list(actor, Object.assign(query, { category, acted_upon: acted_upon_id })),
            (each) =>
              pick(EventView.fromSeenEvent(each), [
                'id',
                'created_at',
                'category',
                'action',
                'severity',
                'description',
                'acted_upon',
                'user_id',
                'workspace_id',
              ]),
          ),
      }),
      reading('list_audit', 'Read the audit', 'Lists who did what, newest first; for admins of the organization.', {
        arguments: {
          actor: text('The id of a user, or a kind of actor.'),
          action: text('Such as design.updated, or design.*'),
          resource: text('The id of a record, or a type such as workspace.'),
          ...ORGANIZATION,
          ...CURSOR,
        },
        run: (actor, given) => this.listAudit(actor, given),
      }),
    ];
  }

  private async readDesign(actor: Actor, { design_id, cursor }: ToolArguments): Promise<object> {
    const design = await this.designs.get(actor, design_id as string);
    const { outline } = await this.contents.readDesign(design);
    const kinds: object[] = [];
    for await (const batch of outline.iterateKinds())
      for (const { kind, apiVersion, firstComponent } of batch)
        kinds.push({ kind, api_version: apiVersion, first: firstComponent });
    return readFitting((size) => {
      const { items, next_cursor } = sliceAt(kinds, cursor, size);
      return { ...summarizeDesign(design), components: outline.components, kinds: items, next_cursor };
    });
  }

  private async readDeployment(actor: Actor, { deployment_id, cursor }: ToolArguments): Promise<object> {
    const deployment = await this.deployments.get(actor, deployment_id as string);
    const { approvals, warnings, policy_violations, resources } = DeploymentView.fromEntity(deployment);
    const ordered = [...resources].sort((a, b) => Number(b.error !== null) - Number(a.error !== null));
    return readFitting((size) => {
      const { items, next_cursor } = sliceAt(ordered, cursor, size);
      const details = {
        approvals,
        warnings: warnings.slice(0, size),
        policy_violations: policy_violations.slice(0, size),
      };
      return { ...summarizeDeployment(deployment), ...details, resources: items.map(summarizeResource), next_cursor };
    });
  }

  private async explainFailure(actor: Actor, { deployment_id, cursor }: ToolArguments): Promise<object> {
    const deployment = await this.deployments.get(actor, deployment_id as string);
    const { resources, clusters, policy_violations } = DeploymentView.fromEntity(deployment);
    const failed = resources.filter(({ error, message, health }) => error ?? message ?? health?.status === 'Degraded');
    const query = Object.assign(new EventListQuery(), {
      acted_upon: deployment.id,
      organization_id: deployment.organizationId,
      pagesize: String(EXPLAINING_EVENTS),
    });
    const { items: events } = await this.events.list(actor, query);
    return readFitting((size) => {
      const { items, next_cursor } = sliceAt(failed, cursor, size);
      return {
        ...summarizeDeployment(deployment),
        clusters: clusters.slice(0, size),
        policy_violations: policy_violations.slice(0, size),
        failed_resources: items.map(summarizeResource),
        events: events.map((each) =>
          pick(EventView.fromSeenEvent(each), ['created_at', 'category', 'action', 'description']),
        ),
        next_cursor,
      };
    });
  }

  private listResources(actor: Actor, { cursor, ...given }: ToolArguments): Promise<object> {
    return readFitting(async (size) => {
      const query = makeQuery(ClusterResourceListQuery, { ...given, cursor }, size);
      const page = (await this.resources.list(actor, query)) as Awaited<ReturnType<RunningResourcesService['list']>> & {
        resources: ClusterResourceView[];
      };
      const resources = page.resources.map((each) =>
        pick(each, [
          'id',
          'api_version',
          'kind',
          'namespace',
          'name',
          'health',
          'connection_id',
          'design_id',
          'deployment_id',
          'updated_at',
        ]),
      );
      return { resources, total_count: page.total_count, next_cursor: page.next_cursor ?? null };
    });
  }

  private async readDrift(actor: Actor, { design_id, environment_id, cursor }: ToolArguments): Promise<object> {
    const query = Object.assign(new DriftQuery(), { environment_id });
    const { resources, ...summary } = await this.drift.getDrift(actor, design_id as string, query);
    const ordered = [...resources].sort((a, b) => Number(a.status === 'in_sync') - Number(b.status === 'in_sync'));
    return readFitting((size) => {
      const { items, next_cursor } = sliceAt(ordered, cursor, size);
      return { ...summary, resources: items, next_cursor };
    });
  }

  private async listAudit(actor: Actor, { organization_id, ...given }: ToolArguments): Promise<object> {
    const organization = await this.organizations.resolve(actor, organization_id);
    return listPages(
      'entries',
      given,
      AuditListQuery,
      (query) => this.audit.list(actor, organization.id, query),
      (each) =>
        pick(AuditEntryView.fromEntity(each), [
          'id',
          'created_at',
          'action',
          'outcome',
          'reason',
          'actor',
          'on_behalf_of',
          'token_id',
          'resource',
          'changes',
          'workspace_id',
          'via',
        ]),
    );
  }
}

const reading = (
  name: string,
  title: string,
  description: string,
  rest: Pick<Tool, 'arguments' | 'run' | 'required'>,
): Tool => ({ name, title, description, ...rest });

const pick = <T extends object, K extends keyof T>(record: T, fields: readonly K[]): Pick<T, K> =>
  Object.fromEntries(fields.map((field) => [field, record[field]])) as Pick<T, K>;

const summarizeDesign = (design: Design): object =>
  pick(DesignView.fromEntity(design), [
    'id',
    'name',
    'workspace_id',
    'source_type',
    'version_number',
    'visibility',
    'canSupport',
    'errmsg',
    'updated_at',
  ]);

const summarizeDeployment = (deployment: Deployment): object => ({
  ...pick(DeploymentView.fromEntity(deployment), [
    'id',
    'name',
    'action',
    'status',
    'health',
    'error',
    'design_id',
    'design_version',
    'environment_id',
    'workspace_id',
    'requested_by',
    'approved_by',
    'started_at',
    'finished_at',
  ]),
  resource_count: deployment.resources.length,
});

const summarizeResource = (resource: DeployedResourceView): object =>
  pick(resource, [
    'api_version',
    'kind',
    'namespace',
    'name',
    'connection_id',
    'action',
    'status',
    'message',
    'error',
    'health',
  ]);

function makeQuery<Q extends ListQuery>(Query: new () => Q, given: ToolArguments, size: number): Q {
  const wanted = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  return Object.assign(new Query(), { cursor: '', ...wanted, pagesize: String(size) });
}

/** One page of a list, by a cursor. */
function listPages<Q extends ListQuery, T>(
  plural: string,
  given: ToolArguments,
  Query: new () => Q,
  read: (query: Q) => Promise<Page<T>>,
  show: (record: T) => object,
): Promise<object> {
  return readFitting(async (size) => {
    const { items, total, next } = await read(makeQuery(Query, given, size));
    return { [plural]: items.map(show), total_count: total, next_cursor: next ?? null };
  });
}
