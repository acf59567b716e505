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
    if (!this.mayScrape(request))
      throw new Unauthenticated('callers from other machines, or through a proxy, need the METRICS_TOKEN');
    response.type(this.metrics.registry.contentType).send(await this.metrics.registry.metrics());
  }

  private mayScrape(request: Request): boolean {
    const given = Buffer.from(request.headers.authorization ?? '');
    const wanted = Buffer.from(`Bearer ${this.env.METRICS_TOKEN ?? ''}`);
    if (this.env.METRICS_TOKEN && given.length === wanted.length && timingSafeEqual(given, wanted)) return true;
    return isLocal(request);
  }
}

/** A host of this machine, with or without a port. */
const LOOPBACK_HOST = /^(localhost|[a-z0-9.-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])\.?(:\d+)?$/i;
/** Headers that proxies add. */
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;

/** Behind a proxy on this machine every caller has a loopback address, so neither forwarded requests nor those for other hosts are local. */
function isLocal({ headers, socket }: Request): boolean {
  if (!/^(::1|(::ffff:)?127\.)/.test(socket.remoteAddress ?? '')) return false;
  return LOOPBACK_HOST.test(headers.host ?? '') && !Object.keys(headers).some((name) => FORWARDED.test(name));
}
