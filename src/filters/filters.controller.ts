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
import { ApiBearerAuth, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
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
import { FilterChange, NewFilter } from './filter.inputs.js';
import { WorkspaceOwnedQuery } from '../workspaces/workspace-owned/workspace-owned.query.js';
import { filterPolicy } from './filter.policy.js';
import { FilterPage, FilterView } from './filter.view.js';
import { FilterPresenter } from './filter.presenter.js';
import { FilterWriterService } from './filter-writer.service.js';
import { FiltersService } from './filters.service.js';

@ApiTags('filters')
@ApiBearerAuth()
@Controller('api/filter')
export class FiltersController {
  constructor(
    private readonly filters: FiltersService,
    private readonly writer: FilterWriterService,
    private readonly presenter: FilterPresenter,
  ) {}

  @Get()
  @ApiOkResponse({ type: FilterPage })
  async list(@CurrentActor() actor: Actor, @Query() query: WorkspaceOwnedQuery): Promise<PageEnvelope> {
    return this.presenter.toPage(await this.filters.list(actor, query), query.populate);
  }

  /** The module is the file of a form, `filter_data.filter_file` in base64, or fetched from `url`. */
  @Post()
  @RequiresBodyRight(filterPolicy.create, WorkspacePlacementService)
  @AcceptsFiles()
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiCreatedResponse({ type: FilterView })
  async create(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() input: NewFilter,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FilterView> {
    return this.presenter.toWriteResponse(await this.writer.create(actor, input, getFormFiles(request)), response);
  }

  /** The module as it was sent. */
  @Get('download/:id')
  @ApiProduces('application/wasm')
  @ApiOkResponse({ description: 'The module, with its name in Content-Disposition.' })
  async download(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<StreamableFile> {
    return toStreamableFile(await this.filters.download(actor, id));
  }

  /** A copy that belongs to the caller. */
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
    return this.presenter.toWriteResponse(await this.writer.clone(actor, id, input), response);
  }

  @Get(':id')
  @ApiOkResponse({ type: FilterView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<FilterView> {
    return this.presenter.toView(await this.filters.get(actor, id));
  }

  @Put(':id')
  @RequiresRight(filterPolicy.update, FiltersService)
  @AcceptsFiles()
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiOkResponse({ type: FilterView })
  async update(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Req() request: Request,
    @Body() input: FilterChange,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.toView(await this.writer.update(actor, id, input, getFormFiles(request), match));
  }

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

  @Post(':id/restore')
  @RequiresRight(filterPolicy.restore, FiltersService)
  @HttpCode(200)
  @ApiOkResponse({ type: FilterView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<FilterView> {
    return this.presenter.toViewWithoutModule(await this.filters.restore(actor, id));
  }
}
