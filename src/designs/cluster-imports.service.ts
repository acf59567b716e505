import { Injectable } from '@nestjs/common';
import type { Actor } from '../core/access/actor.js';
import { findClusterUid } from '../kubernetes/clusters/cluster-identity.js';
import { Access } from '../core/authorization/access.service.js';
import { boundedParallel } from '../core/bounded-parallel.js';
import { UnitOfWork } from '../core/database/unit-of-work.js';
import { type Fault, InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { countOf } from '../core/errors/wording.js';
import { ConcurrencyLimiter } from '../core/workers/concurrency-limiter.js';
import { WorkerPool } from '../core/workers/worker-pool.js';
import { DocumentReader } from '../formats/documents/document-reader.js';
import type { JobContext } from '../jobs/job-handler.registry.js';
import { OpenClustersService } from '../kubernetes/middleware/open-clusters.service.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import {
  type ReachableConnection,
  ReachableConnectionsStore,
} from '../workspaces/environments/reachable-connections.store.js';
import type { Workspace } from '../workspaces/workspace.entity.js';
import { DesignImported } from './design.events.js';
import type { DesignImport } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import type { DesignWriteResult } from './design.presenter.js';
import { DesignInsertionService } from './design-insertion.service.js';
import { DesignSourceReader } from './design-source.reader.js';
import { DesignEnrichmentService } from './enrichment/design-enrichment.service.js';
import type { RegistryQuestion } from './enrichment/enrich-design.js';
import {
  ClusterContents,
  type ClusterQuery,
  type FoundContents,
  type FoundObject,
  NARROW,
} from './from-cluster/cluster-contents.js';
import type { ClusterDesignView, ClusterImportView } from './from-cluster/cluster-import.view.js';
import { groupTask, type ObjectGroup } from './from-cluster/group-task.js';
import { describeHandOver } from './from-cluster/hand-over.js';
import { type SealedValues, SealedValuesService } from './sealed-values.service.js';

const TIMEOUT_MS = 120_000;
const CONCURRENCY = 2;
/** Grouping finds the relationships of a whole namespace. */
const GROUP_TIME_FACTOR = 3;
const MAX_LISTED = 10_000;
const MAX_DESIGNS = 500;
/** Imports at once, whether they are requested or jobs: each may hold much in memory. */
const BOUNDS = { size: 2, waiting: 20, waitingPerCaller: 4 };
/** How long a request waits for others; a job waits for its turn. */
const PATIENCE_MS = 10_000;

/** Objects that become one design. */
interface Candidate {
  namespace: string;
  group: ObjectGroup;
  objects: FoundObject[];
}

type ImportJob = Pick<JobContext, 'signal' | 'reportProgress'>;

/** Makes designs of what runs on a cluster. Nothing is changed there. */
@Injectable()
export class ClusterImportsService {
  private readonly limiter = new ConcurrencyLimiter(BOUNDS, 'import');

  constructor(
    private readonly placement: WorkspacePlacementService,
    private readonly reachable: ReachableConnectionsStore,
    private readonly access: Access,
    private readonly clusters: OpenClustersService,
    private readonly knowledge: DesignEnrichmentService,
    private readonly documents: DocumentReader,
    private readonly sources: DesignSourceReader,
    private readonly insertion: DesignInsertionService,
    private readonly sealed: SealedValuesService,
    private readonly pool: WorkerPool,
    private readonly unit: UnitOfWork,
  ) {}

  /**
   * All designs or none are created. On production, where the values of Secrets are read through the connection, it takes a workspace admin.
   * @throws NotFound for a connection that no environment of the workspace has, InvalidRequest, ClusterError, 429 TOO_BUSY
   */
  async import(
    actor: Actor,
    input: Pick<DesignImport, 'workspace_id' | 'organization_id'>,
    query: ClusterQuery,
    job?: ImportJob,
  ): Promise<ClusterImportView> {
    const workspace = query.isPreview
      ? (await this.placement.propose(actor, input, designPolicy.create)).workspace
      : await this.placement.resolve(actor, input, designPolicy.create);
    const place = await this.findPlace(actor, workspace, query.connectionId);
    const importNow = (): Promise<ClusterImportView> => this.importInto(actor, workspace, place, query, job);
    return this.limiter.run(importNow, job ? undefined : PATIENCE_MS);
  }

  private async importInto(
    actor: Actor,
    workspace: Workspace,
    place: ReachableConnection,
    query: ClusterQuery,
    job: ImportJob | undefined,
  ): Promise<ClusterImportView> {
    const { client } = await this.clusters.get(actor, place.connectionId);
    const deadline = AbortSignal.timeout(TIMEOUT_MS);
    const signal = job ? AbortSignal.any([job.signal, deadline]) : deadline;
    const assertInTime = (): void => {
      if (deadline.aborted) throw tooSlow();
      signal.throwIfAborted();
    };
    job?.reportProgress({ stage: 'reading' });
    const contents = await new ClusterContents(client, query, signal).read();
    job?.reportProgress({ stage: 'grouping' });
    const candidates = await this.group(contents);
    if (candidates.length > MAX_DESIGNS)
      throw InvalidRequest.forField('/namespaces', `hold more than ${MAX_DESIGNS} designs`, NARROW);
    const isSealing = !query.isPreview && candidates.some(({ objects }) => objects.some(({ values }) => values));
    const clusterUid = isSealing ? await findClusterUid(client) : null;
    let done = 0;
    const prepared = await boundedParallel(candidates, CONCURRENCY, async (candidate) => {
      assertInTime();
      const made = await this.prepare(actor, workspace, { ...query, clusterUid }, candidate);
      job?.reportProgress({ stage: 'importing', done: ++done, total: candidates.length });
      return made;
    });
    const results = query.isPreview
      ? prepared.map(({ parsed }) => parsed)
      : await this.unit.run(async () => {
          const written: DesignWriteResult[] = [];
          for (const { write } of prepared) {
            assertInTime();
            if (write) written.push(await write());
          }
          return written;
        });
    const designs = candidates.flatMap((candidate, index): ClusterDesignView[] => {
      const result = results[index];
      return result ? [toView(candidate, result, place)] : [];
    });
    return toImportView(designs, contents);
  }

  /** The environment of the workspace through which the connection is used: the first by name where there are several. */
  private async findPlace(
    actor: Actor,
    { id, organizationId }: Workspace,
    connectionId: string,
  ): Promise<ReachableConnection> {
    const all = await this.reachable.findByWorkspace(id);
    const places = all.filter((one) => one.connectionId === connectionId.toLowerCase());
    const [place] = places;
    if (!place) throw new NotFound('connection', connectionId);
    if (places.some(({ tier }) => tier === 'production'))
      await this.access.authorize(actor, designPolicy.importFromProduction, { type: 'workspace', id, organizationId });
    return place;
  }

  /** By namespace, and in it by name. */
  private async group({ objects }: FoundContents): Promise<Candidate[]> {
    const namespaces = [...objects].sort(([one], [other]) => (one < other ? -1 : 1));
    const grouped = await boundedParallel(namespaces, CONCURRENCY, async ([namespace, found]) => {
      const bytes = new TextEncoder().encode(JSON.stringify(found.map(({ resource }) => resource)));
      const groups = await this.pool.run(groupTask, bytes, {
        transferList: [bytes.buffer],
        timeFactor: GROUP_TIME_FACTOR,
        answerQuestion: (question) => this.knowledge.answerQuestion(question as RegistryQuestion),
      });
      return groups.map((group) => ({
        namespace,
        group,
        objects: group.members.flatMap((index) => found[index] ?? []),
      }));
    });
    return grouped.flat();
  }

  /** A design of its manifest, as if that had been imported, and what stores it. */
  private async prepare(
    actor: Actor,
    workspace: Workspace,
    { connectionId, clusterUid, isPreview }: ClusterQuery & Pick<SealedValues, 'clusterUid'>,
    { namespace, group, objects }: Candidate,
  ): Promise<{ parsed: DesignWriteResult; write?: () => Promise<DesignWriteResult> }> {
    const resources = objects.map(({ resource }) => resource);
    const text = await this.documents.toYaml(resources, JSON.stringify(resources).length);
    const file = { path: `${group.name}.yaml`, bytes: new TextEncoder().encode(text) };
    const location = { type: 'cluster' as const, host: '', path: `${connectionId}/${namespace}`, branch: '' };
    const source = await this.sources.fromManifest({ file, location }, group.name);
    const parsed = await this.insertion.parse(actor, workspace, source, {});
    const secrets = objects.flatMap(({ identity, values }) => (values ? [[identity.name, values] as const] : []));
    if (!isPreview && secrets.length > 0)
      parsed.design.sealedValues = await this.sealed.seal(parsed.design, {
        connectionId,
        clusterUid,
        namespace,
        secrets: Object.fromEntries(secrets),
      });
    return isPreview
      ? { parsed }
      : { parsed, write: await this.insertion.prepare(actor, parsed, source, DesignImported) };
  }
}

const tooSlow = (): InvalidRequest =>
  new InvalidRequest(`the import takes longer than ${TIMEOUT_MS / 1_000} seconds`, {
    code: 'TOO_COSTLY',
    remedy: NARROW,
  });

function toView(
  { namespace, group, objects }: Candidate,
  { design, warnings, outcome, file }: DesignWriteResult,
  place: ReachableConnection,
): ClusterDesignView {
  const id = outcome === 'parsed' ? {} : { id: design.id };
  const handOver = describeHandOver(objects.flatMap(({ managedBy }) => managedBy ?? []));
  return {
    ...id,
    name: design.name,
    namespace,
    source_type: design.sourceType,
    components: file?.outline.components ?? 0,
    resources: objects.map(({ identity }) => identity),
    reason: group.reason,
    warnings,
    deploy: {
      ...id,
      environment_id: place.environmentId,
      connection_ids: [place.connectionId],
      namespace,
      adopt: true,
    },
    ...(handOver.length > 0 && { hand_over: handOver }),
  };
}

function toImportView(designs: ClusterDesignView[], { leftOut, warnings }: FoundContents): ClusterImportView {
  const omitted = leftOut.length - MAX_LISTED;
  const more: Fault[] =
    omitted > 0
      ? [{ pointer: '/left_out', detail: `${countOf(omitted, 'more object')} that were left out are not listed` }]
      : [];
  return {
    designs,
    left_out: leftOut.slice(0, MAX_LISTED),
    counts: {
      designs: designs.length,
      resources: designs.reduce((sum, { resources }) => sum + resources.length, 0),
      left_out: leftOut.length,
    },
    warnings: [...warnings, ...more],
  };
}
