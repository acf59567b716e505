import { Injectable } from '@nestjs/common';
import { validate } from 'uuid';
import { ConnectionsService } from '../../connections/connections.service.js';
import type { Actor } from '../../core/access/actor.js';
import { InvalidRequest } from '../../core/errors/app-error.js';
import { WorkerPool } from '../../core/workers/worker-pool.js';
import { DocumentReader } from '../../formats/documents/document-reader.js';
import { generateClusterModels } from '../../generators/generate.js';
import type { GenerationResult, GeneratorConfig } from '../../generators/generator.js';
import { ClustersService } from '../../kubernetes/clusters/clusters.service.js';

/** Generates models from the APIs of clusters. */
@Injectable()
export class ClusterGenerationService {
  constructor(
    private readonly connections: ConnectionsService,
    private readonly clusters: ClustersService,
    private readonly documents: DocumentReader,
    private readonly pool: WorkerPool,
  ) {}

  /** @throws InvalidRequest when the id is not one of a connection to a cluster, NotFound, ClusterError */
  async generate(actor: Actor, id: string | undefined, config: GeneratorConfig): Promise<GenerationResult> {
    if (!id || !validate(id))
      throw InvalidRequest.forField(
        '/source',
        'must be the id of a connection',
        'Send the id of a kubernetes connection.',
      );
    const connection = await this.connections.get(actor, id);
    if (connection.kind !== 'kubernetes')
      throw InvalidRequest.forField('/source', `is a connection of the kind ${connection.kind}, not of a cluster`);
    const client = await this.clusters.getClient(connection);
    const { gitVersion, documents, definitions } = await client.describe();
    const { limits } = this.documents;
    const { category } = config;
    const input = { name: connection.name, version: gitVersion, documents, definitions, limits, config: { category } };
    return generateClusterModels(input, this.pool);
  }
}
