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
import { Caller } from '../core/access/public.js';
import type { Envelope } from '../core/listing/page.js';
import { sendFile } from '../core/rest/download.js';
import { Id } from '../core/rest/id.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { Requires, RequiresIn } from '../core/rest/rights/requires.js';
import { filesOf, TakesFiles } from '../core/rest/upload.js';
import { CloneInput } from '../workspaces/records/clone.input.js';
import { WorkspacePlacement } from '../workspaces/records/workspace-placement.js';
import { FilterChange, NewFilter } from './filter.inputs.js';
import { WorkspaceRecordQuery } from '../workspaces/records/workspace-record.query.js';
import { filterPolicy } from './filter.policy.js';
import { FilterPage, FilterView } from './filter.view.js';
import { FilterPresenter } from './filter-presenter.js';
import { FilterWriter } from './filter-writer.service.js';
import { FiltersService } from './filters.service.js';

@ApiTags('filters')
@ApiBearerAuth()
@Controller('api/filter')
export class FiltersController {
  constructor(
    private readonly filters: FiltersService,
    private readonly writer: FilterWriter,
    private readonly presenter: FilterPresenter,
  ) {}

  @Get()
  @ApiOkResponse({ type: FilterPage })
  async list(@Caller() actor: Actor, @Query() query: WorkspaceRecordQuery): Promise<Envelope> {
    return this.presenter.page(await this.filters.list(actor, query), query.populate);
  }

  /** The module is the file of a form, `filter_data.filter_file` in base64, or fetched from `url`. */
  @Post()
  @RequiresIn(filterPolicy.create, WorkspacePlacement)
  @TakesFiles()
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiCreatedResponse({ type: FilterView })
  async create(
    @Caller() actor: Actor,
    @Req() request: Request,
    @Body() input: NewFilter,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FilterView> {
    return this.presenter.written(await this.writer.create(actor, input, filesOf(request)), response);
  }

  /** The module as it was sent. */
  @Get('download/:id')
  @ApiProduces('application/wasm')
  @ApiOkResponse({ description: 'The module, with its name in Content-Disposition.' })
  async download(@Caller() actor: Actor, @Id() id: string): Promise<StreamableFile> {
    return sendFile(await this.filters.download(actor, id));
  }

  /** A copy that belongs to the caller. */
  @Post('clone/:id')
  @Requires(filterPolicy.clone, FiltersService)
  @RequiresIn(filterPolicy.create, WorkspacePlacement)
  @ApiCreatedResponse({ type: FilterView })
  async clone(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: CloneInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<FilterView> {
    return this.presenter.written(await this.writer.clone(actor, id, input), response);
  }

  @Get(':id')
  @ApiOkResponse({ type: FilterView })
  async get(@Caller() actor: Actor, @Id() id: string): Promise<FilterView> {
    return this.presenter.whole(await this.filters.get(actor, id));
  }

  @Put(':id')
  @Requires(filterPolicy.update, FiltersService)
  @TakesFiles()
  @ApiConsumes('application/json', 'multipart/form-data')
  @ApiOkResponse({ type: FilterView })
  async update(
    @Caller() actor: Actor,
    @Id() id: string,
    @Req() request: Request,
    @Body() input: FilterChange,
    @IfMatch() match: Precondition,
  ): Promise<FilterView> {
    return this.presenter.whole(await this.writer.update(actor, id, input, filesOf(request), match));
  }

  @Delete(':id')
  @Requires(filterPolicy.delete, FiltersService)
  @ApiOkResponse({ type: FilterView })
  async delete(@Caller() actor: Actor, @Id() id: string, @IfMatch() match: Precondition): Promise<FilterView> {
    return this.presenter.plain(await this.filters.delete(actor, id, match));
  }

  @Post(':id/restore')
  @Requires(filterPolicy.restore, FiltersService)
  @HttpCode(200)
  @ApiOkResponse({ type: FilterView })
  async restore(@Caller() actor: Actor, @Id() id: string): Promise<FilterView> {
    return this.presenter.plain(await this.filters.restore(actor, id));
  }
}
