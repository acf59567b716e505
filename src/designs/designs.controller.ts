import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { Caller } from '../core/access/public.js';
import { OrganizationQuery } from '../core/listing/list-query.js';
import type { Envelope } from '../core/listing/page.js';
import { Id } from '../core/rest/id.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { Requires, RequiresIn } from '../core/rest/rights/requires.js';
import { filesOf, TakesFiles } from '../core/rest/upload.js';
import { WrittenJson } from '../core/rest/written-json.js';
import { accepted, OperationView } from '../jobs/operations/operation.view.js';
import { Programs } from '../formats/programs/programs.js';
import { CloneInput } from '../workspaces/records/clone.input.js';
import { WorkspacePlacement } from '../workspaces/records/workspace-placement.js';
import { DesignChange, DesignImport, DesignListQuery, NewDesign } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignPage, DesignView } from './design.view.js';
import { DesignClones } from './design-clones.service.js';
import { DesignImports } from './design-imports.service.js';
import { DesignPresenter } from './design-presenter.js';
import { DesignRemoval } from './design-removal.service.js';
import { DesignWriter } from './design-writer.service.js';
import { DesignsService } from './designs.service.js';
import { DesignKnowledge } from './knowledge/design-knowledge.js';
import { DesignContents } from './versions/design-contents.js';
import { type DesignType, designTypes } from './formats/design-types.js';

@ApiTags('designs')
@ApiBearerAuth()
@Controller('api/pattern')
export class DesignsController {
  constructor(
    private readonly designs: DesignsService,
    private readonly writer: DesignWriter,
    private readonly removal: DesignRemoval,
    private readonly imports: DesignImports,
    private readonly clones: DesignClones,
    private readonly presenter: DesignPresenter,
    private readonly knowledge: DesignKnowledge,
    private readonly contents: DesignContents,
    private readonly programs: Programs,
  ) {}

  @Get()
  @ApiOkResponse({ type: DesignPage })
  async list(@Caller() actor: Actor, @Query() query: DesignListQuery): Promise<Envelope> {
    return this.presenter.page(await this.designs.list(actor, query), query.populate);
  }

  @Get('types')
  types(): Promise<DesignType[]> {
    return designTypes(this.programs);
  }

  @Post()
  @RequiresIn(designPolicy.create, WorkspacePlacement)
  @ApiCreatedResponse({ type: DesignView })
  async create(
    @Caller() actor: Actor,
    @Body() input: NewDesign,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.written(await this.writer.create(actor, input), response);
  }

  /** With `?async=true` it answers 202 and where to ask for the operation. */
  @Post('import')
  @RequiresIn(designPolicy.create, WorkspacePlacement)
  @TakesFiles()
  @ApiConsumes('multipart/form-data', 'application/json')
  @ApiCreatedResponse({ type: DesignView })
  async import(
    @Caller() actor: Actor,
    @Req() request: Request,
    @Body() input: DesignImport,
    @Query('async') later: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView | OperationView> {
    if (later === 'true') return accepted(response, await this.imports.begin(actor, input, filesOf(request)));
    return this.presenter.written(await this.writer.import(actor, input, filesOf(request)), response);
  }

  /** Of a design that the caller may read, those of the catalog included. */
  @Post('clone/:id')
  @Requires(designPolicy.clone, DesignsService)
  @RequiresIn(designPolicy.create, WorkspacePlacement)
  @ApiCreatedResponse({ type: DesignView })
  async clone(
    @Caller() actor: Actor,
    @Id() id: string,
    @Body() input: CloneInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.written(await this.clones.clone(actor, id, input), response);
  }

  @Get(':id')
  @ApiOkResponse({ type: DesignView })
  async get(@Caller() actor: Actor, @Id() id: string, @Query() query: DesignListQuery): Promise<DesignView> {
    const within = Object.assign(new OrganizationQuery(), { organization_id: query.organization_id });
    return this.presenter.whole(await this.designs.get(actor, id, within), query.populate);
  }

  /** Judges each component as the API server would, by what the registry knows. */
  @Get(':id/validate')
  async validate(@Caller() actor: Actor, @Id() id: string): Promise<WrittenJson> {
    return this.knowledge.validate(await this.contents.readPacked(await this.designs.get(actor, id)));
  }

  @Put(':sourcetype')
  @RequiresIn(designPolicy.update, DesignsService)
  @ApiOkResponse({ type: DesignView })
  async update(
    @Caller() actor: Actor,
    @Param('sourcetype') sourceType: string,
    @Body() input: DesignChange,
    @IfMatch() match: Precondition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.written(await this.writer.update(actor, sourceType, input, match), response);
  }

  @Delete(':id')
  @Requires(designPolicy.delete, DesignsService)
  @ApiOkResponse({ type: DesignView })
  async delete(
    @Caller() actor: Actor,
    @Id() id: string,
    @Query('undeploy') undeploy: string | undefined,
    @IfMatch() match: Precondition,
  ): Promise<DesignView> {
    return DesignView.of(await this.removal.delete(actor, id, match, undeploy === 'true'));
  }

  @Post(':id/restore')
  @Requires(designPolicy.restore, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DesignView })
  async restore(@Caller() actor: Actor, @Id() id: string): Promise<DesignView> {
    return DesignView.of(await this.removal.restore(actor, id));
  }
}
