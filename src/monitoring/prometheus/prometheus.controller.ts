import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { AuditedCall } from '../../core/authorization/audited-call.js';
import { CurrentActor } from '../../core/access/access.decorators.js';
import type { Actor } from '../../core/access/actor.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import type { SerializedJson } from '../../core/rest/serialized-json.js';
import { connectionPolicy } from '../../connections/connection.policy.js';
import { ConnectionsService } from '../../connections/connections.service.js';
import { MonitoringPingView } from '../monitoring-ping.view.js';
import { MonitoringPingsService } from '../monitoring-pings.service.js';
import { InstantQuery, LabelsQuery, MetadataQuery, RangeQuery } from './prometheus.inputs.js';
import { PROMETHEUS, PrometheusService } from './prometheus.service.js';
import { PrometheusAnswerView } from './prometheus.view.js';

const ERRORS = { errors: [409, 502, 504] } as const;

@ApiTags('telemetry')
@Controller('telemetry/prometheus/:connectionID')
export class PrometheusController {
  constructor(
    private readonly prometheus: PrometheusService,
    private readonly pings: MonitoringPingsService,
  ) {}

  @AuditedCall()
  @RestOperation(
    'pingPrometheus',
    'Check that Prometheus responds',
    'Calls the Prometheus server of a connection. The status of the connection stays as it is.',
    ERRORS,
  )
  @Get('ping')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: MonitoringPingView })
  ping(@CurrentActor() actor: Actor, @IdParam('connectionID') id: string): Promise<MonitoringPingView> {
    return this.pings.ping(actor, id, PROMETHEUS);
  }

  @AuditedCall()
  @RestOperation(
    'queryPrometheus',
    'Query Prometheus at one time',
    'Evaluates an expression of PromQL. The response is that of Prometheus.',
    ERRORS,
  )
  @Get('query')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: PrometheusAnswerView })
  query(
    @CurrentActor() actor: Actor,
    @IdParam('connectionID') id: string,
    @Query() query: InstantQuery,
  ): Promise<SerializedJson> {
    return this.prometheus.query(actor, id, query);
  }

  @AuditedCall()
  @RestOperation(
    'queryPrometheusRange',
    'Query Prometheus over a range of time',
    'Evaluates an expression of PromQL at each step from start to end: at most 11,000 points of each series.',
    ERRORS,
  )
  @Get('query_range')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: PrometheusAnswerView })
  queryRange(
    @CurrentActor() actor: Actor,
    @IdParam('connectionID') id: string,
    @Query() query: RangeQuery,
  ): Promise<SerializedJson> {
    return this.prometheus.queryRange(actor, id, query);
  }

  @AuditedCall()
  @RestOperation(
    'listPrometheusLabels',
    'List labels in Prometheus',
    'Lists the names of labels that series have.',
    ERRORS,
  )
  @Get('labels')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: PrometheusAnswerView })
  listLabels(
    @CurrentActor() actor: Actor,
    @IdParam('connectionID') id: string,
    @Query() query: LabelsQuery,
  ): Promise<SerializedJson> {
    return this.prometheus.listLabels(actor, id, query);
  }

  @AuditedCall()
  @RestOperation(
    'listPrometheusMetadata',
    'List metadata of metrics in Prometheus',
    'Lists the type, the help and the unit of each metric that is scraped.',
    ERRORS,
  )
  @Get('metadata')
  @RequiresRight(connectionPolicy.read, ConnectionsService, 'connectionID')
  @ApiOkResponse({ type: PrometheusAnswerView })
  listMetadata(
    @CurrentActor() actor: Actor,
    @IdParam('connectionID') id: string,
    @Query() query: MetadataQuery,
  ): Promise<SerializedJson> {
    return this.prometheus.listMetadata(actor, id, query);
  }
}
