import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { canonicalDesign } from '../../formats/design-canonical.js';
import { faultsOfDesign } from '../../formats/design-check.js';
import type { DesignFile } from '../../formats/design-file.js';
import { isObject, type JsonObject } from '../../formats/located.js';
import { Turns } from '../../core/turns.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { ModelsStore } from '../models/models.store.js';
import type { EvaluationInput } from '../registry.inputs.js';
import { RegistryRevisionStore } from '../registry-revision.store.js';
import { evaluate } from './evaluation/evaluate.js';
import type { Evaluation, EvaluationOptions } from './evaluation/evaluation.js';
import { definitionsIn, evaluationTask, type PackedDefinitions } from './evaluation/evaluation-task.js';
import { RelationshipsStore } from './relationships.store.js';

/** A design of more components is evaluated in a worker. */
const AT_ONCE = 20;

export interface EvaluationAnswer extends Evaluation {
  timestamp: Date;
}

/** Finds the relationships of designs by the enabled definitions of the registry. */
@Injectable()
export class RelationshipEvaluation {
  private known: { revision: string; definitions: PackedDefinitions } | null = null;

  constructor(
    private readonly relationships: RelationshipsStore,
    private readonly models: ModelsStore,
    private readonly revision: RegistryRevisionStore,
    private readonly pool: WorkerPool,
  ) {}

  /** @throws InvalidRequest with pointers into the body */
  async answer({ design, options = {} }: EvaluationInput): Promise<EvaluationAnswer> {
    const faults = [
      ...faultsOfDesign(design).map((fault) => ({ ...fault, pointer: `/design${fault.pointer ?? ''}` })),
      ...faultsOfOptions(options),
    ];
    if (faults.length > 0)
      throw new InvalidRequest(faults.map((fault) => `${fault.pointer} ${fault.detail}`).join('; '), {
        errors: faults,
      });
    const result = await this.evaluate(canonicalDesign(design, 'design'), options);
    return { ...result, timestamp: new Date() };
  }

  /** The design with its relationships, what changed in it, and how each definition fared. */
  async evaluate(design: DesignFile, options: EvaluationOptions = {}): Promise<Evaluation> {
    const definitions = await this.definitions();
    if (design.components.length <= AT_ONCE) return evaluate(design, definitionsIn(definitions), options);
    return this.pool.run(evaluationTask, { design, definitions, options }, { lane: 'own' });
  }

  /** The definitions that hold; read anew when the registry has changed. */
  async definitions(): Promise<PackedDefinitions> {
    const revision = await this.revision.current();
    if (this.known?.revision === revision) return this.known.definitions;
    const records = await this.relationships.holding();
    const models = await this.models.findAll([...new Set(records.map(({ modelId }) => modelId))]);
    const texts: string[] = [];
    const turns = new Turns();
    for (const record of records) {
      const { name = '', version = '' } = models.get(record.modelId) ?? {};
      texts.push(JSON.stringify({ model: { name, version }, definition: record.definition() }));
      await turns.take();
    }
    const json = Buffer.from(`[${texts.join(',')}]`);
    this.known = { revision, definitions: { digest: createHash('sha256').update(json).digest('hex'), json } };
    return this.known.definitions;
  }
}

const OPTIONS: Record<string, 'string' | 'boolean' | 'number'> = {
  namespace: 'string',
  applyPatches: 'boolean',
  limit: 'number',
};

function faultsOfOptions(options: JsonObject): { pointer: string; detail: string }[] {
  if (!isObject(options)) return [{ pointer: '/options', detail: 'must be an object' }];
  return Object.entries(OPTIONS).flatMap(([name, type]) => {
    const value = options[name];
    const fits = value === undefined || (typeof value === type && (type !== 'number' || Number(value) >= 0));
    return fits ? [] : [{ pointer: `/options/${name}`, detail: `must be a ${type}` }];
  });
}
