import { Controller, Get, Param, Redirect, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Public } from '../../../access/access.decorators.js';
import { BundledPage } from '../../bundled-page.js';

/** The interactive reference of the REST API, bundled with the server. */
@Public()
@ApiExcludeController()
@Controller()
export class ReferenceController {
  private readonly bundle = new BundledPage('reference');

  /** A relative address, so that it holds below any path that a proxy puts before it. */
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
