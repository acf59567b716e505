import { timingSafeEqual } from 'node:crypto';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags, ApiOkResponse } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../core/access/access.decorators.js';
import { Env } from '../core/config/env.js';
import { Unauthenticated } from '../core/errors/app-error.js';
import { Metrics } from '../core/telemetry/metrics.service.js';
import { VERSION } from './version.js';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { VersionInfoView } from './health.view.js';

@ApiTags('health')
@Controller()
export class SystemController {
  constructor(
    private readonly metrics: Metrics,
    private readonly env: Env,
  ) {}

  @RestOperation('getVersion', 'Read the version', 'Returns the versions of the server and of the API.')
  @Public()
  @Get('system/version')
  @ApiOkResponse({ type: VersionInfoView })
  version(): typeof VERSION {
    return VERSION;
  }

  /** Metrics in Prometheus text format, for callers on loopback and callers with METRICS_TOKEN. */
  @Public()
  @Get('metrics')
  @ApiExcludeEndpoint()
  async scrape(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (!this.mayScrape(request)) throw new Unauthenticated('callers from other machines need the METRICS_TOKEN');
    response.type(this.metrics.registry.contentType).send(await this.metrics.registry.metrics());
  }

  private mayScrape(request: Request): boolean {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${this.env.METRICS_TOKEN ?? ''}`);
    if (this.env.METRICS_TOKEN && given.length === wanted.length && timingSafeEqual(given, wanted)) return true;
    // Behind a proxy on this host every caller has a loopback address, so forwarded requests are not local.
    const forwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
    return !forwarded && /^(::1|(::ffff:)?127\.)/.test(request.socket.remoteAddress ?? '');
  }
}
