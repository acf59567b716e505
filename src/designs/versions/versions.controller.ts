import { Body, Controller, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiCreatedResponse, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Actor } from '../../core/access/actor.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { IfMatch, Precondition } from '../../core/rest/precondition.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { DesignPresenter } from '../design.presenter.js';
import { designPolicy } from '../design.policy.js';
import { DesignView } from '../design.view.js';
import { DesignsService } from '../designs.service.js';
import { SnapshotPage, SnapshotView } from './snapshot.view.js';
import { SnapshotsService } from './snapshots.service.js';
import { DiffQuery, NewSnapshot, Restoration, VersionNumber } from './version.inputs.js';
import { VersionPage, VersionView } from './version.view.js';
import { type VersionDiff, VersionsService } from './versions.service.js';

/** The history of a design. */
@ApiTags('designs')
@ApiBearerAuth()
@Controller('api/pattern/:id')
export class VersionsController {
  constructor(
    private readonly versions: VersionsService,
    private readonly snapshots: SnapshotsService,
    private readonly presenter: DesignPresenter,
  ) {}

  @Get('versions')
  @ApiOkResponse({ type: VersionPage })
  async list(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: ListQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.versions.list(actor, id, query), 'versions', (view) => view);
  }

  @Get('versions/:number')
  @ApiParam({ name: 'number', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: VersionView })
  get(@CurrentActor() actor: Actor, @IdParam() id: string, @VersionNumber() number: number): Promise<VersionView> {
    return this.versions.get(actor, id, number);
  }

  /** Makes what an earlier version holds the next version. */
  @Post('versions/:number/restore')
  @RequiresRight(designPolicy.update, DesignsService)
  @HttpCode(200)
  @ApiParam({ name: 'number', schema: { type: 'integer', minimum: 1 } })
  @ApiOkResponse({ type: DesignView })
  async restore(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @VersionNumber() number: number,
    @Body() input: Restoration,
    @IfMatch() match: Precondition,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DesignView> {
    return this.presenter.toWriteResponse(await this.versions.restore(actor, id, number, input, match), response);
  }

  /** What differs in meaning: reordered keys, and reordered lists whose items have an identity, do not. */
  @Get('diff')
  diff(@CurrentActor() actor: Actor, @IdParam() id: string, @Query() query: DiffQuery): Promise<VersionDiff> {
    return this.versions.diff(actor, id, query);
  }

  @Get('snapshots')
  @ApiOkResponse({ type: SnapshotPage })
  async listSnapshots(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.snapshots.list(actor, id, query), 'snapshots', SnapshotView.fromEntity);
  }

  /** Names the current version, or the one that is given, for ever. */
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
