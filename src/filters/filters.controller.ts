import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Post,
  Put,
  Query,
  Req,
  Res,
  type StreamableFile,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AuditedCall } from '../core/authorization/audited-call.js';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import type { PageEnvelope } from '../core/listing/page.js';
import { toStreamableFile } from '../core/rest/download.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { getFormFiles, AcceptsFiles } from '../core/rest/form-uploads.service.js';
import { CloneInput } from '../workspaces/workspace-owned/clone.input.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { FilterChange, FilterListQuery, NewFilter } from './filter.inputs.js';
import { filterPolicy } from './filter.policy.js';
import { FilterPage, FilterPreviewView, FilterView } from './filter.view.js';
import { FilterPresenter } from './filter.presenter.js';
import { FilterClonesService } from './filter-clones.service.js';
import { FilterCreationService } from './filter-creation.service.js';
import { FilterUpdatesService } from './filter-updates.service.js';
import { FiltersService } from './filters.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ApiFileResponse } from '../core/rest/openapi/schemas.js';

@ApiTags('filters')
@Controller('filter')
export class FiltersController {
  constructor(
    private readonly filters: FiltersService,
    private readonly creation: FilterCreationService,
    private readonly clones: FilterClonesService,
    private readonly updates: FilterUpdatesService,
    private readonly presenter: FilterPresenter,
  ) {}

  @RestOperation('listFilters', 'List filters', 'Lists the WebAssembly filters that the caller sees.')
  @Get()
  @ApiOkResponse({ type: FilterPage })
  async list(@CurrentActor() actor: Actor, @Query() query: FilterListQuery): Promise<PageEnvelope> {
    return this.presenter.toPage(await this.filters.list(actor, query), query.populate);
  }

  /** The module is the file of a form, `filter_data.filter_file` in base64, or fetched from `url`. */

  @RestOperation(
    'createFilter',
    'Create a filter',
    'Creates a filter from a WebAssembly module: the file of a form, `filter_data.filter_file` in base64, or a `url` that the server fetches. With `save: false` it is only checked, and the response is 200.',
    { errors: [502, 504] },
  )
  @Post()
  @RequiresBodyRight(filterPolicy.create, WorkspacePlacementService)
  @AcceptsFiles('file')
  @ApiCreatedResponse({ type: FilterView })
  @ApiOkResponse({ type: FilterPreviewView, description: 'With `save: false`: the filter as it would be created.' })
  async create(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() input: NewFilter,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FilterView> {
    return this.presenter.toWriteResponse(await this.creation.create(actor, input, getFormFiles(request)), response);
  }

  /** The module as it was sent. */

  @AuditedCall()
  @RestOperation('downloadFilter', 'Download a filter', 'Downloads the WebAssembly module as it was uploaded.')
  @Get('download/:id')
  @ApiFileResponse('The module, with its name in Content-Disposition.', 'application/wasm')
  async download(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<StreamableFile> {
    return toStreamableFile(await this.filters.download(actor, id));
  }

  /** A copy that belongs to the caller. */

  @RestOperation('cloneFilter', 'Clone a filter', 'Copies a filter that the caller may read into a workspace.', {
    location: '../{id}',
  })
  @Post('clone/:id')
  @RequiresRight(filterPolicy.clone, FiltersService)
  @RequiresBodyRight(filterPolicy.create, WorkspacePlacementService)
  @ApiCreatedResponse({ type: FilterView })
  async clone(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: CloneInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FilterView> {
    return this.presenter.toWriteResponse(await this.clones.clone(actor, id, input), response);
  }

  @RestOperation('getFilter', 'Read a filter', 'Reads a filter with its module.')
  @Get(':id')
  @ApiOkResponse({ type: FilterView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<FilterView> {
    return this.presenter.toView(await this.filters.get(actor, id));
  }

  @RestOperation(
    'updateFilter',
    'Update a filter',
    'Changes the fields that are sent; a new module replaces the old one.',
    { errors: [502, 504] },
  )
  @Put(':id')
  @RequiresRight(filterPolicy.update, FiltersService)
  @AcceptsFiles('file')
  @ApiOkResponse({ type: FilterView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Req() request: Request,
    @Body() input: FilterChange,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.toView(await this.updates.update(actor, id, input, getFormFiles(request), match));
  }

  @RestOperation('deleteFilter', 'Delete a filter', 'Deletes a filter softly; it can be restored.')
  @Delete(':id')
  @RequiresRight(filterPolicy.delete, FiltersService)
  @ApiOkResponse({ type: FilterView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.toViewWithoutModule(await this.filters.delete(actor, id, match));
  }

  @RestOperation('restoreFilter', 'Restore a filter', 'Restores a deleted filter.')
  @Post(':id/restore')
  @RequiresRight(filterPolicy.restore, FiltersService)
  @HttpCode(200)
  @ApiOkResponse({ type: FilterView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<FilterView> {
    return this.presenter.toViewWithoutModule(await this.filters.restore(actor, id));
  }
}
