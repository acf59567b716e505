import { Controller, Delete, Get, Param, Query } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Actor } from '../../core/access/actor.js';
import { Caller } from '../../core/access/public.js';
import { RegistryRead } from '../../core/access/registry-read.js';
import { Id } from '../../core/rest/id.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { Requires } from '../../core/rest/rights/requires.js';
import { RegistryAnswers, type RegistryList, withTheOne } from '../registry-answers.js';
import { RegistryListQuery } from '../registry-list-query.js';
import { RegistryPresenter } from '../registry-presenter.js';
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
    private readonly answers: RegistryAnswers,
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
    return withTheOne(await this.answers.models(query, { category, model }), 'models');
  }

  @Delete('models/:id')
  @Requires(registryPolicy.delete)
  @ApiOkResponse({ type: ModelView })
  async delete(
    @Caller() actor: Actor,
    @Id() id: string,
    @IfMatch() match: Precondition,
  ): Promise<ModelView | undefined> {
    const [view] = await this.presenter.models([await this.registry.delete(actor, id, match)]);
    return view;
  }
}
