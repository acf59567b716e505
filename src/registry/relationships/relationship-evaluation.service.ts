import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Env } from '../../core/config/env.js';
import { SerializedJson } from '../../core/rest/serialized-json.js';
import { toJsonBytes } from '../../core/json/packed-json.js';
import { TimeSlicer } from '../../core/time-slicer.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { ModelsStore } from '../models/models.store.js';
import type { EvaluationInput } from '../entities/registry.inputs.js';
import { RegistryRevisionStore } from '../entities/registry-revision.store.js';
import { evaluationTask, type PackedDefinitions } from './evaluation/evaluation-task.js';
import { RelationshipsStore } from './relationships.store.js';

/** Finds the relationships of designs by the enabled definitions of the registry. */
@Injectable()
export class RelationshipEvaluationService {
  private cached: { revision: string; definitions: PackedDefinitions } | null = null;

  constructor(
    private readonly relationships: RelationshipsStore,
    private readonly models: ModelsStore,
    private readonly revision: RegistryRevisionStore,
    private readonly pool: WorkerPool,
    private readonly env: Env,
  ) {}

  /** The design with its relationships, its changes, and the result of each definition. @throws InvalidRequest with pointers into the body */
  async evaluate({ design, options = {} }: EvaluationInput): Promise<SerializedJson> {
    const definitions = await this.loadDefinitions();
    const input = { design: toJsonBytes(design), definitions, options, maxDesignBytes: this.env.LIMIT_BODY_BYTES };
    // A design of 10 kB in which everything refers to everything takes a second.
    return SerializedJson.fromBytes(await this.pool.run(evaluationTask, input, { lane: 'own' }));
  }

  /** The enabled definitions; read again when the registry has changed. */
  async loadDefinitions(): Promise<PackedDefinitions> {
    const revision = await this.revision.getCurrent();
    if (this.cached?.revision === revision) return this.cached.definitions;
    const records = await this.relationships.findEffective();
    const models = await this.models.findAll([...new Set(records.map(({ modelId }) => modelId))]);
    const texts: string[] = [];
    const turns = new TimeSlicer();
    for (const record of records) {
      const { name = '', version = '' } = models.get(record.modelId) ?? {};
      texts.push(JSON.stringify({ model: { name, version }, definition: record.definition() }));
      await turns.yieldToEventLoop();
    }
    const json = Buffer.from(`[${texts.join(',')}]`);
    this.cached = { revision, definitions: { digest: createHash('sha256').update(json).digest('hex'), json } };
    return this.cached.definitions;
  }
}
