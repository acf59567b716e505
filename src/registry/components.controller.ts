import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { RegistryRead } from '../core/access/registry-read.decorator.js';
import type { JsonObject } from '../core/json/json.js';
import { SchemaQuery } from './entities/registry.inputs.js';
import type { PageEnvelope } from '../core/listing/page.js';
import type { StreamedList } from '../core/rest/streamed-list.js';
import { RegistryListsService, type RegistryList, withHighestVersion } from './registry-lists.service.js';
import { RegistryListQuery } from './entities/registry-list.query.js';
import { RegistryService } from './registry.service.js';
import { CategoryComponentView, ComponentPage } from './components/component.view.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';

/** Lists accept `pagesize=all`, which is streamed, and `trim=true`, which leaves schemas out. A `{name}` is the exact kind. */
@ApiTags('registry: components')
@Controller(['meshmodels', 'registry'])
export class ComponentsController {
  constructor(private readonly answers: RegistryListsService) {}

  @RestOperation('listComponents', 'List components', 'Lists components; `trim=true` leaves their schemas out.')
  @Get('components')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  list(@Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, {});
  }

  /** All versions and variants of a kind. */
  @RestOperation(
    'listComponentsByKind',
    'List components of a kind',
    'Lists all versions and variants of a kind. The name is the exact kind.',
  )
  @Get('components/:name')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  named(@Param('name') kind: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, { kind });
  }

  @RestOperation(
    'listCategoryComponents',
    'List components of a category',
    'Lists the components of the models of a category.',
  )
  @Get('categories/:category/components')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  ofCategory(@Param('category') category: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, { category });
  }

  @RestOperation(
    'listModelComponents',
    'List components of a model',
    'Lists the components of a model, in all its versions.',
  )
  @Get('models/:model/components')
  @RegistryRead()
  @ApiOkResponse({ type: ComponentPage })
  ofModel(@Param('model') model: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.components(query, { model });
  }

  @RestOperation(
    'listModelComponentsByKind',
    'List components of a kind in a model',
    'Lists all versions and variants of a kind in a model.',
  )
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

  @RestOperation(
    'listCategoryModelComponents',
    'List components of a model of a category',
    'Lists the components of a model, looked up by its category.',
  )
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

  @RestOperation(
    'getCategoryModelComponent',
    'Read a component',
    'Reads the component of the highest version of the model, and lists all versions and variants under `components`.',
  )
  @Get('categories/:category/models/:model/components/:name')
  @RegistryRead()
  @ApiOkResponse({
    type: CategoryComponentView,
    description: 'The component and the list; with `pagesize=all` the list alone.',
  })
  async one(
    @Param('category') category: string,
    @Param('model') model: string,
    @Param('name') kind: string,
    @Query() query: RegistryListQuery,
  ): Promise<PageEnvelope | StreamedList> {
    return withHighestVersion(await this.answers.components(query, { category, model, kind }), 'components');
  }
}

@ApiTags('registry: components')
@Controller('schema/resource')
export class SchemasController {
  constructor(private readonly registry: RegistryService) {}

  /** The JSON Schema of a kind: of the highest enabled version that matches the query. */
  @RestOperation(
    'getResourceSchema',
    'Read the schema of a kind',
    'Reads the JSON Schema of a kind: of the highest enabled version that matches the query.',
  )
  @Get(':resourceName')
  @RegistryRead()
  @ApiOkResponse({ description: 'A JSON Schema.', schema: { type: 'object', additionalProperties: true } })
  schema(@Param('resourceName') kind: string, @Query() query: SchemaQuery): Promise<JsonObject> {
    return this.registry.getSchema(kind, query);
  }
}
