import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiConsumes, ApiCreatedResponse, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { OrganizationQuery } from '../core/listing/list-query.js';
import type { PageEnvelope } from '../core/listing/page.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresRight, RequiresBodyRight } from '../core/rest/rights/rights.decorators.js';
import { getFormFiles, AcceptsFiles } from '../core/rest/form-uploads.service.js';
import { SerializedJson } from '../core/rest/serialized-json.js';
import { respondAccepted, OperationView } from '../jobs/operations/operation.view.js';
import { LocalRenderEngines } from '../formats/engines/local-render-engines.js';
import { CloneInput } from '../workspaces/workspace-owned/clone.input.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { DesignChange, DesignImport, DesignListQuery, NewDesign } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignPage, DesignView } from './design.view.js';
import { DesignClonesService } from './design-clones.service.js';
import { DesignImportsService } from './design-imports.service.js';
import { DesignPresenter } from './design.presenter.js';
import { DesignRemovalService } from './design-removal.service.js';
import { DesignWriter } from './design-writer.service.js';
import { DesignsService } from './designs.service.js';
import { DesignEnrichmentService } from './enrichment/design-enrichment.service.js';
import { DesignContentsStore } from './versions/design-contents.store.js';
import { type DesignType, listDesignTypes } from './formats/design-types.js';

@ApiTags('designs')
@ApiBearerAuth()
@Controller('api/pattern')
export class DesignsController {
  constructor(
    private readonly designs: DesignsService,
    private readonly writer: DesignWriter,
    private readonly removal: DesignRemovalService,
    private readonly imports: DesignImportsService,
    private readonly clones: DesignClonesService,
    private readonly presenter: DesignPresenter,
    private readonly knowledge: DesignEnrichmentService,
    private readonly contents: DesignContentsStore,
    private readonly programs: LocalRenderEngines,
  ) {}

  @Get()
  @ApiOkResponse({ type: DesignPage })
  async list(@CurrentActor() actor: Actor, @Query() query: DesignListQuery): Promise<PageEnvelope> {
    return this.presenter.toEnvelope(await this.designs.list(actor, query), query.populate);
  }

  @Get('types')
  types(): Promise<DesignType[]> {
    return listDesignTypes(this.programs);
  }

  @Post()
  @RequiresBodyRight(designPolicy.create, WorkspacePlacementService)
  @ApiCreatedResponse({ type: DesignView })
  async create(
    @CurrentActor() actor: Actor,
    @Body() input: NewDesign,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.toWriteResponse(await this.writer.create(actor, input), response);
  }

  /** With `?async=true` it answers 202 and where to ask for the operation. */
  @Post('import')
  @RequiresBodyRight(designPolicy.create, WorkspacePlacementService)
  @AcceptsFiles()
  @ApiConsumes('multipart/form-data', 'application/json')
  @ApiCreatedResponse({ type: DesignView })
  async import(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() input: DesignImport,
    @Query('async') later: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView | OperationView> {
    if (later === 'true')
      return respondAccepted(response, await this.imports.enqueue(actor, input, getFormFiles(request)));
    return this.presenter.toWriteResponse(await this.writer.import(actor, input, getFormFiles(request)), response);
  }

  /** Of a design that the caller may read, those of the catalog included. */
  @Post('clone/:id')
  @RequiresRight(designPolicy.clone, DesignsService)
  @RequiresBodyRight(designPolicy.create, WorkspacePlacementService)
  @ApiCreatedResponse({ type: DesignView })
  async clone(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: CloneInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.toWriteResponse(await this.clones.clone(actor, id, input), response);
  }

  @Get(':id')
  @ApiOkResponse({ type: DesignView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: DesignListQuery): Promise<DesignView> {
    const within = Object.assign(new OrganizationQuery(), { organization_id: query.organization_id });
    return this.presenter.toDetailView(await this.designs.get(actor, id, within), query.populate);
  }

  /** Judges each component as the API server would, by what the registry knows. */
  @Get(':id/validate')
  async validate(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<SerializedJson> {
    return this.knowledge.validate(await this.contents.readPacked(await this.designs.get(actor, id)));
  }

  @Put(':sourcetype')
  @RequiresBodyRight(designPolicy.update, DesignsService)
  @ApiOkResponse({ type: DesignView })
  async update(
    @CurrentActor() actor: Actor,
    @Param('sourcetype') sourceType: string,
    @Body() input: DesignChange,
    @IfMatch() match: Precondition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.toWriteResponse(await this.writer.update(actor, sourceType, input, match), response);
  }

  @Delete(':id')
  @RequiresRight(designPolicy.delete, DesignsService)
  @ApiOkResponse({ type: DesignView })
  async delete(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query('undeploy') undeploy: string | undefined,
    @IfMatch() match: Precondition,
  ): Promise<DesignView> {
    return DesignView.fromEntity(await this.removal.delete(actor, id, match, undeploy === 'true'));
  }

  @Post(':id/restore')
  @RequiresRight(designPolicy.restore, DesignsService)
  @HttpCode(200)
  @ApiOkResponse({ type: DesignView })
  async restore(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<DesignView> {
    return DesignView.fromEntity(await this.removal.restore(actor, id));
  }
}
