import { Controller, Get, Header, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Public } from '../core/access/access.decorators.js';
import { type Health, HealthService } from './health.service.js';

@ApiTags('health')
@Public()
@Controller('healthz')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  /** The process answers. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The process can do its work: 503 with what is wrong when it cannot. */
  @Get('ready')
  async ready(@Res({ passthrough: true }) response: Response): Promise<Health> {
    const health = await this.health.check();
    response.status(health.status === 'ok' ? 200 : 503).setHeader('Cache-Control', 'no-store');
    return health;
  }
}
