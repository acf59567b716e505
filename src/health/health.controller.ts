import { Controller, Get, Header, Res } from '@nestjs/common';
import { RestOperation } from '../core/rest/openapi/rest-operation.decorator.js';
import { ApiOkResponse, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../core/access/access.decorators.js';
import { type Health, HealthService } from './health.service.js';
import { HealthView, LivenessView } from './health.view.js';

@ApiTags('health')
@Public()
@Controller('healthz')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @RestOperation('checkLiveness', 'Check liveness', 'Responds as long as the process runs.', { probe: true })
  @Get('live')
  @Header('Cache-Control', 'no-store')
  @ApiOkResponse({ type: LivenessView })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @RestOperation(
    'checkReadiness',
    'Check readiness',
    'Responds with 503 when the process itself cannot do its work, and while it starts and shuts down. In an outage that all replicas share, such as of the database, it is `degraded` with 200, and calls get problems with `Retry-After`.',
    { probe: true },
  )
  @Get('ready')
  @ApiOkResponse({ type: HealthView })
  @ApiServiceUnavailableResponse({
    type: HealthView,
    description: 'The process cannot do its work, starts or shuts down.',
  })
  async ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    const health = await this.health.check();
    response
      .status(health.status === 'ok' || health.status === 'degraded' ? 200 : 503)
      .setHeader('Cache-Control', 'no-store');
    return health;
  }
}
