import { Controller, Get, Header, Query } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { CurrentActor } from '../../core/access/access.decorators.js';
import { Actor } from '../../core/access/actor.js';
import { IdParam } from '../../core/rest/id.pipe.js';
import { RestOperation } from '../../core/rest/openapi/rest-operation.decorator.js';
import { ChartQuery, CompareQuery } from '../comparison/comparison.inputs.js';
import { ComparisonView } from '../comparison/comparison.view.js';
import { ComparisonsService } from '../comparison/comparisons.service.js';
import { RunsService } from '../runs/runs.service.js';
import { renderChart } from './chart.js';
import { ChartAnswer } from './chart-answer.js';
import { chartOfComparison, chartOfRun } from './performance-charts.js';

/** The content security policy of a chart that is opened directly: no scripts, no requests. */
const CONTENT_SECURITY_POLICY = "default-src 'none'; style-src 'unsafe-inline'";
const SVG = { description: 'An SVG document.', schema: { type: 'string' } } as const;

/** Comparisons and charts of results. */
@ApiTags('performance')
@Controller(['performance', 'user/performance'])
export class ChartsController {
  constructor(
    private readonly runs: RunsService,
    private readonly comparisons: ComparisonsService,
  ) {}

  @RestOperation(
    'comparePerformanceResults',
    'Compare performance results',
    'For each figure the difference of b to a with its interval of 95 %, and whether b is better, worse or the same.',
    { errors: [404, 409] },
  )
  @Get('compare')
  @ApiOkResponse({ type: ComparisonView })
  async compare(@CurrentActor() actor: Actor, @Query() query: CompareQuery): Promise<ComparisonView> {
    return ComparisonView.fromComparison(await this.comparisons.compare(actor, query));
  }

  @RestOperation(
    'renderPerformanceComparison',
    'Draw a comparison',
    'Draws latencies and throughput of two results beside one another.',
    { errors: [404, 409] },
  )
  @Get('compare/chart.svg')
  @Header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  @ApiProduces('image/svg+xml')
  @ApiOkResponse(SVG)
  async comparisonChart(@CurrentActor() actor: Actor, @Query() query: CompareQuery): Promise<ChartAnswer> {
    const compared = await this.comparisons.compare(actor, query);
    return new ChartAnswer([compared.a, compared.b], () =>
      renderChart(chartOfComparison(compared), query.theme ?? 'auto'),
    );
  }

  @RestOperation(
    'renderPerformanceChart',
    'Draw a performance result',
    'Draws latency percentiles and throughput over time.',
  )
  @Get('results/:id/chart.svg')
  @Header('Content-Security-Policy', CONTENT_SECURITY_POLICY)
  @ApiProduces('image/svg+xml')
  @ApiOkResponse(SVG)
  async chart(
    @CurrentActor() actor: Actor,
    @IdParam() id: string,
    @Query() { theme }: ChartQuery,
  ): Promise<ChartAnswer> {
    const { run, details } = await this.runs.getDetails(actor, id);
    return new ChartAnswer([run], () =>
      renderChart(chartOfRun(run, details.measurement ?? { slices: [] }), theme ?? 'auto'),
    );
  }
}
