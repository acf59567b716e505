import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { WrittenJson } from '../../core/rest/written-json.js';
import { jsonBytes } from '../../core/schema/packed-json.js';
import { Turns } from '../../core/turns.js';
import { InPlace } from '../../formats/task.js';
import { WorkerPool } from '../../formats/worker-pool.js';
import { ModelsStore } from '../models/models.store.js';
import type { EvaluationInput } from '../registry.inputs.js';
import { RegistryRevisionStore } from '../registry-revision.store.js';
import { evaluationTask, type PackedDefinitions } from './evaluation/evaluation-task.js';
import { RelationshipsStore } from './relationships.store.js';

/** A design of more bytes is evaluated in a worker. */
const AT_ONCE = 16 * 1024;

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

  /** The design with its relationships, what changed in it, and how each definition fared. @throws InvalidRequest with pointers into the body */
  async answer({ design, options = {} }: EvaluationInput): Promise<WrittenJson> {
    const bytes = jsonBytes(design);
    const tasks = bytes.length <= AT_ONCE ? new InPlace() : this.pool;
    const input = { design: bytes, definitions: await this.definitions(), options };
    return WrittenJson.ofBytes(await tasks.run(evaluationTask, input, { lane: 'own' }));
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
