import { Injectable } from '@nestjs/common';
import type { DesignOutline } from '../../formats/design-file/design-outline.js';
import type { PackedDesign } from '../../formats/design-file/packed-design.js';
import { InlineTaskRunner } from '../../core/workers/task.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { SerializedJson } from '../../core/rest/serialized-json.js';
import { ComponentsStore } from '../../registry/components/components.store.js';
import { RelationshipEvaluationService } from '../../registry/relationships/relationship-evaluation.service.js';
import type { ResourceTypeMeta } from '../../validation/validate-resource.js';
import { ValidationService } from '../../registry/validation/validation.service.js';
import { DesignCheckRegistry } from '../design-checks.registry.js';
import type { PackedContent } from '../versions/packed-content.js';
import { enrichmentTask, resourceTypeKey } from './enrichment-task.js';
import { designValidationTask } from './design-validation-task.js';

/** Bytes of components that are looked at on the main thread; what they are related by is found in no time. */
const INLINE_MAX_BYTES = 16 * 1024;

/** What the registry knows of a design: the models of its components, how they are related, and whether they are sound. */
@Injectable()
export class DesignEnrichmentService {
  constructor(
    private readonly components: ComponentsStore,
    private readonly relationships: RelationshipEvaluationService,
    private readonly validation: ValidationService,
    private readonly pool: WorkerPool,
    checks: DesignCheckRegistry,
  ) {
    checks.register((design) => this.findUnknownKind(design));
  }

  /** The same design with the models that its components belong to, and with its relationships. Kinds that nobody registered stay as they are. */
  async enrich(design: PackedDesign): Promise<PackedDesign> {
    const models = new Map<string, { name: string; version: string }>();
    for await (const kinds of design.outline.iterateKinds())
      for (const known of await this.components.findAllEffective(kinds))
        models.set(resourceTypeKey(known), { name: known.modelName, version: known.modelVersion });
    const definitions = await this.relationships.loadDefinitions();
    const parts = {
      components: design.getMemberBytes('components'),
      relationships: design.getMemberBytes('relationships'),
    };
    const isSmall = parts.components.length <= INLINE_MAX_BYTES && parts.relationships.length <= INLINE_MAX_BYTES;
    const tasks = isSmall ? new InlineTaskRunner() : this.pool;
    const enriched = await tasks.run(
      enrichmentTask,
      { ...parts, models, definitions },
      { lane: 'own', transferList: [parts.components.buffer, parts.relationships.buffer] },
    );
    return design.withMemberBytes({ components: enriched.components, relationships: enriched.relationships });
  }

  /** The DesignVerdict of a design as JSON that is written already; always by a worker, for schemas take long to make ready. */
  async validate(content: PackedContent): Promise<SerializedJson> {
    const verdict = await this.pool.run(designValidationTask, content, {
      lane: 'own',
      transferList: [content.buffer],
      answerQuestion: (types) => this.validation.findComponents(types as ResourceTypeMeta[]),
    });
    return SerializedJson.fromBytes(verdict);
  }

  /** A kind that a definition in the design itself brings along is known. */
  private async findUnknownKind(design: DesignOutline): Promise<string | null> {
    for await (const kinds of design.iterateKinds()) {
      const wanted = kinds.filter(({ deployable, isDefinedInDesign: brought }) => deployable && !brought);
      const known = new Set((await this.components.findAllEffective(wanted)).map(resourceTypeKey));
      const missing = wanted.find((each) => !known.has(resourceTypeKey(each)));
      if (missing)
        return `component ${missing.firstComponent} is a ${missing.kind} of ${missing.apiVersion}, which the registry does not know`;
    }
    return null;
  }
}
