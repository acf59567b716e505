import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { RegistryRead } from '../core/access/registry-read.decorator.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight } from '../core/rest/rights/rights.decorators.js';
import type { PageEnvelope } from '../core/listing/page.js';
import type { StreamedList } from '../core/rest/streamed-list.js';
import { RegistryListsService, type RegistryList, withHighestVersion } from './registry-lists.service.js';
import { RegistryListQuery } from './entities/registry-list.query.js';
import { RegistryPresenter } from './registry.presenter.js';
import { registryPolicy } from './entities/registry.policy.js';
import { RegistryService } from './registry.service.js';
import { CategoryModelView, ModelPage, ModelView } from './models/model.view.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';

/** Lists accept `pagesize=all`, which is streamed. */
@ApiTags('registry: models')
@Controller(['meshmodels', 'registry'])
export class ModelsController {
  constructor(
    private readonly registry: RegistryService,
    private readonly answers: RegistryListsService,
    private readonly presenter: RegistryPresenter,
  ) {}

  /** One row for each registrant and name: its highest version. With `version`, one for each record of that version. */
  @RestOperation(
    'listModels',
    'List models',
    'Lists one row for each registrant and name: its highest version. With `version`, lists each record of that version.',
  )
  @Get('models')
  @RegistryRead()
  @ApiOkResponse({ type: ModelPage })
  list(@Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.models(query, {});
  }

  /** All versions of the model, each a row. */
  @RestOperation('listModelVersions', 'List versions of a model', 'Lists all versions of the model, each as a row.')
  @Get('models/:model')
  @RegistryRead()
  @ApiOkResponse({ type: ModelPage })
  versions(@Param('model') model: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.models(query, { model });
  }

  @RestOperation('listCategoryModels', 'List models of a category', 'Lists the models of a category.')
  @Get('categories/:category/models')
  @RegistryRead()
  @ApiOkResponse({ type: ModelPage })
  ofCategory(@Param('category') category: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.models(query, { category });
  }

  /** The model of its highest version, and under `models` all its versions. */

  @RestOperation(
    'getCategoryModel',
    'Read a model of a category',
    'Reads the highest version of the model, and lists all its versions under `models`.',
  )
  @Get('categories/:category/models/:model')
  @RegistryRead()
  @ApiOkResponse({
    type: CategoryModelView,
    description: 'The model and the list; with `pagesize=all` the list alone.',
  })
  async inCategory(
    @Param('category') category: string,
    @Param('model') model: string,
    @Query() query: RegistryListQuery,
  ): Promise<PageEnvelope | StreamedList> {
    return withHighestVersion(await this.answers.models(query, { category, model }), 'models');
  }

  @RestOperation(
    'deleteModel',
    'Delete a model',
    'Deletes one version of a model with its components and relationships.',
  )
  @Delete('models/:model')
  @RequiresRight(registryPolicy.delete)
  @ApiOkResponse({ type: ModelView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam('model', 'The id of the version of the model.') id: string,
    @IfMatch() match: Precondition,
  ): Promise<ModelView | undefined> {
    const [view] = await this.presenter.toModelViews([await this.registry.delete(actor, id, match)]);
    return view;
  }
}
