import { Controller, Get, Param, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../access/access.decorators.js';
import { BundledPage } from '../../bundled-page.js';

/** Serves the interactive reference of the REST API, which is bundled with the server. */
@Public()
@ApiExcludeController()
@Controller()
export class ReferenceController {
  private readonly bundle = new BundledPage('reference');

  /** A relative redirect, which works below any path prefix of a proxy. */
  @Get('/')
  @Redirect('api/docs')
  root(): void {}

  @Get('docs')
  async page(@Req() request: Request, @Res() response: Response): Promise<void> {
    await this.bundle.send(request, response);
  }

  @Get('docs/:file')
  asset(@Param('file') file: string, @Res() response: Response): void {
    this.bundle.sendFile(file, response);
  }
}
