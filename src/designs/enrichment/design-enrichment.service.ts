import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';
import { findCurrentVersion, writeVersionRemedy } from '../../kubernetes/clusters/current-version.js';
import type { DesignOutline, OutlinedKind } from '../../formats/design-file/design-outline.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { SerializedJson } from '../../core/rest/serialized-json.js';
import type { ChartCluster } from '../../formats/helm/chart-api.js';
import { ComponentsStore } from '../../registry/components/components.store.js';
import type { PackedDefinitions } from '../../registry/relationships/evaluation/evaluation-task.js';
import { RelationshipEvaluationService } from '../../registry/relationships/relationship-evaluation.service.js';
import { REPEATED_ITEM } from '../../validation/structural/list-types.js';
import type { ResourceTypeMeta } from '../../validation/validate-resource.js';
import { ValidationService } from '../../registry/validation/validation.service.js';
import { DesignCheckRegistry } from '../contents/design-checks.registry.js';
import { type KnownModels, type RegistryQuestion, resourceTypeKey } from './enrich-design.js';
import { designFindingsTask, type DesignValidationInput, designValidationTask } from './design-validation-task.js';
import { withArticle } from '../../core/errors/wording.js';

/** The first of these faults that is about an item with the key of another item. */
export const findRepeatedItem = (faults: readonly Fault[]): string | null =>
  faults.find(isRepeatedItem)?.detail ?? null;

export const isRepeatedItem = ({ keyword }: Fault): boolean => keyword === REPEATED_ITEM;

/** Maximum number of warnings about kinds that the registry knows in other versions. */
const MAX_OLD_VERSIONS = 20;

/** The Kubernetes that a chart is imported for; by default that of the registry. */
export interface KubernetesSettings {
  version?: string | undefined;
  apiVersions: string[];
}

/** The version while the registry has no Kubernetes. */
const DEFAULT_KUBERNETES = 'v1.36.0';

/** Adds the data of the registry to a design: the models of its components, their relationships, and their validity. */
@Injectable()
export class DesignEnrichmentService implements OnModuleInit {
  constructor(
    private readonly components: ComponentsStore,
    private readonly relationships: RelationshipEvaluationService,
    private readonly validation: ValidationService,
    private readonly pool: WorkerPool,
    private readonly checks: DesignCheckRegistry,
  ) {}

  onModuleInit(): void {
    this.checks.register(({ outline }) => this.findUnknownKind(outline));
    this.checks.register((design) => this.findRepeatedItem(design));
  }

  /** Reads the data that `enrichDesign` requests from the registry. */
  async answerQuestion(question: RegistryQuestion): Promise<KnownModels | PackedDefinitions> {
    if (question.registry === 'relationships') return this.relationships.loadDefinitions();
    const known = await this.components.findAllEffective(question.kinds);
    return new Map(known.map((each) => [resourceTypeKey(each), { name: each.modelName, version: each.modelVersion }]));
  }

  /** The cluster that charts see while there is none: the Kubernetes of the registry, or another one. */
  async assumeCluster({ version, apiVersions = [] }: Partial<KubernetesSettings> = {}): Promise<ChartCluster> {
    const known = await this.components.findKubernetesKinds();
    const kinds = known.map(({ kind, apiVersion }) => ({
      kind,
      apiVersion,
      plural: `${kind.toLowerCase()}s`,
      namespaced: true,
    }));
    return { version: version ?? known[0]?.version ?? DEFAULT_KUBERNETES, kinds, apiVersions, values: new Map() };
  }

  /** Validates a design and returns the result as serialized JSON; always in a worker, because compiling schemas takes long. */
  async validate(input: DesignValidationInput): Promise<SerializedJson> {
    const verdict = await this.pool.run(designValidationTask, input, {
      lane: 'own',
      transferList: [input.content.buffer],
      answerQuestion: (types) => this.validation.findComponents(types as ResourceTypeMeta[]),
    });
    return SerializedJson.fromBytes(verdict);
  }

  /** The faults for which a cluster would refuse a design, and the fields that it would drop, up to a limit. */
  async findFindings(design: PackedDesign): Promise<Fault[]> {
    const json = design.toBytes();
    const old = await this.findOldVersions(design.outline);
    const findings = await this.pool
      .run(designFindingsTask, json, {
        lane: 'own',
        transferList: [json.buffer],
        answerQuestion: (types) => this.validation.findComponents(types as ResourceTypeMeta[]),
      })
      .catch((error: unknown) => {
        if (!(error instanceof InvalidRequest) || error.code !== 'TOO_COSTLY') throw error;
        return [{ detail: 'the resources were not validated, which took too long', remedy: 'Split the design.' }];
      });
    return [...old, ...findings];
  }

  /** The first item of a list that has the key of another item, for messages. */
  private async findRepeatedItem(design: PackedDesign): Promise<string | null> {
    const { repeatedItem } = design.outline;
    return repeatedItem === undefined ? findRepeatedItem(await this.findFindings(design)) : repeatedItem;
  }

  /** The first unregistered kind of a component, for messages; null when all are registered or defined by the design. */
  private async findUnknownKind(design: DesignOutline): Promise<string | null> {
    for await (const { firstComponent, kind, apiVersion, remedy } of this.iterateUnknownKinds(design)) {
      const reason = `component ${firstComponent} is ${withArticle(kind)} of ${apiVersion}, which the registry does not know`;
      return remedy ? `${reason}. ${remedy}` : reason;
    }
    return null;
  }

  /** The kinds that the registry knows in other versions only. */
  private async findOldVersions(design: DesignOutline): Promise<Fault[]> {
    const faults: Fault[] = [];
    for await (const { firstComponent, kind, apiVersion, remedy } of this.iterateUnknownKinds(design))
      if (remedy && faults.length < MAX_OLD_VERSIONS)
        faults.push({
          detail: `component ${firstComponent} is ${withArticle(kind)} of ${apiVersion}, which the registry does not know`,
          remedy,
        });
    return faults;
  }

  private async *iterateUnknownKinds(
    design: DesignOutline,
  ): AsyncGenerator<OutlinedKind & { remedy: string | undefined }> {
    for await (const kinds of design.iterateKinds()) {
      const wanted = kinds.filter(({ deployable, isDefinedInDesign: brought }) => deployable && !brought);
      const known = new Set((await this.components.findAllEffective(wanted)).map(resourceTypeKey));
      const missing = wanted.filter((each) => !known.has(resourceTypeKey(each)));
      if (missing.length === 0) continue;
      const versions = await this.components.findVersions(missing.map(({ kind }) => kind));
      for (const each of missing) {
        const current = findCurrentVersion(each.apiVersion, versions.get(each.kind) ?? []);
        yield { ...each, remedy: current && writeVersionRemedy(current) };
      }
    }
  }
}
