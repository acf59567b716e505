import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { RegistryRead } from '../../core/access/registry-read.decorator.js';
import type { JsonObject } from '../../formats/documents/located-document.js';
import { SchemaQuery } from '../registry.inputs.js';
import { RegistryListsService, type RegistryList, withHighestVersion } from '../registry-lists.service.js';
import { RegistryListQuery } from '../entities/registry-list.query.js';
import { RegistryService } from '../registry.service.js';
import { ComponentPage } from './component.view.js';

/** Lists take `pagesize=all`, which is streamed, and `trim=true`, which leaves schemas out. A `{name}` is the kind, exact. */
@ApiTags('registry: components')
@ApiBearerAuth()
@Controller(['api/meshmodels', 'api/registry'])
export class ComponentsController {
  constructor(private readonly answers: RegistryListsService) {}

  @Get('components')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  list(@Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, {});
  }

  /** All versions and variants of a kind. */
  @Get('components/:name')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  named(@Param('name') kind: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, { kind });
  }

  @Get('categories/:category/components')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  ofCategory(@Param('category') category: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, { category });
  }

  @Get('models/:model/components')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  ofModel(@Param('model') model: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, { model });
  }

  @Get('models/:model/components/:name')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  namedOfModel(
    @Param('model') model: string,
    @Param('name') kind: string,
    @Query() query: RegistryListQuery,
  ): Promise<RegistryList> {
    return this.answers.components(query, { model, kind });
  }

  @Get('categories/:category/models/:model/components')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  ofModelInCategory(
    @Param('category') category: string,
    @Param('model') model: string,
    @Query() query: RegistryListQuery,
  ): Promise<RegistryList> {
    return this.answers.components(query, { category, model });
  }

  /** The component, of the highest version of the model, and under `components` all its versions and variants. */
  @Get('categories/:category/models/:model/components/:name')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  async one(
    @Param('category') category: string,
    @Param('model') model: string,
    @Param('name') kind: string,
    @Query() query: RegistryListQuery,
  ): Promise<RegistryList> {
    return withHighestVersion(await this.answers.components(query, { category, model, kind }), 'components');
  }
}

@ApiTags('registry: components')
@ApiBearerAuth()
@Controller('api/schema/resource')
export class SchemasController {
  constructor(private readonly registry: RegistryService) {}

  /** The JSON Schema of a kind: of the highest enabled version that the query leaves. */
  @Get(':resourceName')
  @RegistryRead()
  schema(@Param('resourceName') kind: string, @Query() query: SchemaQuery): Promise<JsonObject> {
    return this.registry.getSchema(kind, query);
  }
}
