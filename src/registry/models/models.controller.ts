import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { RegistryRead } from '../../core/access/registry-read.decorator.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { RegistryListsService, type RegistryList, withHighestVersion } from '../registry-lists.service.js';
import { RegistryListQuery } from '../entities/registry-list.query.js';
import { RegistryPresenter } from '../registry.presenter.js';
import { registryPolicy } from '../registry.policy.js';
import { RegistryService } from '../registry.service.js';
import { ModelPage, ModelView } from './model.view.js';

/** Lists take `pagesize=all`, which is streamed. */
@ApiTags('registry: models')
@ApiBearerAuth()
@Controller(['api/meshmodels', 'api/registry'])
export class ModelsController {
  constructor(
    private readonly registry: RegistryService,
    private readonly answers: RegistryListsService,
    private readonly presenter: RegistryPresenter,
  ) {}

  /** One row for each registrant and name: its highest version. With `version`, one for each record of that version. */
  @Get('models')
  @RegistryRead()
  @ApiOkResponse({ type: ModelPage })
  list(@Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.models(query, {});
  }

  /** All versions of the model, each a row. */
  @Get('models/:model')
  @RegistryRead()
  @ApiOkResponse({ type: ModelPage })
  versions(@Param('model') model: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.models(query, { model });
  }

  @Get('categories/:category/models')
  @RegistryRead()
  @ApiOkResponse({ type: ModelPage })
  ofCategory(@Param('category') category: string, @Query() query: RegistryListQuery): Promise<RegistryList> {
    return this.answers.models(query, { category });
  }

  /** The model of its highest version, and under `models` all its versions. */
  @Get('categories/:category/models/:model')
  @RegistryRead()
  @ApiOkResponse({ type: ModelPage })
  async inCategory(
    @Param('category') category: string,
    @Param('model') model: string,
    @Query() query: RegistryListQuery,
  ): Promise<RegistryList> {
    return withHighestVersion(await this.answers.models(query, { category, model }), 'models');
  }

  @Delete('models/:id')
  @RequiresRight(registryPolicy.delete)
  @ApiOkResponse({ type: ModelView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<ModelView | undefined> {
    const [view] = await this.presenter.toModelViews([await this.registry.delete(actor, id, match)]);
    return view;
  }
}
