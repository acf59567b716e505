import { Injectable } from '@nestjs/common';
import type { Readable } from 'node:stream';
import { Conflict, InvalidRequest, NotFound } from '../core/errors/app-error.js';
import { toFileName } from '../core/rest/download.js';
import { ComponentsStore } from './components/components.store.js';
import type { ModelContent } from '../formats/definitions/definitions.js';
import type { Model } from './models/model.entity.js';
import { ModelsStore } from './models/models.store.js';
import { writePackage } from './packages/package-writer.js';
import type { Registrant } from './registrants/registrant.entity.js';
import { RegistrantsStore } from './registrants/registrants.store.js';
import type { ExportQuery } from './entities/registry.inputs.js';
import { RelationshipsStore } from './relationships/relationships.store.js';

export interface ModelPackage {
  name: string;
  content: Readable;
}

/** Exports models as packages that register again with the same content. */
@Injectable()
export class RegistryExportService {
  constructor(
    private readonly models: ModelsStore,
    private readonly components: ComponentsStore,
    private readonly relationships: RelationshipsStore,
    private readonly registrants: RegistrantsStore,
  ) {}

  /**
   * All versions of a model, or one.
   * @throws NotFound; Conflict AMBIGUOUS_NAME when several registrants have one of this name
   */
  async export({ model: name, version, registrant }: ExportQuery): Promise<ModelPackage> {
    if (!name) throw InvalidRequest.forField('model', 'is required', 'Name the model to export.');
    const models = await this.models.findByName(name, { version, registrant });
    if (models.length === 0) throw new NotFound('model', [name, version].filter(Boolean).join(' '));
    const registrants = await this.registrants.findAll([...new Set(models.map((each) => each.registrantId))]);
    if (registrants.size > 1) {
      const kinds = [...registrants.values()].map(({ kind, hostname }) =>
        kind === hostname ? kind : `${kind} (${hostname})`,
      );
      throw new Conflict(
        'AMBIGUOUS_NAME',
        `${registrants.size} registrants have a model ${name}: ${kinds.join(', ')}`,
        {
          remedy: 'Choose one with the parameter registrant.',
          extensions: {
            registrants: [...registrants.values()].map(({ id, kind, hostname }) => ({ id, kind, hostname })),
          },
        },
      );
    }
    const [owner] = [...registrants.values()] as [Registrant];
    const file = toFileName([name, version].filter(Boolean).join('-'), 'model');
    return { name: `${file}.tar.gz`, content: writePackage(this.readContents(models, owner)) };
  }

  private async *readContents(models: Model[], owner: Registrant): AsyncGenerator<ModelContent> {
    for (const model of models) {
      const components = await this.components.findByModel(model.id);
      const schemas = await this.components.findSchemas([
        ...new Set(components.flatMap((each) => each.schemaDigest ?? [])),
      ]);
      const relationships = await this.relationships.findByModel(model.id);
      yield {
        model: {
          name: model.name,
          displayName: model.displayName,
          version: model.version,
          description: model.description,
          category: model.category,
          subCategory: model.subCategory,
          registrant: { kind: owner.kind, hostname: owner.hostname },
          metadata: model.metadata,
          rest: { ...model.rest, status: model.status },
        },
        components: components.map((each) => each.definition(schemas.get(each.schemaDigest ?? '') ?? '')),
        relationships: relationships.map((each) => each.definition()),
      };
    }
  }
}
