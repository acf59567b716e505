import { Body, Controller, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { DesignPresenter } from '../design.presenter.js';
import { designPolicy } from '../design.policy.js';
import { type DesignView, WrittenDesignView } from '../design.view.js';
import { DesignsService } from '../designs.service.js';
import { SnapshotPage, SnapshotView } from './snapshot.view.js';
import { SnapshotsService } from './snapshots.service.js';
import { DiffQuery, NewSnapshot, Restoration } from './version.inputs.js';
import { VersionPage, VersionView } from './version.view.js';
import { VersionDiffView } from './version-diff.view.js';
import { type VersionDiff, VersionDiffsService } from './version-diffs.service.js';
import { VersionsService } from './versions.service.js';

const VersionParam = (): MethodDecorator =>
  ApiParam({
    name: 'number',
    description: 'The number of a version, or the name of a snapshot.',
    schema: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'string' }] },
  });

/** The version history of a design. */
@ApiTags('designs')
@Controller('pattern/:id')
export class VersionsController {
  constructor(
    private readonly versions: VersionsService,
    private readonly diffs: VersionDiffsService,
    private readonly snapshots: SnapshotsService,
    private readonly presenter: DesignPresenter,
  ) {}

  @RestOperation(
    'listDesignVersions',
    'List versions of a design',
    'Lists the versions of a design, without their content.',
  )
  @Get('versions')
  @ApiOkResponse({ type: VersionPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.versions.list(actor, id, query), 'versions', (view) => view);
  }

  @RestOperation('getDesignVersion', 'Read a version of a design', 'Reads a version of a design with its design file.')
  @Get('versions/:number')
  @VersionParam()
  @ApiOkResponse({ type: VersionView })
  get(@CurrentActor() actor: Actor, @IdParam() id: string, @Param('number') reference: string): Promise<VersionView> {
    return this.versions.get(actor, id, reference);
  }

  @RestOperation(
    'restoreDesignVersion',
    'Restore a version of a design',
    'Makes the content of an earlier version the next version. Restoring the current content creates no version.',
  )
  @Post('versions/:number/restore')
  @RequiresRight(designPolicy.update, DesignsService)
  @HttpCode(200)
  @VersionParam()
  @ApiOkResponse({ type: WrittenDesignView })
  async restore(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Param('number') reference: string,
    @Body() input: Restoration,
    @IfMatch() match: Precondition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.toWriteResponse(await this.versions.restore(actor, id, reference, input, match), response);
  }

  @RestOperation(
    'compareDesignVersions',
    'Compare versions of a design',
    'Lists what differs in meaning between two versions: reordered keys do not count, nor do reordered lists whose items have an identity.',
  )
  @Get('diff')
  @ApiOkResponse({ type: VersionDiffView })
  diff(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: DiffQuery): Promise<VersionDiff> {
    return this.diffs.diff(actor, id, query);
  }

  @RestOperation('listDesignSnapshots', 'List snapshots of a design', 'Lists the named versions of a design.')
  @Get('snapshots')
  @ApiOkResponse({ type: SnapshotPage })
  async listSnapshots(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.snapshots.list(actor, id, query), 'snapshots', SnapshotView.fromEntity);
  }

  @RestOperation(
    'createDesignSnapshot',
    'Create a snapshot of a design',
    'Names the current version, or the given one, permanently.',
    { location: 'versions/{number}' },
  )
  @Post('snapshots')
  @RequiresRight(designPolicy.snapshot, DesignsService)
  @ApiCreatedResponse({ type: SnapshotView })
  async createSnapshot(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: NewSnapshot,
  ): Promise<SnapshotView> {
    return SnapshotView.fromEntity(await this.snapshots.create(actor, id, input));
  }
}
