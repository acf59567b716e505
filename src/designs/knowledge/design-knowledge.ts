import { Injectable } from '@nestjs/common';
import type { Finding } from '../../registry/validation/finding.js';
import { isDeployable, resourceOf } from '../../formats/design-component.js';
import type { DesignFile } from '../../formats/design-file.js';
import type { DesignOutline } from '../../formats/design-outline.js';
import type { PackedDesign } from '../../formats/packed-design.js';
import { InPlace } from '../../formats/task.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { ComponentsStore } from '../../registry/components/components.store.js';
import { RelationshipEvaluation } from '../../registry/relationships/evaluation.service.js';
import { type ValidationAnswer, ValidationService } from '../../registry/validation/validation.service.js';
import { DesignChecks } from '../design-checks.js';
import { enrichmentTask, keyOf } from './enrichment-task.js';

/** Bytes of components that are looked at on the main thread; what they are related by is found in no time. */
const AT_ONCE = 16 * 1024;

export interface ComponentVerdict {
  id: string;
  name: string;
  kind: string;
  apiVersion: string;
  valid: boolean;
  errors: Finding[];
  warnings: Finding[];
  definition: ValidationAnswer['definition'];
}

export interface DesignVerdict {
  valid: boolean;
  /** One for each component that is a resource, hooks of a chart among them, in the order of the design; pointers lead into its resource. */
  components: ComponentVerdict[];
  counts: { components: number; valid: number; unknown: number; errors: number; warnings: number };
}

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
      { buffers: [parts.components.buffer, parts.relationships.buffer] },
    );
    return design.withBytes({ components: enriched.components, relationships: enriched.relationships });
  }

  async validate(design: DesignFile): Promise<DesignVerdict> {
    const resources = design.components.filter(isDeployable);
    const answers = await this.validation.judgeAll(resources.map(resourceOf));
    const components = resources.map((component, index) => {
      const { kind, version } = component.component;
      const answer = answers[index] as ValidationAnswer;
      return { id: component.id, name: component.displayName, kind, apiVersion: version, ...answer };
    });
    const sum = (of: (verdict: ComponentVerdict) => number) => components.reduce((total, each) => total + of(each), 0);
    const counts = {
      components: components.length,
      valid: sum(({ valid }) => Number(valid)),
      unknown: sum(({ definition }) => Number(definition === null)),
      errors: sum(({ errors }) => errors.length),
      warnings: sum(({ warnings }) => warnings.length),
    };
    return { valid: counts.valid === counts.components, components, counts };
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
