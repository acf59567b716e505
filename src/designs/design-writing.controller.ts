import { Body, Controller, Param, Post, Put, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOkResponse, ApiTags, ApiParam } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Actor } from '../core/access/actor.js';
import { CurrentActor } from '../core/access/access.decorators.js';
import { AcceptsFiles, getFormFiles } from '../core/rest/form-uploads.service.js';
import { IdParam } from '../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../core/rest/precondition.js';
import { RequiresBodyRight, RequiresRight, RequiresRightOfId } from '../core/rest/rights/rights.decorators.js';
import { OperationView, respondAccepted } from '../jobs/operations/operation.view.js';
import { CloneInput } from '../workspaces/workspace-owned/clone.input.js';
import { WorkspacePlacementService } from '../workspaces/workspace-owned/workspace-placement.service.js';
import { ClusterImportView } from './from-cluster/cluster-import.view.js';
import { ClusterImportsService } from './cluster-imports.service.js';
import { parseClusterQuery } from './cluster-query.js';
import { DesignChange, DesignImport, isSaved, NewDesign } from './design.inputs.js';
import { designPolicy } from './design.policy.js';
import { DesignPresenter } from './design.presenter.js';
import { DesignPreviewView, type DesignView, WrittenDesignView } from './design.view.js';
import { DesignChangesService } from './design-changes.service.js';
import { DesignClonesService } from './design-clones.service.js';
import { DesignCreationService } from './design-creation.service.js';
import { DesignImportRights } from './design-import-rights.service.js';
import { DesignImportsService } from './design-imports.service.js';
import { DesignsService } from './designs.service.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { anyOf, ApiFlagQuery } from '../core/rest/openapi/schemas.js';
import { MayRunAsync } from '../jobs/operations/may-run-async.decorator.js';
import { SOURCE_TYPE_SEGMENTS } from './formats/source-type.js';
import { FlagQuery } from '../core/rest/flag.pipe.js';

/** Writes the content of designs. */
@ApiTags('designs')
@Controller('pattern')
export class DesignWritingController {
  constructor(
    private readonly creation: DesignCreationService,
    private readonly imports: DesignImportsService,
    private readonly clusters: ClusterImportsService,
    private readonly clones: DesignClonesService,
    private readonly changes: DesignChangesService,
    private readonly presenter: DesignPresenter,
  ) {}

  @RestOperation(
    'createDesign',
    'Create a design',
    'Creates a design from `pattern_data`. With `save: false` it is only parsed, and the response is 200.',
    { errors: [502, 504] },
  )
  @Post()
  @RequiresBodyRight(designPolicy.create, WorkspacePlacementService)
  @ApiCreatedResponse({ type: WrittenDesignView })
  @ApiOkResponse({ type: DesignPreviewView, description: 'With `save: false`: the design as it would be created.' })
  async create(
    @CurrentActor() actor: Actor,
    @Body() input: NewDesign,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.toWriteResponse(await this.creation.create(actor, input), response);
  }

  /** With `?async=true`, responds with 202 and the URL of the operation. */

  @RestOperation(
    'importDesign',
    'Import a design',
    'Imports a design from an uploaded file, `file` in base64, or a `url` that the server fetches. The format is detected by content, or is ' +
      'the one of `type`; `path` chooses a part of an archive. With `id` it becomes the next version of that design, and the response is 200. ' +
      'With `save: false` or `preview` it is only parsed, at once also with `async`: the response is 200, with the warnings and a picture, and nothing is stored. With `connection_id` in place of a ' +
      'file, what authors have put into `namespaces` of that cluster becomes designs: objects that refer to one another are one, without what the ' +
      'cluster has added, and `left_out` says of each other object why it is none. Values of Secrets are shown to nobody.',
    { errors: [502, 504], location: '{id}' },
  )
  @Post('import')
  @RequiresBodyRight(designPolicy.create, DesignImportRights)
  @AcceptsFiles('file')
  @ApiCreatedResponse({
    schema: anyOf(WrittenDesignView, ClusterImportView),
    description: 'The design; with `connection_id`: the designs.',
  })
  @ApiExtraModels(WrittenDesignView, DesignPreviewView, ClusterImportView)
  @ApiOkResponse({
    schema: anyOf(WrittenDesignView, DesignPreviewView, ClusterImportView),
    description: 'With `id`: the design in its next version. With `save: false` or `preview`: what would be imported.',
  })
  @ApiFlagQuery('preview', 'The same as in the body.')
  @MayRunAsync()
  async import(
    @CurrentActor() actor: Actor,
    @Req() request: Request,
    @Body() input: DesignImport,
    @FlagQuery('async') later: boolean,
    @FlagQuery('preview') preview: boolean,
    @IfMatch() match: Precondition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView | ClusterImportView | OperationView> {
    if (preview) input.preview = true;
    const files = getFormFiles(request);
    const query = parseClusterQuery(input, files.length > 0);
    if (later && isSaved(input)) return respondAccepted(response, await this.imports.enqueue(actor, input, files));
    if (query) {
      if (query.isPreview) response.status(200);
      return this.clusters.import(actor, input, query);
    }
    const imported = await this.creation.import(actor, input, files, match);
    return this.presenter.toWriteResponse(imported, response);
  }

  /** Requires the right to read the design; designs of the catalog can be cloned by everyone. */

  @RestOperation(
    'cloneDesign',
    'Clone a design',
    'Copies a design that the caller may read, including those of the catalog, into a workspace.',
    { location: '../{id}' },
  )
  @Post('clone/:id')
  @RequiresRight(designPolicy.clone, DesignsService)
  @RequiresBodyRight(designPolicy.create, WorkspacePlacementService)
  @ApiCreatedResponse({ type: WrittenDesignView })
  async clone(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: CloneInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.toWriteResponse(await this.clones.clone(actor, id, input), response);
  }

  @RestOperation(
    'updateDesign',
    'Update a design',
    'Changes a design. In place of its id the path may name the format of the new content, with the `id` in the ' +
      'body. The content is sent in `pattern_data`, as an uploaded file, as `file` in base64, or behind a `url`. Settings alone ' +
      '(`values`, `namespace`, `release_name`, `env`, `path`) read the stored source again.',
    { errors: [502, 504] },
  )
  @Put(':id')
  @ApiParam({
    name: 'id',
    description: 'The id of the design, or the format of the new content.',
    schema: {
      anyOf: [
        { type: 'string', format: 'uuid' },
        { type: 'string', enum: SOURCE_TYPE_SEGMENTS },
      ],
    },
  })
  @RequiresRightOfId(designPolicy.update, DesignsService, 'id')
  @RequiresBodyRight(designPolicy.update, DesignsService)
  @AcceptsFiles('file')
  @ApiExtraModels(WrittenDesignView, DesignPreviewView)
  @ApiOkResponse({
    schema: anyOf(WrittenDesignView, DesignPreviewView),
    description: 'The design; with `save: false` as it would be.',
  })
  async update(
    @CurrentActor() actor: Actor,
    @Param('id') target: string,
    @Req() request: Request,
    @Body() input: DesignChange,
    @IfMatch() match: Precondition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    const changed = await this.changes.update(actor, target, input, getFormFiles(request), match);
    return this.presenter.toWriteResponse(changed, response);
  }
}
