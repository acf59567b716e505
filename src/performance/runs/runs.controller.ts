import { Body, Controller, Get, Header, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { ListQuery } from '../../core/listing/list-query.js';
import { type PageEnvelope, toPageEnvelope } from '../../core/listing/page.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { RequiresRight } from '../../core/rest/rights/rights.decorators.js';
import { mergeSlices } from '../load/measurement.js';
import { toPercentileDistribution } from '../load/percentile-distribution.js';
import { performancePolicy } from '../profiles/performance.policy.js';
import { PerformanceQuery, RunRequest, RunsQuery } from '../profiles/profile.inputs.js';
import { ProfilesService } from '../profiles/profiles.service.js';
import { PerformanceResultPage, PerformanceResultView } from './result.view.js';
import { PerformanceRunPage, PerformanceRunView } from './run.view.js';
import { RunRequestsService } from './run-requests.service.js';
import { RunsService } from './runs.service.js';

@ApiTags('performance')
@Controller(['performance', 'user/performance'])
export class RunsController {
  constructor(
    private readonly runs: RunsService,
    private readonly requests: RunRequestsService,
  ) {}

  @RestOperation(
    'runPerformanceProfile',
    'Run a performance test',
    'Drives load as the profile says. The response is 202 with the run, whose id is also that of the operation and of the result.',
    { errors: [409, 429] },
  )
  @Post('profiles/:id/run')
  @RequiresRight(performancePolicy.run, ProfilesService)
  @HttpCode(202)
  @ApiAcceptedResponse({
    type: PerformanceRunView,
    description: 'The run was accepted and continues in the background.',
  })
  async run(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Body() input: RunRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PerformanceRunView> {
    const run = await this.requests.request(actor, id, input);
    response.location(`/api/operations/${run.id}`);
    return PerformanceRunView.fromEntity(run);
  }

  @RestOperation('listPerformanceProfileResults', 'List results of a profile', 'Lists the results of a profile.')
  @Get('profiles/:id/results')
  @RequiresRight(performancePolicy.read, ProfilesService)
  @ApiOkResponse({ type: PerformanceResultPage })
  async listProfileResults(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() query: ListQuery,
  ): Promise<PageEnvelope> {
    const page = await this.runs.listProfileResults(actor, id, query);
    return toPageEnvelope(page, 'results', PerformanceResultView.fromEntity);
  }

  @RestOperation('listPerformanceResults', 'List performance results', 'Lists the results that the caller sees.')
  @Get('results')
  @ApiOkResponse({ type: PerformanceResultPage })
  async listResults(@CurrentActor() actor: Actor, @Query() query: PerformanceQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.runs.listResults(actor, query), 'results', PerformanceResultView.fromEntity);
  }

  @RestOperation(
    'getPerformanceResult',
    'Read a performance result',
    'Reads a result with its timeline, its errors and the metrics of the server.',
  )
  @Get('results/:id')
  @ApiOkResponse({ type: PerformanceResultView })
  async getResult(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PerformanceResultView> {
    const { run, details } = await this.runs.getDetails(actor, id);
    return PerformanceResultView.fromDetails(run, details);
  }

  @RestOperation(
    'getPerformanceHistogram',
    'Read the histogram of a result',
    'The latencies in milliseconds as the percentile distribution of HdrHistogram (`.hgrm`).',
  )
  @Get('results/:id/histogram')
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @ApiProduces('text/plain')
  @ApiOkResponse({ description: 'The percentile distribution.', schema: { type: 'string' } })
  async histogram(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<string> {
    const { details } = await this.runs.getDetails(actor, id);
    return toPercentileDistribution(mergeSlices(details.measurement?.slices ?? []).latencies);
  }

  @RestOperation('listPerformanceRuns', 'List performance runs', 'Lists runs of every status.')
  @Get('runs')
  @ApiOkResponse({ type: PerformanceRunPage })
  async list(@CurrentActor() actor: Actor, @Query() query: RunsQuery): Promise<PageEnvelope> {
    return toPageEnvelope(await this.runs.listRuns(actor, query), 'runs', PerformanceRunView.fromEntity);
  }

  @RestOperation('getPerformanceRun', 'Read a performance run', 'Reads a run with its progress, second by second.')
  @Get('runs/:id')
  @ApiOkResponse({ type: PerformanceRunView })
  async get(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PerformanceRunView> {
    return PerformanceRunView.fromEntity(await this.runs.get(actor, id));
  }

  @RestOperation(
    'cancelPerformanceRun',
    'Cancel a performance run',
    'Cancels a run that is queued or running. What it has measured until then is its result.',
    { errors: [409] },
  )
  @Post('runs/:id/cancel')
  @RequiresRight(performancePolicy.cancel, RunsService)
  @HttpCode(200)
  @ApiOkResponse({ type: PerformanceRunView })
  async cancel(@CurrentActor() actor: Actor, @IdParam() id: string): Promise<PerformanceRunView> {
    return PerformanceRunView.fromEntity(await this.runs.cancel(actor, id));
  }
}
