import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import type { PageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { ClusterResourcesService } from '../../kubernetes/resources/cluster-resources.service.js';
import { ClusterResourceListQuery, ResourceSummaryQuery } from '../../kubernetes/resources/resource.inputs.js';
import { resourcePolicy } from '../../kubernetes/resources/resource.policy.js';
import { ClusterResourcePage, ClusterResourceView, ResourceSummaryView } from './cluster-resource.view.js';
import { RunningResourcesService } from './running-resources.service.js';

@ApiTags('resources')
@Controller('system/meshsync/resources')
export class ClusterResourcesController {
  constructor(
    private readonly resources: ClusterResourcesService,
    private readonly running: RunningResourcesService,
  ) {}

  @RestOperation(
    'listClusterResources',
    'List resources of clusters',
    'Lists what runs on the connected clusters that the caller sees, as the watch of each cluster keeps it.',
  )
  @Get()
  @RequiresRight(resourcePolicy.read)
  @ApiOkResponse({ type: ClusterResourcePage })
  list(@CurrentActor() actor: Actor, @Query() query: ClusterResourceListQuery): Promise<PageEnvelope> {
    return this.running.list(actor, query);
  }

  @RestOperation(
    'getClusterResourcesSummary',
    'Count resources of clusters',
    'Counts what runs by kind, namespace and label, and reports the status of the watch of each cluster and the kinds it may not read.',
  )
  @Get('summary')
  @RequiresRight(resourcePolicy.read)
  @ApiOkResponse({ type: ResourceSummaryView })
  summary(@CurrentActor() actor: Actor, @Query() query: ResourceSummaryQuery): Promise<ResourceSummaryView> {
    return this.resources.getSummary(actor, query);
  }

  @RestOperation(
    'getClusterResource',
    'Read a resource of a cluster',
    'Reads one resource with its content: without managed fields, secret values as sizes.',
  )
  @Get(':id')
  @RequiresRight(resourcePolicy.read, ClusterResourcesService)
  @ApiOkResponse({ type: ClusterResourceView })
  get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<ClusterResourceView> {
    return this.running.get(actor, id);
  }
}
