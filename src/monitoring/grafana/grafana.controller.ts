import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { Actor } from '../../core/access/actor.js';
import { ShortListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import type { SerializedJson } from '../../core/rest/serialized-json.js';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { MonitoringPingView } from '../monitoring-ping.view.js';
import { MonitoringPingsService } from '../monitoring-pings.service.js';
import { GRAFANA, GrafanaService } from './grafana.service.js';
import {
  GrafanaBoardDetailView,
  GrafanaBoardPage,
  GrafanaBoardView,
  GrafanaDatasourcePage,
  GrafanaDatasourceView,
} from './grafana.view.js';

const ERRORS = { errors: [409, 502, 504] } as const;

@ApiTags('telemetry')
@Controller('telemetry/grafana/:connectionID')
export class GrafanaController {
  constructor(
    private readonly grafana: GrafanaService,
    private readonly pings: MonitoringPingsService,
  ) {}

  @AuditedCall()
  @RestOperation(
    'pingGrafana',
    'Check that Grafana responds',
    'Calls the Grafana server of a connection. The status of the connection stays as it is.',
    ERRORS,
  )
  @Get('ping')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: MonitoringPingView })
  ping(@CurrentActor() actor: Actor, @IdParam('connectionID') id: string): Promise<MonitoringPingView> {
    return this.pings.ping(actor, id, GRAFANA);
  }

  @AuditedCall()
  @RestOperation(
    'listGrafanaBoards',
    'List dashboards in Grafana',
    'Lists the dashboards that the credential of the connection sees, ordered by title; at most 5,000.',
    ERRORS,
  )
  @Get('boards')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: GrafanaBoardPage })
  async listBoards(
    @CurrentActor() actor: Actor,
    @IdParam('connectionID') id: string,
    @Query() query: ShortListQuery,
  ): Promise<PageEnvelope> {
    return toPageEnvelope(await this.grafana.listBoards(actor, id, query), 'boards', GrafanaBoardView.fromBoard);
  }

  @AuditedCall()
  @RestOperation(
    'getGrafanaBoard',
    'Read a dashboard in Grafana',
    'Reads the model of a dashboard: its panels, variables and queries.',
    ERRORS,
  )
  @Get('boards/:uid')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: GrafanaBoardDetailView })
  getBoard(
    @CurrentActor() actor: Actor,
    @IdParam('connectionID') id: string,
    @Param('uid') uid: string,
  ): Promise<SerializedJson> {
    return this.grafana.getBoard(actor, id, uid);
  }

  @AuditedCall()
  @RestOperation(
    'listGrafanaDatasources',
    'List data sources in Grafana',
    'Lists the data sources by name and type, without their addresses. Grafana returns them to its administrators only.',
    ERRORS,
  )
  @Get('datasources')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: GrafanaDatasourcePage })
  async listDatasources(
    @CurrentActor() actor: Actor,
    @IdParam('connectionID') id: string,
    @Query() query: ShortListQuery,
  ): Promise<PageEnvelope> {
    const sources = await this.grafana.listDatasources(actor, id, query);
    return toPageEnvelope(sources, 'datasources', GrafanaDatasourceView.fromDatasource);
  }
}
