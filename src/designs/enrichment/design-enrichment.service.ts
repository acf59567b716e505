import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Fault, InvalidRequest } from '../../core/errors/app-error.js';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';
import type { DesignOutline } from '../../formats/design-file/design-outline.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { SerializedJson } from '../../core/rest/serialized-json.js';
import { ComponentsStore } from '../../registry/components/components.store.js';
import type { PackedDefinitions } from '../../registry/relationships/evaluation/evaluation-task.js';
import { RelationshipEvaluationService } from '../../registry/relationships/relationship-evaluation.service.js';
import type { ResourceTypeMeta } from '../../validation/validate-resource.js';
import { ValidationService } from '../../registry/validation/validation.service.js';
import { DesignCheckRegistry } from '../contents/design-checks.registry.js';
import { type KnownModels, type RegistryQuestion, resourceTypeKey } from './enrich-design.js';
import { designFindingsTask, type DesignValidationInput, designValidationTask } from './design-validation-task.js';
import { withArticle } from '../../core/errors/wording.js';

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
    this.checks.register((design) => this.findUnknownKind(design));
  }

  /** Reads the data that `enrichDesign` requests from the registry. */
  async answerQuestion(question: RegistryQuestion): Promise<KnownModels | PackedDefinitions> {
    if (question.registry === 'relationships') return this.relationships.loadDefinitions();
    const known = await this.components.findAllEffective(question.kinds);
    return new Map(known.map((each) => [resourceTypeKey(each), { name: each.modelName, version: each.modelVersion }]));
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
    return this.pool
      .run(designFindingsTask, json, {
        lane: 'own',
        transferList: [json.buffer],
        answerQuestion: (types) => this.validation.findComponents(types as ResourceTypeMeta[]),
      })
      .catch((error: unknown) => {
        if (!(error instanceof InvalidRequest) || error.code !== 'TOO_COSTLY') throw error;
        return [{ detail: 'the resources were not validated, which took too long', remedy: 'Split the design.' }];
      });
  }

  /** The first unregistered kind of a component, for messages; null when all are registered or defined by the design. */
  private async findUnknownKind(design: DesignOutline): Promise<string | null> {
    for await (const kinds of design.iterateKinds()) {
      const wanted = kinds.filter(({ deployable, isDefinedInDesign: brought }) => deployable && !brought);
      const known = new Set((await this.components.findAllEffective(wanted)).map(resourceTypeKey));
      const missing = wanted.find((each) => !known.has(resourceTypeKey(each)));
      if (missing)
        return `component ${missing.firstComponent} is ${withArticle(missing.kind)} of ${missing.apiVersion}, which the registry does not know`;
    }
    return null;
  }
}
