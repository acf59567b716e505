import { Injectable } from '@nestjs/common';
import type { DesignOutline } from '../../formats/design-outline.js';
import type { PackedDesign } from '../../formats/packed-design.js';
import { InPlace } from '../../formats/task.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { WrittenJson } from '../../core/rest/written-json.js';
import { ComponentsStore } from '../../registry/components/components.store.js';
import { RelationshipEvaluation } from '../../registry/relationships/evaluation.service.js';
import type { ResourceType } from '../../registry/validation/judged-part.js';
import { ValidationService } from '../../registry/validation/validation.service.js';
import { DesignChecks } from '../design-checks.js';
import type { PackedContent } from '../versions/packed-content.js';
import { enrichmentTask, keyOf } from './enrichment-task.js';
import { verdictTask } from './verdict-task.js';

/** Bytes of components that are looked at on the main thread; what they are related by is found in no time. */
const AT_ONCE = 16 * 1024;

/** What the registry knows of a design: the models of its components, how they are related, and whether they are sound. */
@Injectable()
export class DesignKnowledge {
  constructor(
    private readonly components: ComponentsStore,
    private readonly relationships: RelationshipEvaluation,
    private readonly validation: ValidationService,
    private readonly pool: WorkerPool,
    checks: DesignChecks,
  ) {
    checks.add((design) => this.firstUnknown(design));
  }

  /** The same design with the models that its components belong to, and with its relationships. Kinds that nobody registered stay as they are. */
  async enrich(design: PackedDesign): Promise<PackedDesign> {
    const models = new Map<string, { name: string; version: string }>();
    for await (const kinds of design.outline.kinds())
      for (const known of await this.components.holdingAll(kinds))
        models.set(keyOf(known), { name: known.modelName, version: known.modelVersion });
    const definitions = await this.relationships.definitions();
    const parts = {
      components: design.bytesOfMember('components'),
      relationships: design.bytesOfMember('relationships'),
    };
    const isSmall = parts.components.length <= AT_ONCE && parts.relationships.length <= AT_ONCE;
    const tasks = isSmall ? new InPlace() : this.pool;
    const enriched = await tasks.run(
      enrichmentTask,
      { ...parts, models, definitions },
      { lane: 'own', buffers: [parts.components.buffer, parts.relationships.buffer] },
    );
    return design.withBytes({ components: enriched.components, relationships: enriched.relationships });
  }

  /** The DesignVerdict of a design as JSON that is written already; always by a worker, for schemas take long to make ready. */
  async validate(content: PackedContent): Promise<WrittenJson> {
    const verdict = await this.pool.run(verdictTask, content, {
      lane: 'own',
      buffers: [content.buffer],
      answer: (types) => this.validation.known(types as ResourceType[]),
    });
    return WrittenJson.ofBytes(verdict);
  }

  /** A kind that a definition in the design itself brings along is known. */
  private async firstUnknown(design: DesignOutline): Promise<string | null> {
    for await (const kinds of design.kinds()) {
      const wanted = kinds.filter(({ deployable, brought }) => deployable && !brought);
      const known = new Set((await this.components.holdingAll(wanted)).map(keyOf));
      const missing = wanted.find((each) => !known.has(keyOf(each)));
      if (missing)
        return `component ${missing.first} is a ${missing.kind} of ${missing.apiVersion}, which the registry does not know`;
    }
    return null;
  }
}
