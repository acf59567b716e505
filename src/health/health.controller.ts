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
    'Responds with 503 and the failing parts when the process cannot do its work, and while it shuts down.',
    { probe: true },
  )
  @Get('ready')
  @ApiOkResponse({ type: HealthView })
  @ApiServiceUnavailableResponse({ type: HealthView, description: 'A part fails, or the process shuts down.' })
  async ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    const health = await this.health.check();
    response.status(health.status === 'ok' ? 200 : 503).setHeader('Cache-Control', 'no-store');
    return health;
  }
}
